//! A task that waits for its time, a retry or something outside waits no longer.

use mainspring_core::engine::Command;
use mainspring_core::values::TaskId;

use super::{Caller, Changed, change};
use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) async fn run_now(edge: &Edge, id: TaskId, caller: &Caller<'_>) -> Result<Changed, Problem> {
    change(edge, (id, "run-now"), Command::RunNow { id }, caller).await
}
