//! What can happen to schedules and their windows.

use std::sync::Arc;

use super::spec::{ScheduleHome, ScheduleKey, Spec};
use super::window_row::Unfired;
use crate::values::{FiredAs, ScheduleId, Started, Wall};

#[derive(Clone, PartialEq, Debug)]
pub enum ScheduleEvent {
    /// New, or with other content; it is not deleted any more.
    Stored(Box<Stored>),
    Paused {
        id: ScheduleId,
        paused: bool,
    },
    Deleted {
        id: ScheduleId,
    },
    /// It was deleted long ago: its name is free, and it leaves memory and tables.
    Forgotten {
        id: ScheduleId,
    },
    /// Its next window was found without one before it being decided.
    Armed {
        id: ScheduleId,
        next: Option<Wall>,
    },
    /// Windows that began nothing.
    Passed(Box<Passed>),
    /// A window waits until what runs has ended.
    Held {
        id: ScheduleId,
        window: Wall,
        next: Option<Wall>,
        fired_as: FiredAs,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Stored {
    pub id: ScheduleId,
    pub key: Arc<ScheduleKey>,
    pub spec: Arc<Spec>,
    pub own: ScheduleHome,
    /// It stands in the job's file, and goes with it.
    pub of_job: bool,
    pub next: Option<Wall>,
}

/// A window began something: part of the event that creates it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WindowFired {
    pub id: ScheduleId,
    pub window: Wall,
    pub made: Started,
    pub fired_as: FiredAs,
    /// The window after it. Unchanged if `window` had waited.
    pub next: Option<Wall>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Passed {
    pub id: ScheduleId,
    pub first: Wall,
    pub last: Wall,
    pub count: u64,
    pub outcome: Unfired,
    pub next: Option<Wall>,
}

impl ScheduleEvent {
    pub fn id(&self) -> ScheduleId {
        match self {
            Self::Stored(stored) => stored.id,
            Self::Passed(passed) => passed.id,
            Self::Paused { id, .. }
            | Self::Deleted { id }
            | Self::Forgotten { id }
            | Self::Armed { id, .. }
            | Self::Held { id, .. } => *id,
        }
    }
}
