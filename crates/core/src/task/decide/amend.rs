//! Amend: change time, priority or payload of a task that has not started; priority as long as it waits.

use super::{TaskAnswer, not_awaiting_approval};
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::task::{Payload, Status, Task, TaskState};
use crate::values::{Priority, TaskId, Wall};
use crate::wait::WaitEnd;

pub(crate) fn decide(
    view: &View<'_>,
    id: TaskId,
    (due, priority, payload): (Option<Wall>, Option<Priority>, Option<Payload>),
    out: &mut Out<'_>,
) -> Result<TaskAnswer, Rejection> {
    let task = view.task(id)?;
    check_waiting(task)?;
    if task.attempts > 0 && (due.is_some() || payload.is_some()) {
        return Err(Rejection::TaskAlreadyStarted { id, status: task.status() });
    }
    if let Some(payload) = &payload
        && payload.len() > view.limits.payload_bytes_max
    {
        return Err(Rejection::PayloadTooLarge { bytes: payload.len(), max: view.limits.payload_bytes_max });
    }
    let now = view.state.now.wall;
    if due.is_some_and(|due| due.since(now) > view.limits.ahead_max) {
        return Err(Rejection::TooFarAhead { max: view.limits.ahead_max });
    }
    let pending = matches!(task.state, TaskState::Pending { .. });
    if due.is_some_and(|due| due > now) && !pending {
        // Already ready; taking it back would let a queue position be held for later.
        return Err(Rejection::TaskAlreadyStarted { id, status: task.status() });
    }
    let new_payload = payload.is_some();
    if new_payload {
        not_awaiting_approval(task)?;
    }
    out.push(Event::TaskAmended { id, due: due.filter(|_| pending), priority, payload });
    if matches!(task.state, TaskState::Waiting(_)) && new_payload {
        // What it waits for is read again.
        out.push(Event::TaskDue { id });
    }
    if pending && due.is_some_and(|due| due <= now) {
        out.push(Event::TaskDue { id });
    }
    Ok(TaskAnswer::Now { id, status: task.status() })
}

/// Release a waiting task now; one that only waits has waited enough.
pub(crate) fn run_now(view: &View<'_>, id: TaskId, out: &mut Out<'_>) -> Result<TaskAnswer, Rejection> {
    let task = view.task(id)?;
    check_waiting(task)?;
    not_awaiting_approval(task)?;
    if let TaskState::Waiting(_) = task.state {
        out.push(Event::WaitEnded { id, end: WaitEnd::Met(None) });
        return Ok(TaskAnswer::Now { id, status: Status::Succeeded });
    }
    if !matches!(task.state, TaskState::Queued) {
        out.push(Event::TaskDue { id });
    }
    Ok(TaskAnswer::Now { id, status: Status::Queued })
}

fn check_waiting(task: &Task) -> Result<(), Rejection> {
    let (id, status) = (task.id, task.status());
    match &task.state {
        TaskState::Pending { .. }
        | TaskState::Queued
        | TaskState::RetryWait { .. }
        | TaskState::Deferred { .. }
        | TaskState::Waiting(_) => Ok(()),
        TaskState::Leased(_) => Err(Rejection::TaskAlreadyRunning { id }),
        TaskState::Succeeded
        | TaskState::Failed
        | TaskState::Cancelled
        | TaskState::Skipped
        | TaskState::UpstreamFailed
        | TaskState::Quarantined => Err(Rejection::TaskAlreadyEnded { id, status }),
    }
}
