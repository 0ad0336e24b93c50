//! An operator says how a task ended. Who and why is stored with it.

use mainspring_core::engine::Command;
use mainspring_core::task::Status;
use mainspring_core::values::TaskId;

use super::{Caller, Changed, change};
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
    let over = over.checked()?;
    change(edge, (id, "force-state"), Command::Force { id, status, over }, caller).await
}
