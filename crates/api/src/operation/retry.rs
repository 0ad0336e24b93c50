//! Queue an ended task again, with a fresh budget of retries.

use mainspring_core::engine::Command;
use mainspring_core::values::TaskId;

use super::{Caller, Changed, change};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn retry(
    edge: &Edge,
    id: TaskId,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<Changed, Problem> {
    let over = over.checked()?;
    let command = Command::Revive { id, fact: None, over, dead_only: false };
    change(edge, (id, "retry"), command, caller).await
}
