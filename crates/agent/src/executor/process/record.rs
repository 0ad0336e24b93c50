//! Which process a kept attempt is, on disk: so that a later agent can adopt it.
//!
//! A process that was not kept cannot be adopted: its output went to a pipe that nobody reads any more, and its exit
//! status to nobody. It is ended (`bound`), and the server, which hears that the worker was restarted, decides what
//! becomes of its task.

use std::fmt;
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use mainspring_core::id::Fence;
use rustix::process::Pid;
use rustix::time::{ClockId, clock_gettime};
use tracing::warn;

use super::spawn::Group;
use crate::attempt::Key;
use crate::home::{BOUND, Places};

/// Beside the control directory, not in it: the program may write there, and an agent that believed it would end
/// whatever process it names.
const RECORD: &str = "process";

/// A kept process of an earlier agent: running, or ended since.
pub struct Survivor {
    pub key: Key,
    pub attempt: u32,
    pub(super) dir: PathBuf,
    pub(super) identity: Identity,
}

/// A process, told from others that get its number later by when it was started.
pub(super) struct Identity {
    pub id: Pid,
    started: RangeInclusive<u64>,
}

impl Identity {
    /// A process that was started between the tick `from` and now.
    pub fn started_since(group: Group, from: u64) -> Self {
        Self { id: group.0, started: from..=ticks() }
    }

    /// As [`fmt::Display`] wrote it.
    pub fn read<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let id = Pid::from_raw(words.next()?.parse().ok()?)?;
        Some(Self { id, started: words.next()?.parse().ok()?..=words.next()?.parse().ok()? })
    }

    pub fn is_alive(&self) -> bool {
        started(self.id).is_ok_and(|started| self.started.contains(&started))
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.id.as_raw_nonzero(), self.started.start(), self.started.end())
    }
}

/// Ticks since boot, as in `/proc`. One before and one after a start enclose the process's own; asking the kernel for
/// that costs more.
pub(super) fn ticks() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    now.tv_sec as u64 * TICKS_PER_SECOND + now.tv_nsec as u64 * TICKS_PER_SECOND / 1_000_000_000
}

/// The same on every Linux, whatever the kernel counts by itself.
const TICKS_PER_SECOND: u64 = 100;

/// Notes which process the attempt is: one that was started between the tick `from` and now.
pub(super) fn write(dir: &Path, group: Group, from: u64, attempt: u32) {
    let identity = Identity::started_since(group, from);
    if let Err(error) = fs::write(dir.with_extension(RECORD), format!("{attempt} {identity}\n")) {
        warn!(dir = %dir.display(), %error, "cannot note a process");
    }
}

/// Nobody needs it any more.
pub(super) fn remove(dir: &Path) {
    let path = dir.with_extension(RECORD);
    if let Err(error) = fs::remove_file(&path) {
        warn!(path = %path.display(), %error, "cannot remove the note of a process");
    }
}

/// What earlier lives of this agent kept and is still there, or has ended since; the rest is cleared away.
pub fn sort_out(places: &Places) -> io::Result<Vec<Survivor>> {
    let mut survivors = Vec::new();
    for entry in fs::read_dir(places.attempts())? {
        let dir = entry?.path();
        if dir.ends_with(BOUND) {
            continue;
        }
        if dir.extension().is_some_and(|found| found == RECORD) {
            if !dir.with_extension("").exists() {
                fs::remove_file(&dir)?;
            }
            continue;
        }
        let survivor = read(&dir);
        let is_there =
            |survivor: &Survivor| survivor.identity.is_alive() || super::keep::exit_code(&dir).is_some();
        if let Some(survivor) = survivor.filter(is_there) {
            survivors.push(survivor);
        } else {
            fs::remove_dir_all(&dir)?;
            // There is none of a process that was not kept.
            let _ = fs::remove_file(dir.with_extension(RECORD));
        }
    }
    Ok(survivors)
}

fn read(dir: &Path) -> Option<Survivor> {
    let (task, fence) = dir.file_name()?.to_str()?.split_once('-')?;
    let key = Key { task: task.parse().ok()?, fence: Fence::from_bits(fence.parse().ok()?) };
    let record = fs::read_to_string(dir.with_extension(RECORD)).ok()?;
    let mut words = record.strip_suffix('\n')?.split(' ');
    let attempt = words.next()?.parse().ok()?;
    Some(Survivor { key, attempt, dir: dir.to_owned(), identity: Identity::read(&mut words)? })
}

/// When the process started, in ticks since boot: field 22 of its `stat`.
fn started(id: Pid) -> io::Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero()))?;
    // The second field is the program's name, which may contain anything, also `)`.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let mut fields = after_name.split_whitespace();
    if fields.next() == Some("Z") {
        return Err(io::ErrorKind::NotFound.into());
    }
    let ticks = fields.nth(18).and_then(|ticks| ticks.parse().ok());
    ticks.ok_or_else(|| io::Error::other("no start time"))
}
