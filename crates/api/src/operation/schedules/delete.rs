//! Let a schedule be no more. What became of its windows stays.

use mainspring_core::schedule::ScheduleKey;
use mainspring_core::schedule::decide::ScheduleCommand;

use super::{act, shown};
use crate::edge::Edge;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn delete_schedule(
    edge: &Edge,
    key: &ScheduleKey,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<(), Problem> {
    let by = Change::by("a schedule was deleted", over, caller)?;
    let command = ScheduleCommand::Delete { key: key.clone(), seen: caller.seen };
    act(edge, ("delete schedule", key), command, (Some(&by), caller)).await?;
    by.done(shown(key));
    Ok(())
}
