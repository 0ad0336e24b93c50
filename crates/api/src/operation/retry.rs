//! Queue an ended task again, with a fresh budget of retries.

use mainspring_core::command::Command;
use mainspring_core::id::TaskId;

use super::{Changed, change};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn retry(edge: &Edge, id: TaskId, over: &OverrideBody) -> Result<Changed, Problem> {
    let over = over.checked()?;
    change(edge, id, Command::Revive { id, fact: None, over }).await
}
