//! Folding an event into the state. Nothing here can refuse; what is missing means that the journal and
//! the tables contradict each other, and the shard must stop (the runtime names the record).

use std::sync::Arc;

use super::amend::amend;
use super::{Event, Submitted, Then};
use crate::failure::Failure;
use crate::id::{Epoch, Fence, Incarnation, Seq, Session, TaskId, WorkerId};
use crate::index::TaskSlot;
use crate::process::{Cursor, Process};
use crate::schedule::{self, Made};
use crate::shard::ShardState;
use crate::task::{
    AttemptRecord, Cause, DueSince, Extra, Lease, Override, State, Status, Task, arrow_exists,
};
use crate::time::{Millis, Now, Wall};
use crate::wait::{Wait, WaitEnd};
use crate::{trigger, workflow};

/// What an event did, so that queues and timers can follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    pub slot: TaskSlot,
    /// `None`: the task was not in memory.
    pub from: Option<Status>,
    pub to: Status,
}

pub fn apply(state: &mut ShardState, event: &Event) -> Option<Change> {
    if let Event::Flow(event) = event {
        workflow::apply::apply(state, event);
        return None;
    }
    if let Event::Schedule(event) = event {
        schedule::apply::apply(state, event);
        return None;
    }
    if let Event::Backfill(event) = event {
        crate::backfill::apply::apply(state, event);
        return None;
    }
    if let Event::Trigger(event) = event {
        trigger::apply::apply(state, event);
        return None;
    }
    let change = apply_to_task(state, event)?;
    if change.to.is_ended() && change.from.is_some_and(|from| !from.is_ended()) {
        workflow::apply::task_ended(state, change.slot);
    }
    Some(change)
}

fn apply_to_task(state: &mut ShardState, event: &Event) -> Option<Change> {
    match event {
        Event::TaskSpawned { run, place, due, payload, seats } => {
            let given = (payload.as_ref(), seats.as_ref());
            Some(workflow::apply::spawn(state, *run, *place, *due, given))
        }
        Event::EpochStarted { epoch } => {
            start_epoch(state, *epoch);
            None
        }
        Event::TaskSubmitted(submitted) => Some(submit(state, submitted)),
        Event::TaskReleased { id } => {
            Some(change(state, *id, Cause::Released, |task, _| task.state = State::Queued))
        }
        Event::TaskAssigned { id, fence, worker, incarnation } => {
            Some(assign(state, *id, *fence, *worker, *incarnation))
        }
        Event::TaskUnassigned { id, fence } => {
            Some(leased(state, *id, *fence, Cause::Unassigned, |task, _, _| {
                task.attempts -= 1;
                task.state = State::Queued;
            }))
        }
        Event::TaskSucceeded { id, fence, output } => {
            Some(leased(state, *id, *fence, Cause::Succeeded, |task, _, _| succeed(task, output.as_ref())))
        }
        Event::AttemptFailed { id, fence, failure, then } => {
            Some(leased(state, *id, *fence, Cause::AttemptFailed, |task, lease, now| {
                end_attempt(task, &lease, failure, *then, now.wall);
            }))
        }
        Event::TaskDeferred { id, fence, due } => {
            Some(leased(state, *id, *fence, Cause::Deferred, |task, _, _| {
                task.state = State::Deferred { due: *due };
            }))
        }
        Event::TaskWaits { id, wait } => Some(begin_wait(state, *id, wait)),
        Event::WaitEnded { id, end } => Some(end_wait(state, *id, end)),
        Event::TaskCancelled { id } => Some(change(state, *id, Cause::Cancelled, |task, _| {
            task.cancel_requested = true;
            task.state = State::Cancelled;
        })),
        Event::TaskForced { id, status, over } => Some(change(state, *id, Cause::Forced, |task, _| {
            task.extra_mut().forced = Some(over.clone());
            task.state = forced_state(*status);
        })),
        Event::TaskRevived { ended, over } => Some(revive(state, ended, over)),
        Event::StopRequested { .. }
        | Event::ForceRequested { .. }
        | Event::LookBegan { .. }
        | Event::TaskAmended { .. }
        | Event::CheckpointSaved { .. }
        | Event::DeadlineExtended { .. } => Some(amend(state, event)),
        Event::KeyBound { claim, entity } => {
            state.keys.bind(*claim, *entity, state.seq);
            None
        }
        Event::ProcessStarted { .. } | Event::ProcessAdvanced { .. } | Event::ProcessEnded { .. } => {
            apply_process(state, event);
            None
        }
        Event::Flow(_) | Event::Schedule(_) | Event::Backfill(_) | Event::Trigger(_) => None,
    }
}

fn start_epoch(state: &mut ShardState, epoch: Epoch) {
    state.epoch = epoch;
    state.fences = 0;
    for process in state.processes.values_mut() {
        // Slots are dealt anew in every epoch.
        if let Cursor::Memory(slot) = &mut process.cursor {
            *slot = 0;
        }
    }
}

fn assign(
    state: &mut ShardState,
    id: TaskId,
    fence: Fence,
    worker: WorkerId,
    incarnation: Incarnation,
) -> Change {
    state.fences = fence.counter();
    change(state, id, Cause::Assigned, |task, now| {
        task.fence = fence;
        task.worker = worker;
        task.started = now.wall;
        task.attempts += 1;
        task.state = State::Assigned(Box::new(Lease {
            fence,
            worker,
            incarnation,
            session: Session::ZERO,
            assigned: now.elapsed,
            assigned_wall: now.wall,
            accepted: None,
            progressed: now.elapsed,
            extended: Millis::ZERO,
            soft_told: false,
            checkpointed: None,
            pending_checkpoint: None,
            stop: None,
        }));
    })
}

fn submit(state: &mut ShardState, submitted: &Submitted) -> Change {
    let now = state.now;
    let has_extra = submitted.labels.is_some()
        || submitted.key.is_some()
        || submitted.seats.is_some()
        || submitted.occasion.is_some();
    let task = Task {
        id: submitted.id,
        profile: submitted.profile.clone(),
        payload: submitted.payload.clone(),
        state: submitted.due.map_or(State::Queued, |due| State::Pending { due }),
        priority: submitted.priority,
        cancel_requested: false,
        fence: Fence::NONE,
        worker: WorkerId::NONE,
        started: Wall::ZERO,
        attempts: 0,
        retries_spent: 0,
        version: 1,
        submitted: now.wall,
        changed: now.wall,
        touched: state.seq,
        stored: false,
        due: DueSince::default(),
        origin: None,
        extra: has_extra.then(|| {
            let Submitted { labels, key, seats, occasion, .. } = submitted;
            let (labels, seats, occasion) = (labels.clone(), seats.clone(), occasion.clone());
            Box::new(Extra { labels, key: *key, seats, occasion, ..Extra::default() })
        }),
    };
    if let Some(occasion) = &submitted.occasion {
        schedule::apply::began(state, occasion.schedule, Made::Task(submitted.id));
    }
    if let Some(claim) = submitted.key {
        let seq = state.seq;
        state.keys.bind(claim, submitted.id, seq);
    }
    let to = task.status();
    debug_assert!(arrow_exists(None, Cause::Submitted, to));
    Change { slot: state.insert(task), from: None, to }
}

/// Changes a task's state along an arrow.
fn change(state: &mut ShardState, id: TaskId, cause: Cause, act: impl FnOnce(&mut Task, Now)) -> Change {
    let now = state.now;
    let slot = state.tasks.find(id).expect("EV-1: the task of an event is in memory");
    let task = state.tasks.get_mut(slot).expect("EV-1: a found slot is taken");
    let from = task.status();
    act(task, now);
    task.version += 1;
    task.changed = now.wall;
    let to = task.status();
    debug_assert!(arrow_exists(Some(from), cause, to), "{from:?} -{cause:?}-> {to:?} is no arrow");
    state.touch(slot, from, to);
    Change { slot, from: Some(from), to }
}

/// Like [`change`], for events that end the live attempt: takes its lease away first.
fn leased(
    state: &mut ShardState,
    id: TaskId,
    fence: Fence,
    cause: Cause,
    act: impl FnOnce(&mut Task, Box<Lease>, Now),
) -> Change {
    change(state, id, cause, |task, now| match std::mem::replace(&mut task.state, State::Queued) {
        State::Assigned(lease) | State::Running(lease) => {
            debug_assert_eq!(lease.fence, fence, "LS-2: only the newest fence ends an attempt");
            act(task, lease, now);
        }
        other => unreachable!("EV-1: {} of {id} ends an attempt", other.status().label()),
    })
}

fn succeed(task: &mut Task, output: Option<&Arc<[u8]>>) {
    if let Some(extra) = task.extra.as_mut() {
        extra.checkpoint = None;
    }
    if output.is_some() {
        task.extra_mut().output = output.cloned();
    }
    task.state = State::Succeeded;
}

fn end_attempt(task: &mut Task, lease: &Lease, failure: &Failure, then: Then, now: Wall) {
    let number = task.attempts;
    let extra = task.extra_mut();
    extra.worker_kills += u32::from(super::blames_the_task(failure));
    extra.record_attempt(AttemptRecord {
        number,
        fence: lease.fence,
        worker: lease.worker,
        assigned: lease.assigned_wall,
        ended: now,
        failure: failure.clone(),
    });
    task.state = match then {
        Then::Retry { due, spend, memory_bytes, delayed_by } => {
            if memory_bytes.is_some() {
                extra.memory_bytes = memory_bytes;
            }
            task.retries_spent += u32::from(spend);
            State::RetryWait { due, delayed_by }
        }
        Then::Requeue => State::Queued,
        Then::Fail => State::Failed,
        Then::Quarantine => State::Quarantined,
        Then::Cancel => State::Cancelled,
    };
}

fn begin_wait(state: &mut ShardState, id: TaskId, wait: &Wait) -> Change {
    change(state, id, Cause::Waits, |task, _| task.state = State::Waiting(Box::new(wait.clone())))
}

fn end_wait(state: &mut ShardState, id: TaskId, end: &WaitEnd) -> Change {
    change(state, id, Cause::WaitEnded, |task, now| {
        task.state = match end {
            WaitEnd::Met(output) => {
                if output.is_some() {
                    task.extra_mut().output.clone_from(output);
                }
                State::Succeeded
            }
            WaitEnd::Skipped => State::Skipped,
            WaitEnd::Failed(failure) => {
                let (number, assigned) = (task.attempts, task.changed);
                let (fence, worker, failure) = (task.fence, task.worker, (**failure).clone());
                let attempt = AttemptRecord { number, fence, worker, assigned, ended: now.wall, failure };
                task.extra_mut().record_attempt(attempt);
                State::Failed
            }
        };
    })
}

fn forced_state(status: Status) -> State {
    match status {
        Status::Succeeded => State::Succeeded,
        Status::Skipped => State::Skipped,
        Status::Failed
        | Status::Pending
        | Status::Queued
        | Status::Assigned
        | Status::Running
        | Status::RetryWait
        | Status::Deferred
        | Status::Cancelled
        | Status::UpstreamFailed
        | Status::Quarantined => State::Failed,
    }
}

/// The task begins anew with its history; a row it had among the ended ones must go.
fn revive(state: &mut ShardState, ended: &Task, over: &Override) -> Change {
    if state.tasks.find(ended.id).is_none() {
        let slot = state.load(ended.clone());
        let task = state.tasks.get_mut(slot).expect("EV-1: just loaded");
        // Older than any cut, so that the change below makes it dirty.
        task.touched = Seq::ZERO;
        task.stored = false;
    }
    state.note_revived(ended.id);
    if let Some(occasion) = ended.extra.as_ref().and_then(|extra| extra.occasion.as_ref()) {
        schedule::apply::began(state, occasion.schedule, Made::Task(ended.id));
    }
    change(state, ended.id, Cause::Revived, |task, _| {
        task.retries_spent = 0;
        task.cancel_requested = false;
        let extra = task.extra_mut();
        (extra.worker_kills, extra.deadline) = (0, None);
        extra.forced = Some(over.clone());
        task.state = State::Queued;
    })
}

fn apply_process(state: &mut ShardState, event: &Event) {
    match event {
        Event::ProcessStarted { id, work } => {
            state.processes_begun = id.get();
            let process = Process { work: work.clone(), cursor: Cursor::Memory(0), handled: 0 };
            state.add_process(*id, process);
        }
        Event::ProcessAdvanced { id, cursor, handled } => {
            if let Some(process) = state.processes.get_mut(id) {
                process.cursor = *cursor;
                process.handled += u64::from(*handled);
            }
        }
        Event::ProcessEnded { id } => {
            state.deliveries.remove(id);
            if let Some(process) = state.processes.remove(id) {
                state.note_ended_process(*id, process.handled);
            }
        }
        _ => unreachable!("not an event of a process"),
    }
}
