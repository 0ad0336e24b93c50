//! Who changed a task by hand, and why: kept with it, so that its life can be read back.

use super::Status;
use crate::values::{Actor, Wall};

/// Notes kept with a task: the first and the newest ones.
pub const NOTES_KEPT_MAX: usize = 20;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskNote {
    pub at: Wall,
    pub change: TaskChange,
    /// Of the task after the change.
    pub status: Status,
    pub over: Actor,
}

/// What somebody did to a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum TaskChange {
    Cancelled = 0,
    Amended = 1,
    RunNow = 2,
    Forced = 3,
    Requeued = 4,
    Discarded = 5,
}

impl TaskChange {
    pub const ALL: [Self; 6] =
        [Self::Cancelled, Self::Amended, Self::RunNow, Self::Forced, Self::Requeued, Self::Discarded];

    /// A word for programs.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Amended => "amended",
            Self::RunNow => "run_now",
            Self::Forced => "forced",
            Self::Requeued => "requeued",
            Self::Discarded => "discarded",
        }
    }
}
