//! An operator says how a task ended. Who and why is stored with it.

use mainspring_core::command::Command;
use mainspring_core::id::TaskId;
use mainspring_core::task::Status;

use super::{Changed, change};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn force_state(
    edge: &Edge,
    id: TaskId,
    status: Status,
    over: &OverrideBody,
) -> Result<Changed, Problem> {
    let over = over.checked()?;
    change(edge, id, Command::Force { id, status, over }).await
}
