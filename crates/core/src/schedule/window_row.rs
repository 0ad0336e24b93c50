//! What became of windows: rows of the ledger.

use crate::values::{FiredAs, Group, ScheduleId, Started, Wall};

/// Of windows that began nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfired {
    /// As the schedule wants it.
    Skipped(Reason),
    /// Nobody wanted that.
    Missed(Reason),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Reason {
    /// Nothing watched the clock, and it is too late now.
    Late = 0,
    Paused = 1,
    /// Something of an earlier window runs.
    Overlap = 2,
    /// As many run as may.
    MaxActive = 3,
    /// As many wait as may.
    QueueFull = 4,
    /// A newer window waits in its place.
    Coalesced = 5,
    /// The clock was put forward over it.
    NoSuchTime = 6,
    /// The job does not take its parameters.
    Parameters = 7,
    /// It was deleted before its turn came.
    Deleted = 8,
    /// An event came for the trigger whose window it is.
    EventCame = 9,
}

/// A row of the ledger: what became of a window, or of several that passed together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WindowRow {
    pub schedule: ScheduleId,
    /// That of the schedule.
    pub group: Group,
    pub first: Wall,
    pub last: Wall,
    pub count: u64,
    pub what: Result<(Started, FiredAs), Unfired>,
    /// When it was decided.
    pub at: Wall,
}

impl Reason {
    pub const ALL: [Self; 10] = [
        Self::Late,
        Self::Paused,
        Self::Overlap,
        Self::MaxActive,
        Self::QueueFull,
        Self::Coalesced,
        Self::NoSuchTime,
        Self::Parameters,
        Self::Deleted,
        Self::EventCame,
    ];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Paused => "paused",
            Self::Overlap => "overlap",
            Self::MaxActive => "max_active",
            Self::QueueFull => "queue_full",
            Self::Coalesced => "coalesced",
            Self::NoSuchTime => "no_such_time",
            Self::Parameters => "parameters",
            Self::Deleted => "deleted",
            Self::EventCame => "event_came",
        }
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

impl Unfired {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Skipped(_) => "skipped",
            Self::Missed(_) => "missed",
        }
    }

    pub const fn reason(self) -> Reason {
        match self {
            Self::Skipped(reason) | Self::Missed(reason) => reason,
        }
    }
}
