//! What most tasks do not have.

use std::sync::Arc;

use super::note::NOTES_KEPT_MAX;
use super::{Status, TaskNote};
use crate::key::KeyClaim;
use crate::values::{Actor, AttemptDetails, Failure, Fence, Name, Permits, Wall, Window, WorkerId};

/// Attempt records kept with a task: the first and the newest ones; the count of the rest is kept too.
pub const ATTEMPTS_KEPT_MAX: usize = 50;

pub type Labels = Arc<[(Name, Name)]>;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Extra {
    pub labels: Option<Labels>,
    pub key: Option<KeyClaim>,
    /// Attempts that did not succeed, oldest first.
    pub attempts: Vec<AttemptRecord>,
    /// Attempts left out of `attempts` because there were too many.
    pub attempts_dropped: u32,
    /// How often this task took its worker down with it.
    pub worker_kills: u32,
    /// The newest state a running attempt stored; handed to the next attempt.
    pub checkpoint: Option<Arc<[u8]>>,
    pub output: Option<Arc<[u8]>>,
    /// Of a task that looks for something: when it gives up. Set when it may look for the first time.
    pub deadline: Option<Wall>,
    /// Memory to ask for instead of the profile's, after a `resource` failure.
    pub memory_bytes: Option<u64>,
    pub forced: Option<Actor>,
    /// Places that each attempt holds in named limits.
    pub permits: Option<Permits>,
    /// The window for which it exists.
    pub window: Option<Box<Window>>,
    /// Of the newest attempt, until its record takes them: those of a success stay here.
    pub details: Option<Box<AttemptDetails>>,
    /// Who changed it by hand, oldest first.
    pub notes: Vec<TaskNote>,
}

/// An attempt that did not succeed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttemptRecord {
    pub number: u32,
    pub fence: Fence,
    pub worker: WorkerId,
    pub assigned: Wall,
    pub ended: Wall,
    pub failure: Failure,
    /// The state in which it left the task.
    pub left: Status,
    /// Memory it had asked for, if not what the profile says.
    pub memory_bytes: Option<u64>,
    pub details: Option<Box<AttemptDetails>>,
}

impl Extra {
    /// Keeps the first note and the newest ones.
    pub fn note(&mut self, note: TaskNote) {
        if self.notes.len() >= NOTES_KEPT_MAX {
            self.notes.remove(1);
        }
        self.notes.push(note);
    }

    /// Keeps the first attempt and the newest ones.
    pub fn record_attempt(&mut self, attempt: AttemptRecord) {
        if self.attempts.len() >= ATTEMPTS_KEPT_MAX {
            self.attempts.remove(1);
            self.attempts_dropped += 1;
        }
        self.attempts.push(attempt);
    }
}
