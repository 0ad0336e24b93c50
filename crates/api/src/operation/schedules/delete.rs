//! Let a schedule be no more. What became of its windows stays.

use mainspring_core::schedule::{ScheduleCommand, ScheduleKey};

use super::{ask, shown, slot_of};
use crate::edge::Edge;
use crate::operation::flows::Change;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn delete_schedule(
    edge: &Edge,
    key: &ScheduleKey,
    over: &OverrideBody,
) -> Result<(), Problem> {
    let by = Change::by("a schedule was deleted", over)?;
    ask(edge, slot_of(key), ScheduleCommand::Delete { key: key.clone() }).await?;
    by.done(shown(key));
    Ok(())
}
