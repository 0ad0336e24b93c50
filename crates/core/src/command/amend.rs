//! Amend: change time, priority or payload of a task that has not started; priority as long as it waits.

use super::{Answer, Rejection, View};
use crate::event::Event;
use crate::id::TaskId;
use crate::priority::Priority;
use crate::task::{Payload, State, Status, Task};
use crate::time::Wall;
use crate::wait::WaitEnd;

pub(super) fn decide(
    view: &View<'_>,
    id: TaskId,
    (due, priority, payload): (Option<Wall>, Option<Priority>, Option<Payload>),
    out: &mut Vec<Event>,
) -> Result<Answer, Rejection> {
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
    let pending = matches!(task.state, State::Pending { .. });
    if due.is_some_and(|due| due > now) && !pending {
        // Already ready; taking it back would let a queue position be held for later.
        return Err(Rejection::TaskAlreadyStarted { id, status: task.status() });
    }
    let new_payload = payload.is_some();
    out.push(Event::TaskAmended { id, due: due.filter(|_| pending), priority, payload });
    if matches!(task.state, State::Waiting(_)) && new_payload {
        // What it waits for is read again.
        out.push(Event::TaskReleased { id });
    }
    if pending && due.is_some_and(|due| due <= now) {
        out.push(Event::TaskReleased { id });
    }
    Ok(Answer::Now { id, status: task.status() })
}

/// Release a waiting task now; one that only waits has waited enough.
pub(super) fn run_now(view: &View<'_>, id: TaskId, out: &mut Vec<Event>) -> Result<Answer, Rejection> {
    let task = view.task(id)?;
    check_waiting(task)?;
    if let State::Waiting(_) = task.state {
        out.push(Event::WaitEnded { id, end: WaitEnd::Met(None) });
        return Ok(Answer::Now { id, status: Status::Succeeded });
    }
    if !matches!(task.state, State::Queued) {
        out.push(Event::TaskReleased { id });
    }
    Ok(Answer::Now { id, status: Status::Queued })
}

fn check_waiting(task: &Task) -> Result<(), Rejection> {
    let (id, status) = (task.id, task.status());
    match &task.state {
        State::Pending { .. }
        | State::Queued
        | State::RetryWait { .. }
        | State::Deferred { .. }
        | State::Waiting(_) => Ok(()),
        State::Assigned(_) | State::Running(_) => Err(Rejection::TaskAlreadyRunning { id }),
        State::Succeeded
        | State::Failed
        | State::Cancelled
        | State::Skipped
        | State::UpstreamFailed
        | State::Quarantined => Err(Rejection::TaskAlreadyEnded { id, status }),
    }
}
