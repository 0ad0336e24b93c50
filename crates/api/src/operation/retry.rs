//! Queue an ended task again, with a fresh budget of retries.

use mainspring_core::engine::Command;
use mainspring_core::values::TaskId;

use super::{Caller, Change, Changed, change};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn retry(
    edge: &Edge,
    id: TaskId,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<Changed, Problem> {
    let by = Change::by("a task was queued again", over, caller)?;
    let command = by.by_actor(Command::Revive { id, fact: None, over: by.actor(), dead_only: false });
    let changed = change(edge, (id, "retry"), command, caller).await?;
    by.done(id);
    Ok(changed)
}
