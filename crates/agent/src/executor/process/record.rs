//! Which process a kept attempt is, on disk: so that a later agent can adopt it.
//!
//! A process that was not kept cannot be adopted: its output went to a pipe that nobody reads any more, and its exit
//! status to nobody. It is ended (`bound`), and the server, which hears that the worker was restarted, decides what
//! becomes of its task.

use std::fs::{self, File};
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, io};

use mainspring_core::values::Fence;
use rustix::process::Pid;
use rustix::time::{ClockId, clock_gettime};
use tracing::warn;

use super::spawn::Group;
use crate::attempt::Key;
use crate::devices::DeviceSet;
use crate::home::{BOUND, Places};

/// Beside the control directory, not in it: the program may write there, and an agent that believed it would end
/// whatever process it names.
const RECORD: &str = "process";

/// A kept process of an earlier agent: running, or ended since.
pub struct Survivor {
    pub key: Key,
    pub terms: Terms,
    pub(super) dir: PathBuf,
    pub(super) identity: Identity,
}

impl Survivor {
    /// How long ago the process was started.
    pub fn age(&self) -> Duration {
        let ticks = ticks().saturating_sub(*self.identity.started.start());
        Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND)
    }
}

/// A process, told from others that get its number later by when it was started.
#[derive(Clone)]
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

/// What the next agent must know of the attempt besides its process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    pub attempt: u32,
    /// The hard limit with all the time that the attempt asked for; 0 = none.
    pub limit_ms: u64,
    pub grace: Duration,
    pub devices: DeviceSet,
}

impl Terms {
    fn read<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        Some(Self {
            attempt: words.next()?.parse().ok()?,
            limit_ms: words.next()?.parse().ok()?,
            grace: Duration::from_millis(words.next()?.parse().ok()?),
            devices: words.next()?.parse().ok()?,
        })
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.attempt, self.limit_ms, self.grace.as_millis(), self.devices)
    }
}

/// The file of one kept process: a line of fixed length, so that it can be written again where there is no room left.
pub(super) struct Record {
    file: File,
    terms: Terms,
    identity: Option<Identity>,
}

/// All numbers of a record but those of its devices, with room to spare.
const NUMBERS_BYTES: usize = 160;

impl Record {
    /// Before the process starts: no process runs that a later agent could not find for want of room.
    pub(super) fn create(dir: &Path, terms: Terms) -> io::Result<Self> {
        let file = File::create(dir.with_extension(RECORD))?;
        let record = Self { file, terms, identity: None };
        record.write()?;
        Ok(record)
    }

    /// One that an earlier agent wrote.
    pub(super) fn adopt(survivor: &Survivor) -> io::Result<Self> {
        let file = File::options().write(true).open(survivor.dir.with_extension(RECORD))?;
        Ok(Self { file, terms: survivor.terms.clone(), identity: Some(survivor.identity.clone()) })
    }

    /// The process was started between the tick `from` and now.
    pub(super) fn started(&mut self, group: Group, from: u64) {
        self.identity = Some(Identity::started_since(group, from));
        self.update();
    }

    /// The attempt has so much more time.
    pub(super) fn extended(&mut self, ms: u64) {
        if self.terms.limit_ms > 0 {
            self.terms.limit_ms = self.terms.limit_ms.saturating_add(ms);
            self.update();
        }
    }

    fn update(&self) {
        if let Err(error) = self.write() {
            warn!(%error, "cannot note a process");
        }
    }

    fn write(&self) -> io::Result<()> {
        let text = self.identity.as_ref().map(|identity| format!("{} {identity}", self.terms));
        let width = NUMBERS_BYTES + self.terms.devices.to_string().len();
        let line = format!("{:<width$}\n", text.unwrap_or_default());
        self.file.write_all_at(line.as_bytes(), 0)
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
    let mut words = record.strip_suffix('\n')?.split_whitespace();
    let terms = Terms::read(&mut words)?;
    Some(Survivor { key, terms, dir: dir.to_owned(), identity: Identity::read(&mut words)? })
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
