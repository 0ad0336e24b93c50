//! Tasks that only wait begin to, and go on when what they wait for has come.

use std::sync::Arc;

use super::{Awaited, FoundRun, SAME_MAX, WaitEnd};
use crate::decision::{Out, View};
use crate::event::Event;
use crate::task::{Task, TaskState};
use crate::values::{CloudEvent, Failure, FailureClass, Name, RunId, RunStatus, TaskIndex, Wall};

/// The task is to begin waiting, or to have a deadline.
pub(crate) fn is_arriving(task: &Task) -> bool {
    task.profile.waits() && matches!(task.state, TaskState::Queued) || task.needs_deadline()
}

/// How an arriving task begins, unless it has begun or is gone. A run that it waits for may have ended already: then
/// the wait ends with its beginning.
pub(crate) fn begin(view: &View<'_>, index: TaskIndex, out: &mut Out<'_>) {
    let now = view.state.now.wall;
    let Some(task) = view.state.tasks.get(index).filter(|task| is_arriving(task)) else { return };
    let id = task.id;
    if task.profile.polls() {
        let deadline = view.evaluate.poll_deadline(&task.payload, now);
        return out.push(Event::PollBegan { id, deadline });
    }
    let wait = view.evaluate.wait(&task.payload, now).and_then(|wait| {
        if view.wait_index.is_full(task.waiter(), &wait) {
            return Err(format!("{SAME_MAX} tasks wait for this event: ask for a `subject`"));
        }
        if matches!(wait.what, Awaited::Approval(_)) && task.in_run.is_none() {
            return Err("only a task of a run can wait for approval: make it a task of a job".to_owned());
        }
        Ok(Box::new(wait))
    });
    match wait {
        Ok(wait) => {
            let end = match wait.what {
                Awaited::Run(run) => by_known_run(view, index, run),
                Awaited::Until(_) | Awaited::Event(_) | Awaited::Approval(_) => None,
            };
            out.push(Event::TaskWaits { id, wait });
            out.extend(end.map(|end| Event::WaitEnded { id, end }));
        }
        Err(why) => out.push(Event::WaitEnded { id, end: failed(&why) }),
    }
}

/// What has come ends the wait of this task; `None`: it is not what the task waits for.
pub(crate) fn end(view: &View<'_>, index: TaskIndex, end: Option<WaitEnd>, out: &mut Out<'_>) {
    let waits = |task: &&Task| matches!(task.state, TaskState::Waiting(_));
    let task = view.state.tasks.get(index).filter(waits);
    if let (Some(task), Some(end)) = (task, end) {
        out.push(Event::WaitEnded { id: task.id, end });
    }
}

/// The run that this task waits for.
pub(crate) fn awaited_run(view: &View<'_>, index: TaskIndex) -> Option<RunId> {
    match &view.state.tasks.get(index)?.state {
        TaskState::Waiting(wait) => match wait.what {
            Awaited::Run(run) => Some(run),
            Awaited::Until(_) | Awaited::Event(_) | Awaited::Approval(_) => None,
        },
        _ => None,
    }
}

/// What a run that memory holds means to a task that waits for it. `None`: it has not ended.
pub(crate) fn by_known_run(view: &View<'_>, index: TaskIndex, run: RunId) -> Option<WaitEnd> {
    let found = view.state.job_runs.run(run)?;
    if !is_of(view, index, &found.job.tenant) {
        return Some(no_run(run));
    }
    found.status.is_ended().then(|| by_run(run, found.status))
}

/// The same of a run that only the tables may hold. `None`: they could not be read.
pub(crate) fn by_found_run(
    view: &View<'_>,
    index: TaskIndex,
    run: RunId,
    found: FoundRun,
) -> Option<WaitEnd> {
    match found {
        FoundRun::Unread => None,
        FoundRun::Ended { tenant, status } if is_of(view, index, &tenant) => Some(by_run(run, status)),
        FoundRun::Ended { .. } | FoundRun::Nothing => Some(no_run(run)),
    }
}

/// What an event that came at `at` means to a task. `None`: it is not the one.
pub(crate) fn by_event(
    view: &View<'_>,
    index: TaskIndex,
    notice: &Arc<CloudEvent>,
    at: Wall,
) -> Option<WaitEnd> {
    let TaskState::Waiting(wait) = &view.state.tasks.get(index)?.state else { return None };
    let Awaited::Event(mask) = &wait.what else { return None };
    // One that was over when the event came is the timer's.
    if wait.deadline <= at || wait.since > at || !mask.matches(notice) {
        return None;
    }
    let accepted = mask.condition.as_ref().map_or(Ok(true), |condition| {
        view.evaluate.accepts(condition, notice).map_err(|why| format!("its condition: {why}"))
    });
    match accepted {
        Ok(true) => Some(WaitEnd::Met(Some(view.evaluate.written(notice, view.limits.output_bytes_max)))),
        Ok(false) => None,
        Err(why) => Some(failed(&why)),
    }
}

/// WT-3: whether the task is of this tenant.
fn is_of(view: &View<'_>, index: TaskIndex, tenant: &Name) -> bool {
    view.state.tasks.get(index).is_some_and(|task| task.profile.tenant == *tenant)
}

/// What the end of a run means to those that wait for it.
fn by_run(run: RunId, status: RunStatus) -> WaitEnd {
    if status == RunStatus::Succeeded {
        return WaitEnd::Met(Some(
            format!(r#"{{"run_id":"{run}","status":"succeeded"}}"#).into_bytes().into(),
        ));
    }
    failed(&format!("run `{run}` ended as {}", status.label()))
}

/// Also for runs of other tenants: nobody learns whether they exist.
fn no_run(run: RunId) -> WaitEnd {
    failed(&format!("there is no run `{run}`"))
}

pub(crate) fn failed(why: &str) -> WaitEnd {
    WaitEnd::Failed(Box::new(Failure::new(FailureClass::Permanent, 0, why)))
}
