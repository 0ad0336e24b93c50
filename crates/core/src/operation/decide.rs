//! Beginning and ending operations that callers ask for. How they go on is the engine's (`engine::bulk`).

use std::sync::Arc;

use super::{Bulk, OperationKind};
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::values::{Actor, OperationId};

pub(crate) fn start(view: &View<'_>, bulk: Bulk, out: &mut Out<'_>) -> Result<OperationId, Rejection> {
    let max = view.limits.operations_max;
    if view.state.operations.bulk_len() >= max {
        return Err(Rejection::TooManyOperations { max });
    }
    let id = view.state.operations.next_id();
    let bulk = Bulk { before: view.state.now.wall, ..bulk };
    out.push(Event::OperationStarted { id, work: OperationKind::Bulk(Arc::new(bulk)) });
    Ok(id)
}

/// What it has not come to stays as it is.
pub(crate) fn cancel(
    view: &View<'_>,
    id: OperationId,
    over: Actor,
    out: &mut Out<'_>,
) -> Result<(), Rejection> {
    if view.state.operations.bulk(id).is_none() {
        return Err(Rejection::OperationNotRunning { id });
    }
    out.push(Event::OperationEnded { id, cancelled: Some(Box::new(over)) });
    Ok(())
}
