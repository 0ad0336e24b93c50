//! A task that waits for its time, a retry or something outside waits no longer.

use mainspring_core::command::Command;
use mainspring_core::id::TaskId;

use super::{Changed, change};
use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) async fn run_now(edge: &Edge, id: TaskId) -> Result<Changed, Problem> {
    change(edge, id, Command::RunNow { id }).await
}
