//! What is wrong around a node, as its threads have noticed it: by name, since when, and what to do about it.
//! Entry: [`Conditions::list`].
//! - CN-1 one condition for each source, taken back when the source is well again
//! - CN-2 a source that is well costs its thread one atomic load
//!
//! Not here: whether the threads themselves make progress; what an HTTP probe answers.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use mainspring_core::values::Millis;
use mainspring_store::{AppendError, CutError, Probe};

use crate::clock::{Doubt, HOLD_MAX};

/// Who notices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Journal,
    Tables,
    Reads,
    Clock,
}

const SOURCES: usize = 4;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    pub code: ConditionCode,
    /// What is wrong, and what to do.
    pub detail: String,
    /// `None`: found just now.
    pub since: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ConditionCode {
    DiskFull,
    JournalFailing,
    TablesFailing,
    DataDirectoryGone,
    ClockHeld,
    ClockBehind,
}

impl ConditionCode {
    pub const ALL: [Self; 6] = [
        Self::DiskFull,
        Self::JournalFailing,
        Self::TablesFailing,
        Self::DataDirectoryGone,
        Self::ClockHeld,
        Self::ClockBehind,
    ];

    /// Stable name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DiskFull => "disk_full",
            Self::JournalFailing => "journal_failing",
            Self::TablesFailing => "tables_failing",
            Self::DataDirectoryGone => "data_directory_gone",
            Self::ClockHeld => "clock_held",
            Self::ClockBehind => "clock_behind",
        }
    }
}

/// One for each node.
#[derive(Default)]
pub struct Conditions {
    noted: [AtomicBool; SOURCES],
    by_source: Mutex<[Option<Condition>; SOURCES]>,
    probe: OnceLock<Probe>,
    retention_day: AtomicU32,
}

impl fmt::Debug for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Conditions").field(&*self.lock()).finish()
    }
}

impl Conditions {
    pub(super) fn new(probe: Probe) -> Self {
        Self { probe: OnceLock::from(probe), ..Self::default() }
    }

    /// Everything that is wrong now. Looks for the data directory, which may take as long as the disk does.
    pub fn list(&self) -> Vec<Condition> {
        let gone = self.probe.get().and_then(|probe| probe().err()).map(|detail| Condition {
            code: ConditionCode::DataDirectoryGone,
            detail,
            since: None,
        });
        let noted = self.lock().clone();
        gone.into_iter().chain(noted.into_iter().flatten()).collect()
    }

    /// What day it is for retention; 0 while that is not known.
    pub fn retention_day(&self) -> u32 {
        self.retention_day.load(Ordering::Relaxed)
    }

    pub(super) fn set_retention_day(&self, day: u32) {
        self.retention_day.store(day, Ordering::Relaxed);
    }

    pub(super) fn well(&self, source: Source) {
        if self.noted[source as usize].load(Ordering::Relaxed) {
            self.lock()[source as usize] = None;
            self.noted[source as usize].store(false, Ordering::Relaxed);
        }
    }

    pub(super) fn append_failed(&self, error: &AppendError) {
        let (code, advice) = match error {
            AppendError::Full { .. } => (ConditionCode::DiskFull, FREE_SPACE),
            _ => (
                ConditionCode::JournalFailing,
                "check the disk; the same record is offered again until it is taken",
            ),
        };
        self.note(Source::Journal, code, format!("the journal cannot be written ({error}): {advice}"));
    }

    pub(super) fn cut_failed(&self, error: &CutError) {
        let (code, advice) = match error {
            CutError::Full => (ConditionCode::DiskFull, FREE_SPACE),
            _ => (
                ConditionCode::TablesFailing,
                "check the disk; it is tried again, and hopeless cases end the server",
            ),
        };
        self.note(Source::Tables, code, format!("the tables cannot be written ({error}): {advice}"));
    }

    pub(super) fn read_failed(&self, error: &dyn fmt::Display) {
        let detail = format!("the tables cannot be read ({error}): check the disk");
        self.note(Source::Reads, ConditionCode::TablesFailing, detail);
    }

    pub(super) fn clock(&self, doubt: Option<Doubt>) {
        match doubt {
            None => self.well(Source::Clock),
            Some(Doubt::Ahead { by, .. }) => {
                let minutes = HOLD_MAX.get() / 60_000;
                let detail = format!(
                    "the wall clock jumped {} ahead of the journaled time and is not believed yet: reads and submissions \
                     work, everything else goes on by the journaled time. Set the clock right, or restart with \
                     `--accept-clock` if it is right; it is believed when the kernel reports it as synchronised, or \
                     after {minutes} minutes without another step",
                    Span(by)
                );
                self.note(Source::Clock, ConditionCode::ClockHeld, detail);
            }
            Some(Doubt::Behind { by, .. }) => {
                let detail = format!(
                    "the wall clock is {} behind the journaled time, which goes on by itself: set the clock right, or \
                     restart with `--accept-clock` if it is right",
                    Span(by)
                );
                self.note(Source::Clock, ConditionCode::ClockBehind, detail);
            }
        }
    }

    fn note(&self, source: Source, code: ConditionCode, detail: String) {
        let mut conditions = self.lock();
        let before = conditions[source as usize].take().filter(|before| before.code == code);
        let since = before.and_then(|before| before.since).unwrap_or_else(Instant::now);
        conditions[source as usize] = Some(Condition { code, detail, since: Some(since) });
        self.noted[source as usize].store(true, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, [Option<Condition>; SOURCES]> {
        self.by_source.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const FREE_SPACE: &str = "free some space, and everything resumes by itself";

/// As people say it.
struct Span(Millis);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.0.get() / 60_000;
        match minutes {
            0..180 => write!(f, "{minutes} minutes"),
            180..2_880 => write!(f, "{} hours", minutes / 60),
            _ => write!(f, "{} days", minutes / 1_440),
        }
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::values::Wall;

    use super::*;

    fn codes(conditions: &Conditions) -> Vec<&'static str> {
        conditions.list().into_iter().map(|condition| condition.code.name()).collect()
    }

    #[test]
    fn a_condition_is_told_until_its_source_is_well() {
        let conditions = Conditions::new(Box::new(|| Ok(())));
        assert_eq!(codes(&conditions), [""; 0]);
        conditions.append_failed(&AppendError::Full { bytes: 7 });
        conditions.cut_failed(&CutError::Failed { what: "disk I/O error".into() });
        assert_eq!(codes(&conditions), ["disk_full", "tables_failing"]);
        let since = conditions.list()[0].since;
        conditions.append_failed(&AppendError::Full { bytes: 8 });
        assert_eq!(conditions.list()[0].since, since, "since it began");
        conditions.well(Source::Journal);
        conditions.clock(Some(Doubt::Ahead { by: Millis::from_secs(730 * 86_400), since: Wall::ZERO }));
        assert_eq!(codes(&conditions), ["tables_failing", "clock_held"]);
        assert!(conditions.list()[1].detail.contains("730 days"), "{conditions:?}");
        conditions.well(Source::Tables);
        conditions.clock(None);
        assert_eq!(codes(&conditions), [""; 0]);
        let gone = Conditions::new(Box::new(|| Err("the data directory is gone".into())));
        assert_eq!(codes(&gone), ["data_directory_gone"]);
    }
}
