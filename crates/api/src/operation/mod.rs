//! What the edges do, once for all of them: REST and gRPC turn their requests into the bodies of `wire`, call these, and
//! write the answers in their own form. One file a verb.
//! - OP-1 every rule beyond the form of a request is here or below, never in `rest` or `grpc`

mod amend;
mod batch;
mod cancel;
mod cursor;
mod diagnose;
mod force_state;
mod list;
mod retry;
mod run_now;
mod stats;
mod submit;
mod workers;

use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::TaskId;
use mainspring_core::task::{Status, Task};

pub(crate) use self::{
    amend::amend,
    batch::{check_length, submit_all},
    cancel::cancel,
    diagnose::diagnose,
    force_state::force_state,
    list::{Filter, FilterBody, list, only_dead},
    retry::retry,
    run_now::run_now,
    stats::stats,
    submit::{Accepted, prepare, prepare_in_batch, submit},
    workers::{cordon, worker, workers},
};
use crate::edge::Edge;
use crate::problem::Problem;

/// What is no id names no task.
pub(crate) fn task_id(text: &str) -> Result<TaskId, Problem> {
    text.parse().map_err(|_| Problem::NoSuchTask { id: text.chars().take(100).collect() })
}

/// A task with all it carries, from memory or from the tables.
pub(crate) async fn read(edge: &Edge, id: TaskId) -> Result<Box<Task>, Problem> {
    match edge.gateway.ask(id.slot(), Command::Read { id }).await? {
        Answer::Task(Some(task)) => Ok(task),
        _ => Err(Rejection::TaskNotFound { id }.into()),
    }
}

/// What became of a task by a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Changed {
    Now(Status),
    /// Its worker was asked to stop it.
    Stopping,
}

/// Sends a command that changes one task.
pub(crate) async fn change(edge: &Edge, id: TaskId, command: Command) -> Result<Changed, Problem> {
    match edge.gateway.ask(id.slot(), command).await? {
        Answer::Now { status, .. } => Ok(Changed::Now(status)),
        Answer::Stopping { .. } => Ok(Changed::Stopping),
        _ => Err(Rejection::Internal { what: "a change was answered with something else" }.into()),
    }
}
