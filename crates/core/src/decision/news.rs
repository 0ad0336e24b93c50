//! News: what has happened to tasks and runs, told to whoever listens. Lossy: for views and for other programs, never
//! for decisions; those are made from events.

use std::sync::Arc;

use crate::job::JobKey;
use crate::run::NodeStatus;
use crate::task::Status;
use crate::values::{Epoch, Name, RunId, RunStatus, TaskId, Wall};

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
        /// Attempts granted so far.
        attempts: u32,
        to: Status,
    },
    Run {
        id: RunId,
        job: Arc<JobKey>,
        change: RunChange,
    },
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
}
