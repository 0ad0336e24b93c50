//! Let the windows of a schedule pass for a while.

use mainspring_core::schedule::{ScheduleCommand, ScheduleKey};

use super::{ask, shown, slot_of};
use crate::edge::Edge;
use crate::operation::flows::Change;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn pause_schedule(
    edge: &Edge,
    key: &ScheduleKey,
    paused: bool,
    over: &OverrideBody,
) -> Result<(), Problem> {
    let by = Change::by(if paused { "a schedule was paused" } else { "a schedule was resumed" }, over)?;
    ask(edge, slot_of(key), ScheduleCommand::Pause { key: key.clone(), paused }).await?;
    by.done(shown(key));
    Ok(())
}
