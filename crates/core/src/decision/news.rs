//! News: what has happened to tasks, runs, jobs, schedules and workers, told to whoever listens. Lossy: for views and for other programs, never
//! for decisions; those are made from events.

use std::sync::Arc;

use crate::job::JobKey;
use crate::operation::Operation;
use crate::run::{NodeStatus, RunEvent};
use crate::schedule::{ScheduleEvent, ScheduleKey};
use crate::task::Status;
use crate::values::{Epoch, Name, RunId, RunStatus, ScheduleId, TaskId, Wall, WorkerId};

#[derive(Clone, PartialEq, Debug)]
pub struct News {
    /// Whose news it is, and a count of them: together an id that never comes again.
    pub epoch: Epoch,
    pub number: u64,
    pub at: Wall,
    pub what: Happening,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Happening {
    Task {
        id: TaskId,
        tenant: Name,
        job: Name,
        run: Option<RunId>,
        /// Its name in the run.
        task: Option<Name>,
        /// Which item of a mapped task.
        item: Option<u32>,
        /// Attempts granted so far.
        attempts: u32,
        to: Status,
    },
    Run {
        id: RunId,
        job: Arc<JobKey>,
        change: RunChange,
    },
    Job {
        key: Arc<JobKey>,
        change: NamedChange,
    },
    Schedule {
        key: Arc<ScheduleKey>,
        change: NamedChange,
    },
    Worker {
        id: WorkerId,
        change: WorkerChange,
    },
    /// Bulk work that somebody asked for, as it is now.
    Operation {
        operation: Box<Operation>,
        change: OperationChange,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperationChange {
    Started,
    Advanced,
    Ended,
}

impl OperationChange {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Advanced => "advanced",
            Self::Ended => "ended",
        }
    }
}

/// What happened to a job or a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedChange {
    /// It is new, or has other content.
    Stored,
    Paused,
    Resumed,
    Deleted,
    /// Windows of a schedule that began nothing.
    Passed,
}

impl NamedChange {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Deleted => "deleted",
            Self::Passed => "passed",
        }
    }

    const fn paused(paused: bool) -> Self {
        if paused { Self::Paused } else { Self::Resumed }
    }

    /// Of a job; `None` for what is about runs.
    pub fn of_job(event: &RunEvent) -> Option<(&Arc<JobKey>, Self)> {
        Some(match event {
            RunEvent::JobApplied(applied) => (&applied.key, Self::Stored),
            RunEvent::JobPaused { key, paused } => (key, Self::paused(*paused)),
            RunEvent::JobDeleted { key } => (key, Self::Deleted),
            _ => return None,
        })
    }

    /// Of a schedule; `None` for what nobody sees.
    pub fn of_schedule(event: &ScheduleEvent) -> Option<(ScheduleId, Self)> {
        Some(match event {
            ScheduleEvent::Stored(stored) => (stored.id, Self::Stored),
            ScheduleEvent::Paused { id, paused } => (*id, Self::paused(*paused)),
            ScheduleEvent::Deleted { id } => (*id, Self::Deleted),
            ScheduleEvent::Passed(passed) => (passed.id, Self::Passed),
            ScheduleEvent::Forgotten { .. } | ScheduleEvent::Armed { .. } | ScheduleEvent::Held { .. } => {
                return None;
            }
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkerChange {
    /// It said hello.
    Joined,
    /// Its session ended, or it said that it stops.
    Left,
    /// An operator closed it to new work, or opened it again.
    Cordon,
}

impl WorkerChange {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Joined => "joined",
            Self::Left => "left",
            Self::Cordon => "cordon",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunChange {
    Created,
    Started,
    Paused,
    Resumed,
    Stopping,
    Cleared,
    /// A task of it ended without having been released: skipped, or given up.
    TaskEnded {
        name: Name,
        status: NodeStatus,
    },
    Ended(RunStatus),
    /// A task of it waits for the word of a person.
    ApprovalWanted {
        name: Name,
        item: Option<u32>,
    },
    ApprovalDecided {
        name: Name,
        item: Option<u32>,
        approved: bool,
    },
}
