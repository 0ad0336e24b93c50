//! A waiting task will not run; a running one is stopped with force, and left alone without.

use mainspring_core::engine::Command;
use mainspring_core::values::{TaskId, Wall};

use super::{Caller, Changed, change, read};
use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::Problem;

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
    caller: &Caller<'_>,
) -> Result<Cancelled, Problem> {
    let command = Command::Cancel { id, stop_running: force };
    match change(edge, (id, "cancel"), command, caller).await? {
        // Under a key this may be the answer to an earlier request.
        Changed::Now(_) if caller.is_keyed() => Ok(Cancelled::At(read(edge, id).await?.changed)),
        Changed::Now(_) => Ok(Cancelled::At(now())),
        Changed::Stopping => Ok(Cancelled::Stopping),
    }
}
