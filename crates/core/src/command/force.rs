//! Operator overrides: force a task to an ended state, or queue an ended one again.

use super::{Answer, Rejection, View};
use crate::event::Event;
use crate::id::TaskId;
use crate::limits::Pressure;
use crate::task::{Override, Status, Task};
use crate::time::Millis;

pub(super) fn decide(
    view: &View<'_>,
    id: TaskId,
    status: Status,
    over: Override,
    out: &mut Vec<Event>,
) -> Result<Answer, Rejection> {
    if !matches!(status, Status::Succeeded | Status::Failed | Status::Skipped) {
        return Err(Rejection::StateNotForcible { status });
    }
    let task = view.task(id)?;
    if task.status().is_ended() {
        return Err(Rejection::TaskAlreadyEnded { id, status: task.status() });
    }
    out.push(Event::TaskForced { id, status, over });
    Ok(Answer::Now { id, status })
}

/// Memory wins over the fact: it may hold a later end, or a revival that came first.
pub(super) fn revive(
    view: &View<'_>,
    id: TaskId,
    fact: Option<Box<Task>>,
    over: Override,
    out: &mut Vec<Event>,
) -> Result<Answer, Rejection> {
    if view.pressure >= Pressure::ShedAll {
        return Err(Rejection::StoreBehind { retry_after: Millis::from_secs(1) });
    }
    let ended = match view.state.tasks().by_id(id) {
        Some(task) => Box::new(task.clone()),
        None => fact.ok_or(Rejection::TaskNotFound { id })?,
    };
    match ended.status() {
        Status::Failed | Status::Cancelled | Status::Skipped | Status::Quarantined => {}
        Status::Succeeded | Status::UpstreamFailed => {
            return Err(Rejection::TaskAlreadyEnded { id, status: ended.status() });
        }
        status => return Err(Rejection::TaskNotEnded { id, status }),
    }
    out.push(Event::TaskRevived { ended, over });
    Ok(Answer::Now { id, status: Status::Queued })
}
