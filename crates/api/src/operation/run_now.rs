//! A task that waits for its time, a retry or something outside waits no longer.

use mainspring_core::engine::Command;
use mainspring_core::values::TaskId;

use super::{Caller, Change, Changed, change};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn run_now(
    edge: &Edge,
    id: TaskId,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<Changed, Problem> {
    let by = Change::by("a task was started before its time", over, caller)?;
    let changed = change(edge, (id, "run-now"), by.by_actor(Command::RunNow { id }), caller).await?;
    by.done(id);
    Ok(changed)
}
