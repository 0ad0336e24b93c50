//! An operator says how a task ended. Who and why is stored with it.

use mainspring_core::engine::Command;
use mainspring_core::task::Status;
use mainspring_core::values::TaskId;

use super::{Caller, Change, Changed, change};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn force_state(
    edge: &Edge,
    id: TaskId,
    status: Status,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<Changed, Problem> {
    let by = Change::by("a task was forced to an end", over, caller)?;
    let command = by.by_actor(Command::Force { id, status, over: by.actor() });
    let changed = change(edge, (id, "force-state"), command, caller).await?;
    by.done(id);
    Ok(changed)
}
