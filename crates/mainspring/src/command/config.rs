//! `mainspring config`: check settings, or show what can be set.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Map, json};

use super::output::{Output, Print, say};
use crate::config::{self, Config as Settings, KEYS, NAMED, Sources};
use crate::note::note;

/// Settings come from flags, then the environment, then a TOML file, then defaults. Exit: 0 right, 1 mistakes.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring config check\n  \
    mainspring config example")]
pub(crate) struct Config {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Print every mistake, or every setting and where its value came from
    Check(Check),
    /// Print a commented file with every setting at its default
    #[command(after_help = "Example:\n  mainspring config example > /etc/mainspring.toml")]
    Example,
}

#[derive(Args)]
#[command(after_help = "Example:\n  mainspring config check /etc/mainspring.toml")]
struct Check {
    /// The file [default: as a server would find it]
    file: Option<PathBuf>,
    #[command(flatten)]
    given: Given,
    /// How the answer is printed; `name` gives only names, one a line
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Table)]
    output: Output,
}

/// Settings given on the command line, for every command that reads them.
#[derive(Args, Clone, Default)]
pub(crate) struct Given {
    /// The file of settings [default: mainspring.toml beside the data, or here]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A setting, as `server.history_days=30`; may be given more than once
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = pair)]
    settings: Vec<(String, String)>,
}

impl Given {
    /// `flags`: those that have a setting of their own.
    pub(crate) fn load(self, flags: Vec<(&str, Option<String>)>) -> Result<Settings, config::Mistakes> {
        let own = flags.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let flags = self.settings.into_iter().chain(own).collect();
        Settings::load(Sources { file: self.config, flags, environment: &config::environment })
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is not a setting; write it as KEY=VALUE"))?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

impl Config {
    pub(crate) fn run(self) -> ExitCode {
        match self.what {
            What::Example => say(example().trim_end()),
            What::Check(check) => return check.run(),
        }
        ExitCode::SUCCESS
    }
}

impl Check {
    fn run(self) -> ExitCode {
        let Self { file, mut given, output } = self;
        given.config = file.or(given.config);
        let print = Print::new(output);
        match given.load(vec![]) {
            Ok(settings) if print.is_data() => print.object(&as_json(&settings)),
            Ok(settings) => print_table(&settings),
            Err(mistakes) if print.is_data() => {
                print.object(&json!({ "mistakes": mistakes.0 }));
                return ExitCode::from(1);
            }
            Err(mistakes) => {
                note!("error: {mistakes}\n\nhint: `mainspring config example` shows every setting");
                return ExitCode::from(1);
            }
        }
        ExitCode::SUCCESS
    }
}

/// Stands for secrets.
const HIDDEN: &str = "(hidden)";

fn print_table(settings: &Settings) {
    let width = KEYS.iter().map(|key| key.name.len()).max().unwrap_or(0);
    for (key, found) in settings.effective() {
        let (value, source) = match found {
            Some((value, source)) => (value.toml(), source.to_string()),
            None => ("-".to_owned(), "detected at startup".to_owned()),
        };
        say(&format!("{:width$}  {value}  ({source})", key.name));
    }
    for (setting, (value, source)) in settings.named() {
        let value = if setting.is_secret() { HIDDEN.to_owned() } else { value.toml() };
        say(&format!("{:width$}  {value}  ({source})", setting.to_string()));
    }
    let file = settings.file.as_ref().map_or_else(|| "none".to_owned(), |file| file.display().to_string());
    note!("\nright; file: {file}");
}

fn as_json(settings: &Settings) -> serde_json::Value {
    let entry = |found: Option<&(config::Value, config::Source)>| match found {
        Some((value, source)) => json!({ "value": value.to_string(), "source": source.to_string() }),
        None => json!({ "value": null, "source": "detected at startup" }),
    };
    let known = settings.effective().map(|(key, found)| (key.name.to_owned(), entry(found)));
    let named = settings.named().map(|(setting, found)| {
        let mut entry = entry(Some(found));
        if setting.is_secret() {
            entry["value"] = HIDDEN.into();
        }
        (setting.to_string(), entry)
    });
    let values: Map<_, _> = known.chain(named).collect();
    json!({ "file": settings.file, "settings": values })
}

/// Every setting, commented out, under the heads of its tables.
pub(crate) fn example() -> String {
    let mut text = String::from(
        "# Settings of Mainspring. Every line shows a default; take the `#` away to change it.\n\
         # Flags win over variables, variables over this file.\n",
    );
    let mut table = "";
    for key in KEYS {
        let (head, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if head != table {
            table = head;
            text.extend(["\n[", head, "]\n"]);
        }
        text.extend(["## ", key.about, ". Variable: ", key.env, "\n"]);
        match key.kind.parse(key.default) {
            Ok(value) if !key.default.is_empty() => text.extend(["# ", name, " = ", &value.toml(), "\n"]),
            _ => text.extend(["#", name, " =\n"]),
        }
    }
    let mut table = "";
    for key in NAMED {
        if key.table != table {
            table = key.table;
            text.extend([
                "\n## One table for each name; without it nothing is limited, or let in.\n#[",
                table,
                ".NAME]\n",
            ]);
        }
        text.extend(["## ", key.about, "\n#", key.field, " =\n"]);
    }
    text
}
