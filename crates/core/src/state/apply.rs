//! Folding an event into the state. Nothing here can refuse; what is missing means that the journal and
//! the tables contradict each other, and the shard must stop (the runtime names the record).

use std::sync::Arc;

use super::amend::amend;
use super::{State, links};
use crate::collections::Soft;
use crate::event::{AfterFailure, Event, Submitted, fired};
use crate::task::{AttemptRecord, Lease, LeaseSoft, Status, Task, TaskState, Transition, arrow_exists};
use crate::values::{
    Actor, Epoch, Failure, Fence, Incarnation, Millis, Now, Seq, Started, TaskId, TaskIndex, Wall, WorkerId,
};
use crate::wait::{Wait, WaitEnd};
use crate::work::WorkList;
use crate::{schedule, trigger, worker};

/// What an event did, so that queues and timers can follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub index: TaskIndex,
    /// `None`: the task was not in memory.
    pub from: Option<Status>,
    pub to: Status,
    /// When it had last changed before.
    pub since: Wall,
    /// The lease that the event took away.
    pub ended: Option<Box<Lease>>,
}

/// For who looks at nothing: a replay, a second copy of the state.
pub fn fold(state: &mut State, event: &Event) -> Option<Change> {
    apply(state, event, &mut WorkList::ignored())
}

/// What must be looked at because of the event joins `work`.
pub(crate) fn apply(state: &mut State, event: &Event, work: &mut WorkList) -> Option<Change> {
    match event {
        Event::Run(event) => links::apply_run(state, event, work),
        Event::Schedule(event) => links::apply_schedule(state, event, work),
        Event::Backfill(event) => links::apply_backfill(state, event, work),
        Event::Trigger(event) => {
            let at = state.stamp();
            trigger::apply::apply(&mut state.triggers, at, event);
        }
        Event::Cordon(event) => {
            let at = state.stamp();
            worker::cordon::apply(&mut state.cordons, at, event);
        }
        _ => {}
    }
    let change = apply_to_task(state, event, work)?;
    if change.to.is_ended() && change.from.is_some_and(|from| !from.is_ended()) {
        links::task_ended(state, change.index, work);
    }
    Some(change)
}

fn apply_to_task(state: &mut State, event: &Event, work: &mut WorkList) -> Option<Change> {
    match event {
        Event::TaskSpawned { run, place, due, payload, permits } => {
            let given = (payload.as_ref(), permits.as_ref());
            Some(links::spawn(state, (*run, *place), *due, given, work))
        }
        Event::EpochStarted { epoch } => {
            start_epoch(state, *epoch);
            None
        }
        Event::TaskSubmitted(submitted) => Some(submit(state, submitted, work)),
        Event::TaskDue { id } => {
            Some(change(state, *id, Transition::Due, |task, _| task.state = TaskState::Queued))
        }
        Event::TaskAssigned { id, fence, worker, incarnation } => {
            Some(assign(state, *id, *fence, *worker, *incarnation))
        }
        Event::TaskUnassigned { id, fence, .. } => {
            Some(leased(state, *id, *fence, Transition::Unassigned, |task, _, _| {
                task.attempts -= 1;
                task.state = TaskState::Queued;
            }))
        }
        Event::TaskSucceeded { id, fence, output } => {
            Some(leased(state, *id, *fence, Transition::Succeeded, |task, _, _| {
                succeed(task, output.as_ref());
            }))
        }
        Event::AttemptFailed { id, fence, failure, then, .. } => {
            Some(leased(state, *id, *fence, Transition::AttemptFailed, |task, lease, now| {
                end_attempt(task, lease, failure, *then, now.wall);
            }))
        }
        Event::TaskDeferred { id, fence, due } => {
            Some(leased(state, *id, *fence, Transition::Deferred, |task, _, _| {
                task.state = TaskState::Deferred { due: *due };
            }))
        }
        Event::TaskWaits { id, wait } => Some(begin_wait(state, *id, wait)),
        Event::WaitEnded { id, end } => Some(end_wait(state, *id, end)),
        Event::TaskCancelled { id } => Some(change(state, *id, Transition::Cancelled, |task, _| {
            task.cancel_requested = true;
            task.state = TaskState::Cancelled;
        })),
        Event::TaskForced { id, status, over, .. } => Some(force(state, *id, *status, over)),
        Event::TaskRevived { ended, over } => Some(revive(state, ended, over)),
        Event::StopRequested { .. }
        | Event::ForceRequested { .. }
        | Event::TaskNoted { .. }
        | Event::PollBegan { .. }
        | Event::TaskAmended { .. }
        | Event::CheckpointSaved { .. }
        | Event::DetailsReported { .. }
        | Event::DeadlineExtended { .. } => Some(amend(state, event)),
        Event::KeyBound { claim, entity } => {
            state.keys.bind(*claim, *entity, state.seq);
            None
        }
        Event::OperationStarted { .. } | Event::OperationAdvanced { .. } | Event::OperationEnded { .. } => {
            apply_operation(state, event);
            None
        }
        Event::Run(_) | Event::Schedule(_) | Event::Backfill(_) | Event::Trigger(_) | Event::Cordon(_) => {
            None
        }
    }
}

fn start_epoch(state: &mut State, epoch: Epoch) {
    state.epoch = epoch;
    state.fences = 0;
    let at = state.stamp();
    state.operations.restart(at);
}

fn assign(state: &mut State, id: TaskId, fence: Fence, worker: WorkerId, incarnation: Incarnation) -> Change {
    state.fences = fence.counter();
    change(state, id, Transition::Assigned, |task, now| {
        task.fence = fence;
        task.worker = worker;
        task.started = now.wall;
        task.attempts += 1;
        if let Some(extra) = task.extra.as_mut() {
            extra.details = None;
        }
        task.state = TaskState::Leased(Box::new(Lease {
            fence,
            worker,
            incarnation,
            assigned: now.elapsed,
            extended: Millis::ZERO,
            stop: None,
            soft: Soft(LeaseSoft::at(now.elapsed)),
        }));
    })
}

fn submit(state: &mut State, submitted: &Submitted, work: &mut WorkList) -> Change {
    let at = state.stamp();
    let Submitted { id, task: spec, due, key, window } = submitted;
    let mut task = Task::new(*id, spec.clone(), *due, at);
    if key.is_some() || window.is_some() {
        let extra = task.extra_mut();
        extra.key = *key;
        extra.window = window.as_ref().map(|fired| Box::new(fired.window.clone()));
    }
    if let Some(fired) = fired::window_of_task(submitted) {
        schedule::apply::fire(&mut state.schedules, at, fired, work);
        schedule::apply::began(&mut state.schedules, fired.id, fired.made);
    }
    if let Some(claim) = key {
        state.keys.bind(*claim, *id, at.seq);
    }
    let to = task.status();
    debug_assert!(arrow_exists(None, Transition::Submitted, to));
    Change { index: state.insert(task), from: None, to, since: at.now.wall, ended: None }
}

/// Changes a task's state along an arrow.
fn change(state: &mut State, id: TaskId, cause: Transition, act: impl FnOnce(&mut Task, Now)) -> Change {
    let now = state.now;
    let index = state.tasks.find(id).expect("EV-1: the task of an event is in memory");
    let task = state.tasks.get_mut(index).expect("EV-1: a found slot is taken");
    let from = task.status();
    act(task, now);
    task.version += 1;
    let since = std::mem::replace(&mut task.changed, now.wall);
    let to = task.status();
    debug_assert!(arrow_exists(Some(from), cause, to), "{from:?} -{cause:?}-> {to:?} is no arrow");
    state.touch(index, from, to);
    Change { index, from: Some(from), to, since, ended: None }
}

/// Like [`change`], for events that end the live attempt: takes its lease away first.
fn leased(
    state: &mut State,
    id: TaskId,
    fence: Fence,
    cause: Transition,
    act: impl FnOnce(&mut Task, &Lease, Now),
) -> Change {
    let mut ended = None;
    let change =
        change(state, id, cause, |task, now| match std::mem::replace(&mut task.state, TaskState::Queued) {
            TaskState::Leased(lease) => {
                debug_assert_eq!(lease.fence, fence, "LS-2: only the newest fence ends an attempt");
                act(task, &lease, now);
                ended = Some(lease);
            }
            other => unreachable!("EV-1: {} of {id} ends an attempt", other.status().label()),
        });
    Change { ended, ..change }
}

fn force(state: &mut State, id: TaskId, status: Status, over: &Actor) -> Change {
    let mut ended = None;
    let change = change(state, id, Transition::Forced, |task, _| {
        task.extra_mut().forced = Some(over.clone());
        if let TaskState::Leased(lease) = std::mem::replace(&mut task.state, forced_state(status)) {
            ended = Some(lease);
        }
    });
    Change { ended, ..change }
}

fn succeed(task: &mut Task, output: Option<&Arc<[u8]>>) {
    if let Some(extra) = task.extra.as_mut() {
        extra.checkpoint = None;
    }
    if output.is_some() {
        task.extra_mut().output = output.cloned();
    }
    task.state = TaskState::Succeeded;
}

fn end_attempt(task: &mut Task, lease: &Lease, failure: &Failure, then: AfterFailure, now: Wall) {
    let (number, assigned) = (task.attempts, task.started);
    let extra = task.extra_mut();
    extra.worker_kills += u32::from(crate::task::blames_the_task(failure));
    let (memory_bytes, details) = (extra.memory_bytes, extra.details.take());
    extra.record_attempt(AttemptRecord {
        number,
        fence: lease.fence,
        worker: lease.worker,
        assigned,
        ended: now,
        failure: failure.clone(),
        left: then.leaves(),
        memory_bytes,
        details,
    });
    task.state = match then {
        AfterFailure::Retry { due, spend, memory_bytes, delayed_by } => {
            if memory_bytes.is_some() {
                extra.memory_bytes = memory_bytes;
            }
            task.retries_spent += u32::from(spend);
            TaskState::RetryWait { due, delayed_by }
        }
        AfterFailure::Requeue => TaskState::Queued,
        AfterFailure::Fail => TaskState::Failed,
        AfterFailure::Quarantine => TaskState::Quarantined,
        AfterFailure::Cancel => TaskState::Cancelled,
    };
}

fn begin_wait(state: &mut State, id: TaskId, wait: &Wait) -> Change {
    change(state, id, Transition::Waits, |task, _| task.state = TaskState::Waiting(Box::new(wait.clone())))
}

fn end_wait(state: &mut State, id: TaskId, end: &WaitEnd) -> Change {
    change(state, id, Transition::WaitEnded, |task, now| {
        task.state = match end {
            WaitEnd::Met(output) => {
                if output.is_some() {
                    task.extra_mut().output.clone_from(output);
                }
                TaskState::Succeeded
            }
            WaitEnd::Skipped => TaskState::Skipped,
            WaitEnd::Failed(failure) => {
                let (number, assigned) = (task.attempts, task.changed);
                let (fence, worker, failure) = (task.fence, task.worker, (**failure).clone());
                let (ended, memory_bytes, details) = (now.wall, None, None);
                let attempt = AttemptRecord {
                    number,
                    fence,
                    worker,
                    assigned,
                    ended,
                    failure,
                    left: Status::Failed,
                    memory_bytes,
                    details,
                };
                task.extra_mut().record_attempt(attempt);
                TaskState::Failed
            }
        };
    })
}

fn forced_state(status: Status) -> TaskState {
    match status {
        Status::Succeeded => TaskState::Succeeded,
        Status::Skipped => TaskState::Skipped,
        Status::Failed
        | Status::Pending
        | Status::Queued
        | Status::Assigned
        | Status::Running
        | Status::RetryWait
        | Status::Deferred
        | Status::Cancelled
        | Status::UpstreamFailed
        | Status::Quarantined => TaskState::Failed,
    }
}

/// The task begins anew with its history; a row it had among the ended ones must go.
fn revive(state: &mut State, ended: &Task, over: &Actor) -> Change {
    if state.tasks.find(ended.id).is_none() {
        let index = state.load(ended.clone());
        let task = state.tasks.get_mut(index).expect("EV-1: just loaded");
        // Older than any cut, so that the change below makes it dirty.
        task.touched = Seq::ZERO;
        task.stored = Soft(false);
    }
    state.note_revived(ended.id);
    if let Some(window) = ended.extra.as_ref().and_then(|extra| extra.window.as_ref()) {
        schedule::apply::began(&mut state.schedules, window.schedule, Started::Task(ended.id));
    }
    change(state, ended.id, Transition::Revived, |task, _| {
        task.retries_spent = 0;
        task.cancel_requested = false;
        let extra = task.extra_mut();
        (extra.worker_kills, extra.deadline) = (0, None);
        extra.forced = Some(over.clone());
        task.state = TaskState::Queued;
    })
}

fn apply_operation(state: &mut State, event: &Event) {
    let at = state.stamp();
    match event {
        Event::OperationStarted { id, work } => state.operations.start(*id, work, at),
        Event::OperationAdvanced { id, cursor, counts, refusal } => {
            state.operations.advance(*id, *cursor, (*counts, refusal.as_ref()), at);
        }
        Event::OperationEnded { id, cancelled } => state.operations.end(*id, cancelled.as_deref(), at),
        _ => unreachable!("not an event of an operation"),
    }
}
