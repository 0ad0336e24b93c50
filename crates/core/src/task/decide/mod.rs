//! Decisions about tasks: one file per command or report, with what it carries.

pub(crate) mod amend;
pub(crate) mod cancel;
pub(crate) mod due;
pub(crate) mod force;
pub(crate) mod report;
pub(crate) mod submit;

pub use self::{
    report::{Report, ReportKind},
    submit::{StartTime, Submit},
};
use super::{Status, Task};
use crate::decision::Rejection;
use crate::run::RunRefusal;
use crate::values::{TaskId, Wall};

/// What a command on a task is answered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskAnswer {
    Submitted {
        id: TaskId,
        status: Status,
        /// As the task has it.
        at: Wall,
    },
    /// The same request came before under this key or id.
    AlreadySubmitted { id: TaskId },
    /// The task's state after the command.
    Now { id: TaskId, status: Status },
    /// A running task was asked to stop.
    Stopping { id: TaskId },
}

/// Nobody goes past those whose word a task waits for (WT-6).
fn not_awaiting_approval(task: &Task) -> Result<(), Rejection> {
    match task.in_run.as_deref().filter(|_| task.awaits_approval()) {
        Some(origin) => Err(RunRefusal::WaitsForApproval { id: task.id, run: origin.run }.into()),
        None => Ok(()),
    }
}
