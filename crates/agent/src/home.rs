//! The state directory: who this worker is, and where its things lie.
//!
//! ```text
//! DIR/lock                      held while an agent runs
//! DIR/worker                    the worker's id, for ever
//! DIR/session                   number of the newest session
//! DIR/spool                     results that nobody has acknowledged
//! DIR/logs/TASK-ATTEMPT.log     what attempts wrote
//! DIR/attempts/TASK-FENCE/      control directory of a running process; by default in memory instead
//! DIR/attempts/TASK-FENCE.process  which process that is, if it is kept
//! ```

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainspring_core::values::WorkerId;
use rustix::fs::FlockOperation;

use crate::attempt::Key;
use crate::error::AgentError;
use crate::random;

/// For one second.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Beside the control directories: which processes end with this agent.
pub const BOUND: &str = "bound";

pub struct Home {
    dir: PathBuf,
    attempts: PathBuf,
    worker: WorkerId,
    session: u64,
    incarnation: u64,
    _lock: File,
}

impl Home {
    pub fn open(dir: &Path, attempts: Option<&Path>) -> Result<Self, AgentError> {
        for part in ["", "logs"] {
            let path = dir.join(part);
            fs::create_dir_all(&path).map_err(AgentError::state(path))?;
        }
        // Processes see paths of ours from directories of their own.
        let dir = &fs::canonicalize(dir).map_err(AgentError::state(dir))?;
        let lock = lock(dir)?;
        let worker = match read(&dir.join("worker"))? {
            Some(text) => {
                text.parse().map_err(|bad: mainspring_core::values::BadId| damaged(dir, "worker", &bad))?
            }
            None => mint(dir)?,
        };
        let attempts = attempts.map_or_else(|| in_memory(worker, dir), Path::to_owned);
        fs::create_dir_all(&attempts).map_err(AgentError::state(&attempts))?;
        let attempts = fs::canonicalize(&attempts).map_err(AgentError::state(attempts))?;
        let session = match read(&dir.join("session"))? {
            Some(text) => {
                text.parse().map_err(|bad: std::num::ParseIntError| damaged(dir, "session", &bad))?
            }
            None => 0,
        };
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Of two lives within one clock tick, and of a clock that was set back, the random part differs.
        let incarnation = since_epoch.as_nanos() as u64 ^ random::below(1 << 20);
        Ok(Self { dir: dir.to_owned(), attempts, worker, session, incarnation, _lock: lock })
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

    /// The newest session.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// A copy of this worker has used numbers up to `newest`: the next session gets a greater one.
    pub fn skip_sessions(&mut self, newest: u64) {
        self.session = self.session.max(newest);
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn places(&self) -> Places {
        Places { dir: self.dir.clone(), attempts: self.attempts.clone() }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What is bound to this agent has ended with it. The rest goes only if it is empty: then nothing is left to a
        // successor.
        let _ = fs::remove_file(self.attempts.join(BOUND));
        let _ = fs::remove_dir(&self.attempts);
    }
}

/// Where things lie; ids are hexadecimal, so no name leads out of the directory.
#[derive(Clone)]
pub struct Places {
    dir: PathBuf,
    attempts: PathBuf,
}

impl Places {
    pub fn spool(&self) -> PathBuf {
        self.dir.join("spool")
    }

    pub fn log(&self, key: Key, attempt: u32) -> PathBuf {
        self.dir.join("logs").join(format!("{}-{attempt}.log", key.task))
    }

    pub fn attempts(&self) -> &Path {
        &self.attempts
    }

    pub fn attempt(&self, key: Key) -> PathBuf {
        self.attempts().join(format!("{}-{}", key.task, key.fence.bits()))
    }

    /// Removes logs that nothing was written to for longer than `age`, unless their task has an attempt that runs;
    /// gives their number.
    pub fn drop_old_logs(&self, age: Duration) -> usize {
        let (Ok(entries), Ok(attempts)) =
            (fs::read_dir(self.dir.join("logs")), fs::read_dir(self.attempts()))
        else {
            return 0;
        };
        let task = |entry: &fs::DirEntry| {
            entry.file_name().to_str()?.split_once('-').map(|(task, _)| task.to_owned())
        };
        let running: BTreeSet<String> = attempts.flatten().filter_map(|entry| task(&entry)).collect();
        let is_old = |entry: &fs::DirEntry| {
            let changed = entry.metadata().and_then(|data| data.modified());
            changed.is_ok_and(|at| at.elapsed().is_ok_and(|elapsed| elapsed > age))
        };
        let is_over = |entry: &fs::DirEntry| task(entry).is_none_or(|task| !running.contains(&task));
        entries
            .flatten()
            .filter(is_old)
            .filter(is_over)
            .filter(|entry| fs::remove_file(entry.path()).is_ok())
            .count()
    }
}

/// Processes do not survive a reboot either, so nothing is lost with what is only in memory.
fn in_memory(worker: WorkerId, dir: &Path) -> PathBuf {
    let memory = PathBuf::from(format!("/dev/shm/mainspring-{worker}"));
    let private = DirBuilder::new().recursive(true).mode(0o700).create(&memory);
    // Somebody else's directory of that name is not ours to use.
    let is_ours = fs::symlink_metadata(&memory)
        .is_ok_and(|data| data.is_dir() && data.uid() == rustix::process::getuid().as_raw());
    if private.is_ok() && is_ours { memory } else { dir.join("attempts") }
}

/// A worker that has just ended may have left a copy of its lock in a process that it was starting: until the program of that
/// process begins, the lock is held. There is nothing to wait on but the lock itself.
fn lock(dir: &Path) -> Result<File, AgentError> {
    let path = dir.join("lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(AgentError::state(&path))?;
    for tries_left in (0..LOCK_TRIES).rev() {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if tries_left > 0 => std::thread::sleep(LOCK_PAUSE),
            Err(rustix::io::Errno::WOULDBLOCK) => break,
            Err(error) => return Err(AgentError::State { path, source: error.into() }),
        }
    }
    Err(AgentError::InUse { path: dir.to_owned() })
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
        let mut home = Home::open(dir.path(), Some(&dir.path().join("attempts"))).expect("a new home");
        let worker = home.worker();
        assert_eq!(home.next_session().expect("a session"), 1);
        assert!(matches!(
            Home::open(dir.path(), Some(&dir.path().join("attempts"))),
            Err(AgentError::InUse { .. })
        ));
        drop(home);
        let mut home = Home::open(dir.path(), Some(&dir.path().join("attempts"))).expect("the same home");
        assert_eq!(home.worker(), worker);
        assert_eq!(home.next_session().expect("a session"), 2);
    }

    #[test]
    fn old_logs_go_unless_their_task_runs() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::open(dir.path(), Some(&dir.path().join("attempts"))).expect("a home");
        let places = home.places();
        for name in ["logs/task_1-1.log", "logs/task_2-1.log"] {
            fs::write(dir.path().join(name), "").expect("written");
        }
        fs::create_dir(dir.path().join("attempts/task_2-77")).expect("a directory");
        assert_eq!(places.drop_old_logs(Duration::from_hours(1)), 0, "none is old");
        assert_eq!(places.drop_old_logs(Duration::ZERO), 1);
        assert!(dir.path().join("logs/task_2-1.log").exists());
    }

    #[test]
    fn a_damaged_id_is_not_replaced_in_silence() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("worker"), "wrker_1").expect("written");
        assert!(matches!(
            Home::open(dir.path(), Some(&dir.path().join("attempts"))),
            Err(AgentError::Damaged { .. })
        ));
    }
}
