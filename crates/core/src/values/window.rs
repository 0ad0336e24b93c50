//! A window of a schedule, and what it began.

use super::id::{RunId, TaskId};
use super::name::Name;
use super::numbered_id::ScheduleId;
use super::time::Wall;

/// What a window began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Started {
    Run(RunId),
    Task(TaskId),
}

/// Of a window that began something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FiredAs {
    OnTime = 0,
    Late = 1,
    /// It had been missed, and is made up for.
    CatchUp = 2,
    /// A backfill ran it.
    Backfill = 3,
    /// No event came for a trigger until then.
    NoEvent = 4,
}

/// The window for which a run or a task exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    pub schedule: ScheduleId,
    pub name: Name,
    /// The logical instant.
    pub at: Wall,
    /// That of the window before it.
    pub from: Wall,
    pub punctual: FiredAs,
}

impl Started {
    pub const fn bits(self) -> u128 {
        match self {
            Self::Run(id) => id.bits(),
            Self::Task(id) => id.bits(),
        }
    }
}

impl FiredAs {
    pub const ALL: [Self; 5] = [Self::OnTime, Self::Late, Self::CatchUp, Self::Backfill, Self::NoEvent];

    pub const fn label(self) -> &'static str {
        match self {
            Self::OnTime => "ran",
            Self::Late => "late",
            Self::CatchUp => "catch_up",
            Self::Backfill => "backfill",
            Self::NoEvent => "no_event",
        }
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}
