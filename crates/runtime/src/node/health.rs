//! How far the threads of a node have come, readable by anyone at any time: a thread that is stuck cannot be asked.
//! Entry: [`Health::troubles`].
//! - HL-1 nobody blocks here: a thread notes the start and the end of each piece of work with atomic stores
//! - HL-2 an idle thread is healthy; only a piece of work that takes longer than [`STUCK_AFTER`] is trouble
//!
//! Not here: what an HTTP probe answers (`api/src/rest/health.rs`).

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mainspring_store::Probe;

use super::conditions::Conditions;

/// A piece of work that takes longer than this is reported. A turn of the shard takes milliseconds.
pub const STUCK_AFTER: Duration = Duration::from_secs(10);

/// One for each node.
#[derive(Debug)]
pub struct Health {
    origin: Instant,
    stuck_after: Duration,
    /// By [`Part`].
    parts: [Activity; Part::ALL.len()],
    /// What is wrong around the node.
    pub conditions: Conditions,
    /// Number of the newest record that is durable.
    record: AtomicU64,
}

/// A thread of the node, by what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// One turn of the shard's thread.
    Shard,
    /// One append to the journal.
    Journal,
    /// One cut written to the tables.
    Tables,
    /// One read of the tables for the shard.
    Loader,
}

/// Work that has taken too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trouble {
    pub part: Part,
    /// The piece of work: while it stays the same, the thread has made no progress.
    pub number: u64,
    pub seconds: u64,
}

/// Since when a thread has been busy with one piece of work.
#[derive(Debug, Default)]
struct Activity {
    /// Milliseconds since the origin, plus one; zero while the thread is idle.
    since: AtomicU64,
    number: AtomicU64,
}

impl Part {
    pub const ALL: [Self; 4] = [Self::Shard, Self::Journal, Self::Tables, Self::Loader];
}

impl Trouble {
    /// Stable name for programs.
    pub const fn code(&self) -> &'static str {
        match self.part {
            Part::Shard => "shard_not_progressing",
            Part::Journal => "journal_slow",
            Part::Tables => "tables_slow",
            Part::Loader => "table_reads_slow",
        }
    }

    /// Whether only a restart can help. A slow disk is no such case: a new process would wait for it as well.
    pub const fn needs_restart(&self) -> bool {
        matches!(self.part, Part::Shard)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.part {
            Part::Shard => "the shard's thread makes no progress: its current turn",
            Part::Journal => "the disk is slow: the current append to the journal",
            Part::Tables => "the disk is slow: the current write of the tables",
            Part::Loader => "the disk is slow: the current read of the tables",
        };
        write!(f, "{what} has taken {} s", self.seconds)
    }
}

impl Default for Health {
    fn default() -> Self {
        Self::new(STUCK_AFTER)
    }
}

impl Health {
    pub fn new(stuck_after: Duration) -> Self {
        let conditions = Conditions::default();
        Self {
            origin: Instant::now(),
            stuck_after,
            parts: Default::default(),
            conditions,
            record: AtomicU64::new(0),
        }
    }

    /// `probe` tells whether the data are still where they were.
    pub(super) fn with_probe(self, probe: Probe) -> Self {
        Self { conditions: Conditions::new(probe), ..self }
    }

    /// Work that has taken longer than [`STUCK_AFTER`]. After the whole process was stopped for a while this may name
    /// work that goes on now: look again a moment later, and compare the numbers.
    pub fn troubles(&self) -> Vec<Trouble> {
        Part::ALL.into_iter().filter_map(|part| self.trouble(part)).collect()
    }

    /// Everything that anybody was told is in this record or in one before.
    pub fn record(&self) -> u64 {
        self.record.load(Ordering::Acquire)
    }

    pub(super) fn note_record(&self, record: u64) {
        self.record.store(record, Ordering::Release);
    }

    fn trouble(&self, part: Part) -> Option<Trouble> {
        let activity = &self.parts[part as usize];
        let number = activity.number.load(Ordering::Acquire);
        let since = activity.since.load(Ordering::Acquire).checked_sub(1)?;
        let busy = Duration::from_millis(self.millis().saturating_sub(since));
        (busy >= self.stuck_after).then_some(Trouble { part, number, seconds: busy.as_secs() })
    }

    pub(super) fn began(&self, part: Part) {
        let activity = &self.parts[part as usize];
        activity.number.fetch_add(1, Ordering::AcqRel);
        activity.since.store(self.millis() + 1, Ordering::Release);
    }

    pub(super) fn ended(&self, part: Part) {
        self.parts[part as usize].since.store(0, Ordering::Release);
    }

    fn millis(&self) -> u64 {
        self.origin.elapsed().as_millis() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_work_that_takes_too_long_is_trouble() {
        let health = Health::new(Duration::ZERO);
        assert_eq!(health.troubles(), [], "idle threads are healthy");
        health.began(Part::Journal);
        let [trouble] = health.troubles()[..] else { panic!("one append is under way") };
        assert_eq!((trouble.code(), trouble.needs_restart()), ("journal_slow", false));
        health.ended(Part::Journal);
        health.began(Part::Shard);
        let [first] = health.troubles()[..] else { panic!("one turn is under way") };
        assert!(first.needs_restart());
        health.ended(Part::Shard);
        health.began(Part::Shard);
        assert_ne!(health.troubles()[0].number, first.number, "the thread has made progress");
        assert_eq!(Health::default().troubles(), []);
    }
}
