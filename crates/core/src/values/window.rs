//! A window of a schedule, and what it began.

use super::id::{BackfillId, RunId, TaskId};
use super::name::Name;
use super::numbered_id::{ScheduleId, TriggerId};
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
    pub fired_as: FiredAs,
}

/// Who began something without being asked to. The event that creates a run says it, so that the table of who began it
/// can follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FiredBy {
    /// A window of a schedule.
    Schedule {
        /// The window after it. Unchanged if the window had waited.
        next: Option<Wall>,
    },
    Trigger(TriggerId),
    Backfill(BackfillId),
}

/// The window that submits a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FiredWindow {
    pub window: Window,
    /// The window after it. Unchanged if this one had waited.
    pub next: Option<Wall>,
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
