//! The directory through which a running process speaks to its agent.
//!
//! ```text
//! progress           any content: still getting somewhere; its first line is shown (256 bytes at most)
//! checkpoint         what the next attempt should know (64 KiB at most; taken once a second, and at the end)
//! extend             milliseconds of more time
//! output             the task's output, read when the process has succeeded
//! last-checkpoint    written by the agent: what the last attempt stored
//! ```
//! Write to another name and rename: what is there is taken as it is, and removed.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mainspring_core::values::PROGRESS_BYTES_MAX;
use rustix::fs::OFlags;
use tracing::warn;

use super::user::User;
use crate::attempt::{Outcome, Reporter};
use crate::readable::readable;

pub const LAST_CHECKPOINT: &str = "last-checkpoint";
const OUTPUT: &str = "output";
/// Names that are looked at one by one; a process may have left any number.
const LEFT_MAX: usize = 64;
pub const CHECKPOINT_BYTES_MAX: usize = 64 << 10;
const CHECKPOINTS_APART: Duration = Duration::from_secs(1);

pub struct Control {
    dir: PathBuf,
    checkpointed: Option<Instant>,
}

impl Control {
    /// For nobody but the program's user; `user` is one that is not the agent's own.
    pub fn create(dir: PathBuf, checkpoint: Option<&[u8]>, user: Option<&User>) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(&dir)?;
        if let Some(bytes) = checkpoint {
            fs::write(dir.join(LAST_CHECKPOINT), bytes)?;
        }
        if let Some(user) = user {
            chown(&dir, Some(user.uid.as_raw()), Some(user.gid.as_raw()))?;
            // To get through to it, not to see what else is there.
            let parent = dir.parent().unwrap_or(&dir);
            fs::set_permissions(parent, Permissions::from_mode(0o711))?;
        }
        Ok(Self { dir, checkpointed: None })
    }

    /// One that an earlier agent made.
    pub fn adopt(dir: PathBuf) -> Self {
        Self { dir, checkpointed: None }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Takes what the process left since the last look; gives the milliseconds of more time that it asked for. A
    /// checkpoint waits until a second after the one before, unless the process has `ended`.
    pub fn look(&mut self, reporter: &Reporter, ended: bool) -> u64 {
        if let Some(bytes) = self.take("progress", PROGRESS_BYTES_MAX) {
            reporter.progress(first_line(&bytes));
        }
        let extended_ms = self.take("extend", 20).and_then(|bytes| number(&bytes)).unwrap_or(0);
        if extended_ms > 0 {
            reporter.extend_ms(extended_ms);
        }
        if (ended || self.checkpointed.is_none_or(|at| at.elapsed() >= CHECKPOINTS_APART))
            && let Some(bytes) = self.take("checkpoint", CHECKPOINT_BYTES_MAX)
        {
            self.checkpointed = Some(Instant::now());
            if bytes.len() > CHECKPOINT_BYTES_MAX {
                warn!(dir = %self.dir.display(), "a checkpoint of more than {CHECKPOINT_BYTES_MAX} bytes is ignored");
            } else {
                reporter.checkpoint(bytes);
            }
        }
        extended_ms
    }

    /// The outcome of a process that succeeded.
    pub fn outcome(&self, output_bytes_max: usize) -> Outcome {
        match read(&self.dir.join(OUTPUT), output_bytes_max) {
            Ok(bytes) if bytes.len() > output_bytes_max => {
                Outcome::permanent(format!("the output is larger than {output_bytes_max} bytes"))
            }
            Ok(bytes) => Outcome::Success { output: Some(bytes) },
            Err(error) if error.kind() == ErrorKind::NotFound => Outcome::Success { output: None },
            Err(error) => Outcome::permanent(format!("cannot read the output: {error}")),
        }
    }

    /// What the process left. Most leave nothing, and then the directory is gone; else one look at it is cheaper than
    /// one at every name that might be in it.
    pub fn leave(&self) -> Left {
        if fs::remove_dir(&self.dir).is_ok() {
            return Left(Some(Vec::new()));
        }
        let names = fs::read_dir(&self.dir).and_then(|entries| {
            let names = entries.take(LEFT_MAX).map(|entry| entry.map(|entry| entry.file_name()));
            names.collect::<io::Result<Vec<_>>>()
        });
        Left(names.ok())
    }

    /// Removes what `left` names, and whatever else came since.
    pub fn remove(self, left: &Left) {
        if left.0.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        let named = left.0.iter().flatten().try_for_each(|name| fs::remove_file(self.dir.join(name)));
        if named.and_then(|()| fs::remove_dir(&self.dir)).is_ok() {
            return;
        }
        if let Err(error) = fs::remove_dir_all(&self.dir) {
            warn!(dir = %self.dir.display(), %error, "cannot remove a control directory");
        }
    }

    /// At most one byte more than `max`, so that too much can be told from enough.
    fn take(&self, name: &str, max: usize) -> Option<Vec<u8>> {
        let path = self.dir.join(name);
        let bytes = match read(&path, max) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => {
                warn!(path = %path.display(), %error, "cannot read what a process left");
                Vec::new()
            }
        };
        // A failed removal means that it is taken twice; each of these may be.
        let _ = fs::remove_file(&path);
        Some(bytes)
    }
}

/// What lay in a control directory when its process had ended; `None` if it could not be read.
pub struct Left(Option<Vec<OsString>>);

impl Left {
    pub fn has_messages(&self) -> bool {
        ["progress", "extend", "checkpoint"].iter().any(|name| self.may_have(name))
    }

    pub fn has_output(&self) -> bool {
        self.may_have(OUTPUT)
    }

    fn may_have(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.len() >= LEFT_MAX || names.iter().any(|left| left == name))
    }
}

/// Never follows a link and never waits for a pipe: what lies there was made by the task. Nor is a file read that has
/// another name too: it may be one that only the agent may read.
pub fn read(path: &Path, max: usize) -> io::Result<Vec<u8>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::options().read(true).custom_flags(flags.bits() as i32).open(path)?;
    let data = file.metadata()?;
    if !data.is_file() || data.nlink() > 1 {
        return Err(io::Error::other("not a plain file"));
    }
    let mut bytes = Vec::new();
    file.take(max as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn first_line(bytes: &[u8]) -> String {
    readable(bytes).lines().next().unwrap_or_default().trim().to_owned()
}

fn number(bytes: &[u8]) -> Option<u64> {
    std::str::from_utf8(bytes).ok()?.trim().parse().ok()
}
