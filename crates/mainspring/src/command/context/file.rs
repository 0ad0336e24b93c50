//! The file of contexts.
//! - CX-1 it holds tokens: only its owner may read it, and one that others can read is refused
//! - CX-2 it is replaced as a whole, so that a broken write leaves the one before

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use crate::config::environment;

const VARIABLE: &str = "MAINSPRING_CONTEXTS";
/// More is not a file of contexts.
const BYTES_MAX: u64 = 1 << 20;

/// Has no `Debug`: tokens are in it.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Contexts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) current: Option<String>,
    #[serde(default)]
    pub(super) contexts: BTreeMap<String, Entry>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) server: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tenant: Option<String>,
}

/// `MAINSPRING_CONTEXTS`, else in the directory for settings.
pub(super) fn path() -> anyhow::Result<PathBuf> {
    if let Some(path) = environment(VARIABLE) {
        return Ok(path.into());
    }
    let directory = environment("XDG_CONFIG_HOME").map(PathBuf::from);
    let directory = directory.or_else(|| Some(PathBuf::from(environment("HOME")?).join(".config")));
    let directory =
        directory.context("there is no place for contexts: neither HOME nor MAINSPRING_CONTEXTS is set")?;
    Ok(directory.join("mainspring").join("contexts.json"))
}

impl Contexts {
    /// None, if there is no file or no place for one.
    pub(super) fn load() -> anyhow::Result<Self> {
        let Ok(path) = path() else { return Ok(Self::default()) };
        let shown = path.display();
        let file = match fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read the contexts in `{shown}`"));
            }
        };
        let mode = file.metadata()?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            bail!("others can read the contexts in `{shown}` (mode {mode:o})\n\nhint: chmod 600 {shown}");
        }
        let mut text = String::new();
        file.take(BYTES_MAX)
            .read_to_string(&mut text)
            .with_context(|| format!("cannot read the contexts in `{shown}`"))?;
        serde_json::from_str(&text).with_context(|| format!("`{shown}` is not a file of contexts"))
    }

    pub(super) fn save(&self) -> anyhow::Result<()> {
        let path = path()?;
        let cannot = || format!("cannot write the contexts to `{}`", path.display());
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).with_context(cannot)?;
        }
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        let written = (|| {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(format!("{:#}\n", serde_json::to_value(self)?).as_bytes())?;
            file.sync_all()?;
            fs::rename(&draft, &path)
        })();
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
        written.with_context(cannot)
    }

    /// What to say of a name that is not there.
    pub(super) fn missing(&self, name: &str) -> String {
        let names: Vec<&str> = self.contexts.keys().map(String::as_str).collect();
        let hint = match names.as_slice() {
            [] => "store one with `mainspring context add`".to_owned(),
            names => format!("there are: {}", names.join(", ")),
        };
        format!("there is no context `{name}`\n\nhint: {hint}")
    }
}
