//! What is due of a task whose timer has fired.

use super::force::forced_end;
use super::report::stop_class;
use crate::decision::{Alert, Effect, Out, View};
use crate::event::Event;
use crate::task::{Deadline, Delivery, Lease, StopReason, Task, TaskState, next_deadline};
use crate::values::{Failure, FailureClass, Millis, Now, TaskIndex, Wall};
use crate::wait::WaitEnd;

pub(crate) enum TaskDue {
    Nothing,
    Decided,
    /// It runs longer than somebody wants to know of, who was told.
    SoftTimeout,
    /// Nobody knows whether the worker has it.
    Lost,
}

pub(crate) fn decide(view: &View<'_>, index: TaskIndex, out: &mut Out<'_>) -> TaskDue {
    let now = view.state.now;
    let Some(task) = view.state.tasks.get(index) else { return TaskDue::Nothing };
    let reached = match next_deadline(task) {
        Some(Deadline::Wall(at)) => at <= now.wall,
        Some(Deadline::Elapsed(at)) => at <= now.elapsed,
        None => false,
    };
    if !reached {
        return TaskDue::Nothing;
    }
    match &task.state {
        TaskState::Pending { .. } | TaskState::RetryWait { .. } | TaskState::Deferred { .. } => {
            decided(Event::TaskDue { id: task.id }, out)
        }
        TaskState::Waiting(wait) => {
            let end = wait.over(now.wall, || view.evaluate.approved(None, now.wall));
            decided(Event::WaitEnded { id: task.id, end }, out)
        }
        TaskState::Leased(lease) => lease_due(task, lease, now, out),
        TaskState::Queued => decided(Event::WaitEnded { id: task.id, end: not_found(task) }, out),
        TaskState::Succeeded
        | TaskState::Failed
        | TaskState::Cancelled
        | TaskState::Skipped
        | TaskState::UpstreamFailed
        | TaskState::Quarantined => TaskDue::Nothing,
    }
}

/// The instant a task waited for, by the wall clock.
pub(crate) fn waited_for(task: &Task, now: Now) -> Option<Wall> {
    match task.state {
        TaskState::Pending { due } => Some(due),
        TaskState::RetryWait { due, .. } | TaskState::Deferred { due } => {
            Some(now.wall - now.elapsed.since(due))
        }
        _ => None,
    }
}

fn decided(event: Event, out: &mut Out<'_>) -> TaskDue {
    out.push(event);
    TaskDue::Decided
}

fn lease_due(task: &Task, lease: &Lease, now: Now, out: &mut Out<'_>) -> TaskDue {
    let (id, fence, limits) = (task.id, lease.fence, &task.profile.limits);
    if let Some(pending) = lease.soft.pending_checkpoint.as_ref().filter(|pending| pending.due <= now.elapsed)
    {
        let bytes = pending.bytes.clone();
        return decided(Event::CheckpointSaved { id, fence, bytes }, out);
    }
    if let Some(event) = forced_end(task, lease, false) {
        return decided(event, out);
    }
    if lease.stop.is_some() {
        let failure = Failure::new(FailureClass::Timeout, 0, "the worker did not say that it stopped");
        let failure = stop_class(lease, &failure);
        let then = out.retry.after_failure(task, lease, &failure, false, now);
        return decided(Event::AttemptFailed { id, fence, failure, then, reported: false }, out);
    }
    let Some(accepted) = lease.soft.accepted else {
        return match task.profile.delivery {
            Delivery::AtLeastOnce => decided(Event::TaskUnassigned { id, fence, reported: false }, out),
            // It may have begun without our hearing of it, so it must not be given out again.
            Delivery::AtMostOnce => TaskDue::Lost,
        };
    };
    let past = |span: Option<Millis>, from| span.is_some_and(|span| from + span <= now.elapsed);
    if past(limits.hard.map(|hard| hard.saturating_add(lease.extended)), accepted) {
        return decided(Event::StopRequested { id, fence, reason: StopReason::HardTimeout }, out);
    }
    if past(limits.progress, lease.soft.progressed) {
        return decided(Event::StopRequested { id, fence, reason: StopReason::NoProgress }, out);
    }
    if lease.soft.soft_told || !past(limits.soft, accepted) {
        return TaskDue::Nothing;
    }
    out.effect(Effect::Alert { task: id, alert: Alert::SoftTimeout });
    TaskDue::SoftTimeout
}

/// What a task becomes that looked for something, or had nobody to look for it, until its deadline.
fn not_found(task: &Task) -> WaitEnd {
    let pool = &task.profile.requirements.pool;
    let message = if task.attempts == 0 {
        format!("it was not there in time: no worker of pool `{pool}` ever looked")
    } else {
        format!("it was not there in time: no worker of pool `{pool}` could look again")
    };
    WaitEnd::Failed(Box::new(Failure::new(FailureClass::Timeout, 0, &message)))
}
