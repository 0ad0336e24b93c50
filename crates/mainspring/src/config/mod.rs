//! Settings from four places: flags over environment over file over defaults.
//! Entry: [`Config::load`]; `Config::server` and `Config::worker` make of it what the parts take.
//! - CS-1 one table of settings (`keys`) rules file, environment, flags, docs and example alike
//! - CS-2 every mistake is told, not only the first; nothing unknown is passed over
//! - CS-3 a value is checked where it is set, and said with where it came from

mod file;
mod keys;
mod named;
mod setup;
#[cfg(test)]
mod tests;
mod value;
mod webhooks;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

pub(crate) use self::keys::{KEYS, Key};
pub(crate) use self::named::{NAMED, NamedSetting};
pub(crate) use self::setup::ServerSetup;
pub(crate) use self::value::{Value, amount, parse_bytes};

/// Where a value came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Default,
    File { path: PathBuf, line: usize },
    Environment(&'static str),
    Flag,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) => f.write_str(name),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// Checked settings. Those without a value are found out at the start.
#[derive(Debug, Default)]
pub(crate) struct Config {
    values: BTreeMap<&'static str, (Value, Source)>,
    /// Of pools and tenants.
    named: BTreeMap<NamedSetting, (Value, Source)>,
    /// The file that was read.
    pub(crate) file: Option<PathBuf>,
}

/// All that is wrong, one a line.
#[derive(Debug)]
pub(crate) struct Mistakes(pub(crate) Vec<String>);

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration has mistakes:")?;
        self.0.iter().try_for_each(|mistake| write!(f, "\n  {mistake}"))
    }
}

impl std::error::Error for Mistakes {}

/// What was given, before it is looked at.
pub(crate) struct Sources<'a> {
    /// `--config`.
    pub(crate) file: Option<PathBuf>,
    /// By the name of the setting.
    pub(crate) flags: Vec<(String, String)>,
    pub(crate) environment: &'a dyn Fn(&str) -> Option<String>,
}

/// The real environment; an empty variable counts as none.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

const FILE: &str = "mainspring.toml";
const FILE_VARIABLE: &str = "MAINSPRING_CONFIG";

impl Config {
    pub(crate) fn load(sources: Sources<'_>) -> Result<Self, Mistakes> {
        let Sources { file, flags, environment } = sources;
        let mut mistakes = Vec::new();
        let mut config = Self::default();
        config.defaults();
        let mut above = Self::default();
        above.environment(environment, &mut mistakes);
        above.flags(&flags, &mut mistakes);
        if let Some(path) = file_named(file, environment).or_else(|| file_found(&config, &above)) {
            config.read_file(&path, &mut mistakes);
            config.file = Some(path);
        }
        config.values.append(&mut above.values);
        config.named.append(&mut above.named);
        mistakes.extend(config.disagreements());
        if mistakes.is_empty() { Ok(config) } else { Err(Mistakes(mistakes)) }
    }

    fn defaults(&mut self) {
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            if let Ok(value) = key.kind.parse(key.default) {
                self.values.insert(key.name, (value, Source::Default));
            }
        }
    }

    fn environment(&mut self, environment: &dyn Fn(&str) -> Option<String>, mistakes: &mut Vec<String>) {
        for key in KEYS {
            let Some(text) = environment(key.env) else { continue };
            match key.kind.parse(&text) {
                Ok(value) => drop(self.values.insert(key.name, (value, Source::Environment(key.env)))),
                Err(what) => mistakes.push(format!("{}: {what}", key.env)),
            }
        }
    }

    fn flags(&mut self, flags: &[(String, String)], mistakes: &mut Vec<String>) {
        for (name, text) in flags {
            if let Err(what) = self.flag(name, text) {
                mistakes.push(format!("flag for `{name}`: {what}"));
            }
        }
    }

    fn flag(&mut self, name: &str, text: &str) -> Result<(), String> {
        if let Some(found) = named::find_dotted(name) {
            let (setting, kind) = found?;
            self.named.insert(setting, (kind.parse(text)?, Source::Flag));
        } else {
            let key = keys::find(name).ok_or_else(|| file::unknown(name))?;
            self.values.insert(key.name, (key.kind.parse(text)?, Source::Flag));
        }
        Ok(())
    }

    fn read_file(&mut self, path: &Path, mistakes: &mut Vec<String>) {
        let size = std::fs::metadata(path).map(|about| about.len());
        let text = match size {
            Ok(size) if size > file::FILE_BYTES_MAX => {
                return mistakes.push(format!("`{}` is too large for a file of settings", path.display()));
            }
            Ok(_) => std::fs::read_to_string(path),
            Err(error) => Err(error),
        };
        let text = match text {
            Ok(text) => text,
            Err(error) => return mistakes.push(format!("cannot read `{}`: {error}", path.display())),
        };
        let content = file::read(&text);
        let wrong = content.mistakes.into_iter();
        mistakes.extend(wrong.map(|(line, what)| format!("{}:{line}: {what}", path.display())));
        let source = |line| Source::File { path: path.to_owned(), line };
        for (name, value, line) in content.settings {
            self.values.insert(name, (value, source(line)));
        }
        for (setting, value, line) in content.named {
            self.named.insert(setting, (value, source(line)));
        }
    }

    /// Every setting with its value and where it came from, in the order of the table.
    pub(crate) fn effective(&self) -> impl Iterator<Item = (&'static Key, Option<&(Value, Source)>)> {
        KEYS.iter().map(|key| (key, self.values.get(key.name)))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).map(|(value, _)| value)
    }
}

fn file_named(file: Option<PathBuf>, environment: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    file.or_else(|| environment(FILE_VARIABLE).map(PathBuf::from))
}

/// Beside the data, or here.
fn file_found(defaults: &Config, above: &Config) -> Option<PathBuf> {
    let data = above.get("server.data").or_else(|| defaults.get("server.data"));
    let beside = data.map(|data| Path::new(&data.to_string()).join(FILE));
    beside.into_iter().chain([PathBuf::from(FILE)]).find(|path| path.is_file())
}
