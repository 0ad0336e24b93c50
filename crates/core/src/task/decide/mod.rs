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
use super::Status;
use crate::values::TaskId;

/// What a command on a task is answered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskAnswer {
    Submitted {
        id: TaskId,
        status: Status,
    },
    /// The same request came before under this key or id.
    AlreadySubmitted {
        id: TaskId,
    },
    /// The task's state after the command.
    Now {
        id: TaskId,
        status: Status,
    },
    /// A running task was asked to stop.
    Stopping {
        id: TaskId,
    },
}
