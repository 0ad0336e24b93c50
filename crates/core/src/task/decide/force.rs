//! Operator overrides: force a task to an ended state, queue an ended one again, or put a dead letter away.

use super::{TaskAnswer, not_awaiting_approval};
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::run::RunRefusal;
use crate::task::{Lease, Status, Task};
use crate::values::{Actor, InRun, Millis, Pressure, TaskId};

pub(crate) fn decide(
    view: &View<'_>,
    id: TaskId,
    status: Status,
    over: Actor,
    out: &mut Out<'_>,
) -> Result<TaskAnswer, Rejection> {
    if !matches!(status, Status::Succeeded | Status::Failed | Status::Skipped) {
        return Err(Rejection::StateNotForcible { status });
    }
    let task = view.task(id)?;
    if task.status().is_ended() {
        return Err(Rejection::TaskAlreadyEnded { id, status: task.status() });
    }
    not_awaiting_approval(task)?;
    let Some(lease) = task.lease() else {
        out.push(Event::TaskForced { id, status, over, reported: true });
        return Ok(TaskAnswer::Now { id, status });
    };
    let asked = lease.stop.and_then(|stop| stop.reason.forced());
    if asked != Some(status) {
        out.push(Event::ForceRequested { id, fence: lease.fence, status, over });
    }
    Ok(TaskAnswer::Stopping { id })
}

/// The attempt has ended, however: what follows if an operator asked for an end of the task meanwhile. `reported`: see
/// [`Event::TaskForced`].
pub(crate) fn forced_end(task: &Task, lease: &Lease, reported: bool) -> Option<Event> {
    let status = lease.stop?.reason.forced()?;
    let over = task.extra.as_ref().and_then(|extra| extra.forced.clone())?;
    Some(Event::TaskForced { id: task.id, status, over, reported })
}

pub(crate) fn revive(
    view: &View<'_>,
    id: TaskId,
    fact: Option<Box<Task>>,
    (over, dead_only): (Actor, bool),
    out: &mut Out<'_>,
) -> Result<TaskAnswer, Rejection> {
    let ended = newest(view, id, fact)?;
    not_of_a_run(&ended)?;
    match ended.status() {
        Status::Failed | Status::Quarantined => {}
        status if dead_only => return Err(Rejection::NotADeadLetter { id, status, repaired: None }),
        Status::Cancelled | Status::Skipped => {}
        Status::Succeeded | Status::UpstreamFailed => {
            return Err(Rejection::TaskAlreadyEnded { id, status: ended.status() });
        }
        status => return Err(Rejection::TaskNotEnded { id, status }),
    }
    out.push(Event::TaskRevived { ended, over });
    Ok(TaskAnswer::Now { id, status: Status::Queued })
}

/// Journaled as a revival that is forced to its end in the same record, so that nothing is placed in between and the
/// task's row in history is written anew with all its attempts. The run of a task keeps what it made of the failure.
pub(crate) fn discard(
    view: &View<'_>,
    id: TaskId,
    fact: Option<Box<Task>>,
    over: Actor,
    out: &mut Out<'_>,
) -> Result<TaskAnswer, Rejection> {
    let ended = newest(view, id, fact)?;
    match ended.status() {
        Status::Failed | Status::Quarantined => {}
        // Discarded before.
        Status::Skipped => return Ok(TaskAnswer::Now { id, status: Status::Skipped }),
        status => return Err(Rejection::NotADeadLetter { id, status, repaired: None }),
    }
    out.push(Event::TaskRevived { ended, over: over.clone() });
    out.push(Event::TaskForced { id, status: Status::Skipped, over, reported: true });
    Ok(TaskAnswer::Now { id, status: Status::Skipped })
}

/// A run has drawn its conclusions from the end of its task.
fn not_of_a_run(task: &Task) -> Result<(), Rejection> {
    let refusal = |origin: &InRun| RunRefusal::TaskOfRun { id: task.id, run: origin.run }.into();
    task.in_run.as_deref().map_or(Ok(()), |origin| Err(refusal(origin)))
}

/// Memory wins over the fact: it may hold a later end, or a revival that came first.
fn newest(view: &View<'_>, id: TaskId, fact: Option<Box<Task>>) -> Result<Box<Task>, Rejection> {
    if view.pressure >= Pressure::ShedAll {
        return Err(Rejection::StoreBehind { retry_after: Millis::from_secs(1) });
    }
    match view.state.tasks().by_id(id) {
        Some(task) => Ok(Box::new(task.clone())),
        None => fact.ok_or(Rejection::TaskNotFound { id }),
    }
}
