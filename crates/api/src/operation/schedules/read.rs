//! One schedule.

use mainspring_core::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use mainspring_core::schedule::{Schedule, ScheduleKey};

use super::{ask, not_found, unexpected};
use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) async fn schedule(edge: &Edge, key: ScheduleKey) -> Result<Box<Schedule>, Problem> {
    let found = even_deleted(edge, key.clone()).await?;
    if found.rare.deleted.is_some() { Err(not_found(key)) } else { Ok(found) }
}

/// What became of its windows outlives a schedule.
pub(super) async fn even_deleted(edge: &Edge, key: ScheduleKey) -> Result<Box<Schedule>, Problem> {
    match ask(edge, edge.gateway.tenant(&key.tenant), ScheduleCommand::Read { key: key.clone() }).await? {
        ScheduleAnswer::Schedule(Some(schedule)) => Ok(schedule),
        ScheduleAnswer::Schedule(None) => Err(not_found(key)),
        _ => Err(unexpected()),
    }
}
