//! A waiting task will not run; a running one is stopped with force, and left alone without.

use mainspring_core::command::Command;
use mainspring_core::id::TaskId;

use super::{Changed, change};
use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) async fn cancel(edge: &Edge, id: TaskId, force: bool) -> Result<Changed, Problem> {
    change(edge, id, Command::Cancel { id, stop_running: force }).await
}
