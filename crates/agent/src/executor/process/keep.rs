//! Processes that survive their agent.
//!
//! A kept program is started by a shell that waits for it and writes its exit code down. Its output goes straight to
//! the log, its input comes from a file: nothing of it needs the agent. The shell sees the program and its arguments
//! as parameters, never as text to read; the program's name is made a path first, so that it can be no builtin.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::time::sleep;
use tracing::warn;

use super::output::{TAIL_BYTES, end_of_text};
use super::record::Identity;
use super::{Payload, Settings, control};
use crate::attempt::{Attempt, Reporter};

const WAITER: &str = r#"trap : TERM; "$@"; c=$?; echo $c > "$MAINSPRING_CONTROL/.exit"; exit $c"#;
/// A number and a line's end.
const EXIT_BYTES_MAX: usize = 16;
/// How often the log's length and an adopted process are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

impl Payload {
    pub fn is_kept(&self, settings: &Settings, attempt: &Attempt) -> bool {
        let limit_ms = u128::from(attempt.hard_timeout_ms);
        let is_long = limit_ms == 0 || limit_ms >= settings.keep_longer_than.as_millis();
        // What a kept program writes goes past the worker, who could not mask it; what survives its worker is not stopped
        // when the server cannot be reached.
        attempt.secrets.is_empty() && self.keep.unwrap_or(is_long && !attempt.exclusive)
    }
}

/// The waiting shell, with the program as its parameter.
pub fn waiter(settings: &Settings, payload: &Payload) -> io::Result<Command> {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(WAITER).arg("sh");
    if payload.shell {
        command.args(["/bin/sh", "-c"]).arg(&payload.argv[0]).arg("sh");
    } else {
        command.arg(find(settings, payload)?);
    }
    command.args(&payload.argv[1..]);
    Ok(command)
}

/// Input from a file, output to the log.
pub fn redirect(command: &mut Command, payload: &Payload, control: &Path, log: &Path) -> io::Result<()> {
    if let Some(text) = &payload.stdin {
        let path = control.join(".stdin");
        File::create_new(&path)?.write_all(text.as_bytes())?;
        command.stdin(File::open(path)?);
    } else {
        command.stdin(Stdio::null());
    }
    File::create(log)?;
    let log = File::options().append(true).open(log)?;
    command.stdout(log.try_clone()?).stderr(log);
    Ok(())
}

/// Where `execvp` would find the program.
fn find(settings: &Settings, payload: &Payload) -> io::Result<PathBuf> {
    let name = Path::new(&payload.argv[0]);
    if payload.argv[0].contains('\0') {
        return Err(ErrorKind::InvalidInput.into());
    }
    if payload.argv[0].contains('/') {
        let cwd = payload.cwd.clone().map_or_else(std::env::current_dir, Ok)?;
        return is_program(&cwd.join(name)).then(|| name.to_owned()).ok_or(ErrorKind::NotFound.into());
    }
    let passed = settings.env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path);
    let path = payload.env.get("PATH").or(passed).map_or("/usr/local/bin:/usr/bin:/bin", String::as_str);
    let mut places = std::env::split_paths(OsStr::new(path)).map(|dir| dir.join(name));
    places.find(|path| path.is_absolute() && is_program(path)).ok_or(ErrorKind::NotFound.into())
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// What the waiting shell wrote down, once it is whole.
pub fn exit_code(dir: &Path) -> Option<i32> {
    let text = control::read(&dir.join(".exit"), EXIT_BYTES_MAX).ok()?;
    std::str::from_utf8(&text).ok()?.strip_suffix('\n')?.parse().ok()
}

/// Waits until an adopted process has ended; None when nobody saw how.
pub async fn ended(dir: &Path, identity: &Identity) -> Option<i32> {
    while exit_code(dir).is_none() && identity.is_alive() {
        sleep(LOOK_EVERY).await;
    }
    exit_code(dir)
}

/// The log of a kept process, which writes it itself.
pub struct KeptLog {
    path: PathBuf,
    len: u64,
    len_max: u64,
    note: String,
    /// The end of what was taken away last.
    cut_off: Vec<u8>,
    reporter: Reporter,
}

impl KeptLog {
    pub fn new(path: PathBuf, len_max: u64, reporter: Reporter) -> Self {
        let note = format!("\n[mainspring: output cut at {len_max} bytes]\n");
        Self { path, len: 0, len_max, note, cut_off: Vec::new(), reporter }
    }

    pub async fn pump(&mut self) {
        sleep(LOOK_EVERY).await;
        self.look();
    }

    pub fn look(&mut self) {
        match self.cut() {
            Ok(len) if len > self.len => {
                self.len = len;
                self.reporter.log_grew(len);
            }
            Ok(_) => {}
            Err(error) => warn!(path = %self.path.display(), %error, "cannot look at a log"),
        }
    }

    /// The log's length, after what is too much was taken away. It is written with `O_APPEND`: the next piece goes to
    /// the new end, and is taken away at the next look.
    fn cut(&mut self) -> io::Result<u64> {
        let len = fs::metadata(&self.path)?.len();
        let whole = self.len_max + self.note.len() as u64;
        if len > whole || (len > self.len_max && self.len <= self.len_max) {
            self.cut_off = self.read_end(len)?;
        }
        if len > self.len_max && self.len <= self.len_max {
            let mut file = File::options().append(true).open(&self.path)?;
            file.set_len(self.len_max)?;
            file.write_all(self.note.as_bytes())?;
            return Ok(whole);
        }
        if len > whole {
            File::options().write(true).open(&self.path)?.set_len(whole)?;
        }
        Ok(len.min(whole))
    }

    /// The end of what was written, as text; also when it was more than fits.
    pub fn tail(&self) -> String {
        let bytes = if self.cut_off.is_empty() {
            self.read_end(self.len).unwrap_or_default()
        } else {
            self.cut_off.clone()
        };
        end_of_text(&bytes)
    }

    fn read_end(&self, len: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(len.saturating_sub(TAIL_BYTES as u64)))?;
        let mut bytes = Vec::new();
        file.take(TAIL_BYTES as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
