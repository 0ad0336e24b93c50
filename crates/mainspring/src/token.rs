//! The shared secret of a server, from a file that only its owner can read, or from the environment.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, bail};
use mainspring_api::Token;

const VARIABLE: &str = "MAINSPRING_TOKEN";
/// More is not a token.
pub(crate) const FILE_BYTES_MAX: u64 = 4096;

/// Checked, and not shown: it has no `Debug`.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// What the server keeps of it.
    pub(crate) fn token(&self) -> anyhow::Result<Token> {
        Ok(self.0.parse()?)
    }

    pub(crate) fn new(text: &str) -> anyhow::Result<Self> {
        text.parse::<Token>()?;
        Ok(Self(text.to_owned()))
    }
}

/// The file, else the environment.
pub(crate) fn of_caller(file: Option<&Path>) -> anyhow::Result<Option<Secret>> {
    if let Some(file) = file {
        return read(file).map(Some);
    }
    let text = crate::config::environment(VARIABLE);
    text.map(|text| Secret::new(&text).context(VARIABLE)).transpose()
}

/// One line end at its end does not count.
pub(crate) fn read(path: &Path) -> anyhow::Result<Secret> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read the token in `{shown}`"))?;
    let mode = file.metadata()?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        bail!("others can read the token in `{shown}` (mode {mode:o})\n\nhint: chmod 600 {shown}");
    }
    let mut text = String::new();
    let read = file.take(FILE_BYTES_MAX).read_to_string(&mut text);
    read.with_context(|| format!("cannot read the token in `{shown}`"))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Secret::new(line.strip_suffix('\r').unwrap_or(line)).with_context(|| format!("in `{shown}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_nobody_else_can_read_is_taken() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("token");
        let good = "0123456789abcdef0123456789abcdef";
        let rows = [
            (0o600, format!("{good}\n"), ""),
            (0o400, format!("{good}\r\n"), ""),
            (0o600, good.to_owned(), ""),
            (0o640, good.to_owned(), "others can read"),
            (0o604, good.to_owned(), "others can read"),
            (0o620, good.to_owned(), "others can read"),
            (0o600, String::new(), "a token is"),
            (0o600, "\n".to_owned(), "a token is"),
            (0o600, "short\n".to_owned(), "a token is"),
            (0o600, format!("{good}\n\n"), "a token is"),
            (0o600, format!(" {good}"), "a token is"),
            (0o600, good.repeat(500), "a token is"),
        ];
        for (mode, text, wrong) in rows {
            let _ = std::fs::remove_file(&path);
            std::fs::write(&path, &text).expect("written");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("set");
            match read(&path) {
                Ok(secret) => assert_eq!((secret.text(), wrong), (good, ""), "{mode:o}"),
                Err(error) => {
                    let told = format!("{error:#}");
                    assert!(!wrong.is_empty() && told.contains(wrong), "{mode:o} {text:?}: {told}");
                    assert!(text.len() < 3 || !told.contains(text.trim()), "the token is told: {told}");
                }
            }
        }
        let missing = read(&dir.path().join("none")).err().expect("there is no file");
        assert!(format!("{missing:#}").contains("cannot read the token"));
    }
}
