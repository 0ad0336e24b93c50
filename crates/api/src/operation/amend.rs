//! Time, payload and priority of a task that has not started.

use mainspring_core::engine::Command;
use mainspring_core::values::{Millis, TaskId};

use super::{Caller, Change, Changed, change, read};
use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::{CalendarProblem, Problem};
use crate::wire::{AmendBody, OverrideBody, check_payload};

pub(crate) async fn amend(
    edge: &Edge,
    id: TaskId,
    amend: AmendBody<'_>,
    caller: &Caller<'_>,
) -> Result<Changed, Problem> {
    let recurring = [("cron", amend.cron), ("every", amend.every), ("timezone", amend.timezone)];
    if let Some((field, _)) = recurring.into_iter().find(|(_, given)| given.is_some()) {
        return Err(CalendarProblem::TimingDoesNotFit { field, recurs: false }.into());
    }
    let over = OverrideBody { actor: amend.actor, reason: amend.reason };
    let by = Change::said("a task was changed", &over, caller)?;
    let due = match (amend.scheduled_at, amend.delay_ms) {
        (Some(_), Some(_)) => {
            return Err(Problem::field("delay_ms", "give it or `scheduled_at`, not both"));
        }
        (Some(at), None) => Some(at.0),
        (None, Some(delay)) => Some(now() + Millis::new(delay)),
        (None, None) => None,
    };
    if due.is_none() && amend.priority.is_none() && amend.payload.is_none() {
        return Err(Problem::field("body", "name `scheduled_at`, `delay_ms`, `priority` or `payload`"));
    }
    if let Some(payload) = amend.payload {
        let task = read(edge, id).await?;
        check_payload(&task.profile.executor, Some(payload), now())?;
    }
    let priority = amend.priority.map(|priority| priority.0);
    let payload = amend.payload.map(|payload| payload.get().as_bytes().into());
    let command = Command::Amend { id, due, priority, payload };
    let command = by.iter().fold(command, |command, by| by.by_actor(command));
    let changed = change(edge, (id, "amend"), command, caller).await?;
    if let Some(by) = by {
        by.done(id);
    }
    Ok(changed)
}
