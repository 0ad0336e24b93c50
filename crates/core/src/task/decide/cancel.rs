//! Cancel: a task that waits will not run; one that runs is asked to stop, if the caller wants that.

use super::TaskAnswer;
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::task::{Status, StopReason, Task, TaskState};
use crate::values::TaskId;

pub(crate) fn decide(
    view: &View<'_>,
    id: TaskId,
    stop_running: bool,
    out: &mut Out<'_>,
) -> Result<TaskAnswer, Rejection> {
    let task = view.task(id)?;
    if let Some(event) = event_for(task, stop_running)? {
        let stopping = matches!(event, Event::StopRequested { .. });
        out.push(event);
        return Ok(if stopping {
            TaskAnswer::Stopping { id }
        } else {
            TaskAnswer::Now { id, status: Status::Cancelled }
        });
    }
    Ok(TaskAnswer::Stopping { id })
}

/// `None`: a stop was requested before; asking again changes nothing.
pub(crate) fn event_for(task: &Task, stop_running: bool) -> Result<Option<Event>, Rejection> {
    let id = task.id;
    match &task.state {
        TaskState::Pending { .. }
        | TaskState::Queued
        | TaskState::RetryWait { .. }
        | TaskState::Deferred { .. }
        | TaskState::Waiting(_) => Ok(Some(Event::TaskCancelled { id })),
        TaskState::Leased(lease) => match &lease.stop {
            Some(stop) if stop.reason == StopReason::Cancel || stop.reason.forced().is_some() => Ok(None),
            // A cancel outranks a timeout: the task must not be retried.
            Some(_) | None if stop_running => {
                Ok(Some(Event::StopRequested { id, fence: lease.fence, reason: StopReason::Cancel }))
            }
            Some(_) | None => Err(Rejection::TaskAlreadyRunning { id }),
        },
        TaskState::Succeeded
        | TaskState::Failed
        | TaskState::Cancelled
        | TaskState::Skipped
        | TaskState::UpstreamFailed
        | TaskState::Quarantined => Err(Rejection::TaskAlreadyEnded { id, status: task.status() }),
    }
}
