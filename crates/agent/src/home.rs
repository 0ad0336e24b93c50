//! The state directory: who this worker is, and where its things lie.
//!
//! ```text
//! DIR/lock                      held while an agent runs
//! DIR/worker                    the worker's id, for ever
//! DIR/session                   number of the newest session
//! DIR/spool                     results that nobody has acknowledged
//! DIR/logs/TASK-ATTEMPT.log     what attempts wrote
//! DIR/attempts/TASK-FENCE/      control directory of a running process
//! ```

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainspring_core::id::WorkerId;
use rustix::fs::FlockOperation;

use crate::attempt::Key;
use crate::error::AgentError;
use crate::random;

pub struct Home {
    dir: PathBuf,
    worker: WorkerId,
    session: u64,
    incarnation: u64,
    _lock: File,
}

impl Home {
    pub fn open(dir: &Path) -> Result<Self, AgentError> {
        for part in ["", "logs", "attempts"] {
            let path = dir.join(part);
            fs::create_dir_all(&path).map_err(AgentError::state(path))?;
        }
        // Processes see paths of ours from directories of their own.
        let dir = &fs::canonicalize(dir).map_err(AgentError::state(dir))?;
        let lock = lock(dir)?;
        let worker = match read(&dir.join("worker"))? {
            Some(text) => {
                text.parse().map_err(|bad: mainspring_core::id::BadId| damaged(dir, "worker", &bad))?
            }
            None => mint(dir)?,
        };
        let session = match read(&dir.join("session"))? {
            Some(text) => {
                text.parse().map_err(|bad: std::num::ParseIntError| damaged(dir, "session", &bad))?
            }
            None => 0,
        };
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Of two lives within one clock tick, and of a clock that was set back, the random part differs.
        let incarnation = since_epoch.as_nanos() as u64 ^ random::below(1 << 20);
        Ok(Self { dir: dir.to_owned(), worker, session, incarnation, _lock: lock })
    }

    pub fn worker(&self) -> WorkerId {
        self.worker
    }

    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// On disk before it is used, so that no restart can use it again.
    pub fn next_session(&mut self) -> Result<u64, AgentError> {
        write_whole(&self.dir, "session", &(self.session + 1).to_string())?;
        self.session += 1;
        Ok(self.session)
    }

    pub fn places(&self) -> Places {
        Places { dir: self.dir.clone() }
    }
}

/// Where things lie; ids are hexadecimal, so no name leads out of the directory.
#[derive(Clone)]
pub struct Places {
    dir: PathBuf,
}

impl Places {
    pub fn spool(&self) -> PathBuf {
        self.dir.join("spool")
    }

    pub fn log(&self, key: Key, attempt: u32) -> PathBuf {
        self.dir.join("logs").join(format!("{}-{attempt}.log", key.task))
    }

    pub fn attempts(&self) -> PathBuf {
        self.dir.join("attempts")
    }

    pub fn attempt(&self, key: Key) -> PathBuf {
        self.attempts().join(format!("{}-{}", key.task, key.fence.bits()))
    }

    /// Removes logs that nothing was written to for longer than `age`; gives their number.
    pub fn drop_old_logs(&self, age: Duration) -> usize {
        let Ok(entries) = fs::read_dir(self.dir.join("logs")) else {
            return 0;
        };
        let is_old = |entry: &fs::DirEntry| {
            let changed = entry.metadata().and_then(|data| data.modified());
            changed.is_ok_and(|at| at.elapsed().is_ok_and(|elapsed| elapsed > age))
        };
        entries.flatten().filter(is_old).filter(|entry| fs::remove_file(entry.path()).is_ok()).count()
    }
}

fn lock(dir: &Path) -> Result<File, AgentError> {
    let path = dir.join("lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(AgentError::state(&path))?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(AgentError::InUse { path: dir.to_owned() }),
        Err(error) => Err(AgentError::State { path, source: error.into() }),
    }
}

fn mint(dir: &Path) -> Result<WorkerId, AgentError> {
    let worker = WorkerId::from_bits(random::bits());
    write_whole(dir, "worker", &worker.to_string())?;
    Ok(worker)
}

fn read(path: &Path) -> Result<Option<String>, AgentError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(AgentError::State { path: path.to_owned(), source }),
    }
}

fn damaged(dir: &Path, name: &str, what: &impl ToString) -> AgentError {
    AgentError::Damaged { path: dir.join(name), what: what.to_string() }
}

/// The old text or the new one, whatever happens.
fn write_whole(dir: &Path, name: &str, text: &str) -> Result<(), AgentError> {
    let path = dir.join(name);
    let next = dir.join(format!("{name}.next"));
    let written = File::create(&next)
        .and_then(|mut file| writeln!(file, "{text}").and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&next, &path))
        .and_then(|()| File::open(dir)?.sync_all());
    written.map_err(AgentError::state(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_stays_and_sessions_grow_over_restarts() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut home = Home::open(dir.path()).expect("a new home");
        let worker = home.worker();
        assert_eq!(home.next_session().expect("a session"), 1);
        assert!(matches!(Home::open(dir.path()), Err(AgentError::InUse { .. })));
        drop(home);
        let mut home = Home::open(dir.path()).expect("the same home");
        assert_eq!(home.worker(), worker);
        assert_eq!(home.next_session().expect("a session"), 2);
    }

    #[test]
    fn a_damaged_id_is_not_replaced_in_silence() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("worker"), "wrker_1").expect("written");
        assert!(matches!(Home::open(dir.path()), Err(AgentError::Damaged { .. })));
    }
}
