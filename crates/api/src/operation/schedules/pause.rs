//! Let the windows of a schedule pass for a while.

use mainspring_core::schedule::ScheduleKey;
use mainspring_core::schedule::decide::ScheduleCommand;

use super::{act, shown};
use crate::edge::Edge;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn pause_schedule(
    edge: &Edge,
    key: &ScheduleKey,
    paused: bool,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<(), Problem> {
    let by =
        Change::by(if paused { "a schedule was paused" } else { "a schedule was resumed" }, over, caller)?;
    let operation = if paused { "pause schedule" } else { "resume schedule" };
    let command = ScheduleCommand::Pause { key: key.clone(), paused, seen: caller.seen };
    act(edge, (operation, key), command, (Some(&by), caller)).await?;
    by.done(shown(key));
    Ok(())
}
