//! A waiting task will not run; a running one is stopped with force, and left alone without.

use mainspring_core::engine::Command;
use mainspring_core::values::{TaskId, Wall};

use super::{Caller, Change, Changed, change, read};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::OverrideBody;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cancelled {
    At(Wall),
    /// Its worker was asked to stop it.
    Stopping,
}

pub(crate) async fn cancel(
    edge: &Edge,
    id: TaskId,
    force: bool,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<Cancelled, Problem> {
    let by = Change::said("a task was cancelled", over, caller)?;
    let command = Command::Cancel { id, stop_running: force };
    let command = by.iter().fold(command, |command, by| by.by_actor(command));
    let changed = change(edge, (id, "cancel"), command, caller).await?;
    if let Some(by) = by {
        by.done(id);
    }
    match changed {
        // As the task has it: under a key this may be the answer to an earlier request.
        Changed::Now(_) => Ok(Cancelled::At(read(edge, id).await?.changed)),
        Changed::Stopping => Ok(Cancelled::Stopping),
    }
}
