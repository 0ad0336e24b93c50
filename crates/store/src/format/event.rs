//! Writes events straight into a record's body.

use mainspring_core::event::{AfterFailure, Event, Submitted};
use mainspring_core::key::KeyClaim;
use mainspring_core::task::{TaskChange, TaskSpec};
use mainspring_core::values::{
    Actor, AttemptDetails, Elapsed, Failure, Fence, InRun, Permit, Priority, TaskId, Wall,
};

use super::{
    EncodedProfiles, Writer, backfill, cordon, operation, retry, schedule, task, trigger, wait, workflow,
};

/// First byte of each event. Frozen: a number is never given away again.
pub(super) mod kind {
    pub const EPOCH_STARTED: u8 = 1;
    pub const TASK_SUBMITTED: u8 = 2;
    pub const TASK_RELEASED: u8 = 3;
    pub const TASK_ASSIGNED: u8 = 4;
    pub const TASK_UNASSIGNED: u8 = 5;
    pub const TASK_SUCCEEDED: u8 = 6;
    pub const ATTEMPT_FAILED: u8 = 7;
    pub const TASK_DEFERRED: u8 = 8;
    pub const STOP_REQUESTED: u8 = 9;
    pub const TASK_CANCELLED: u8 = 10;
    pub const TASK_AMENDED: u8 = 11;
    pub const CHECKPOINT_SAVED: u8 = 12;
    pub const DEADLINE_EXTENDED: u8 = 13;
    pub const TASK_FORCED: u8 = 14;
    pub const TASK_REVIVED: u8 = 15;
    pub const PROCESS_STARTED: u8 = 16;
    pub const PROCESS_ADVANCED: u8 = 17;
    pub const PROCESS_ENDED: u8 = 18;
    pub const KEY_BOUND: u8 = 19;
    pub const TASK_SPAWNED: u8 = 20;
    pub const FLOW: u8 = 21;
    pub const SCHEDULE: u8 = 22;
    pub const BACKFILL: u8 = 23;
    pub const TRIGGER: u8 = 24;
    pub const TASK_WAITS: u8 = 25;
    pub const WAIT_ENDED: u8 = 26;
    pub const FORCE_REQUESTED: u8 = 27;
    pub const POLL_BEGAN: u8 = 28;
    pub const CORDON: u8 = 29;
    pub const DETAILS_REPORTED: u8 = 30;
    pub const TASK_NOTED: u8 = 31;
    pub const NEWEST: u8 = TASK_NOTED;
}

/// The version at which a type is written; no other one is read.
pub(super) const fn version(kind: u8) -> u8 {
    match kind {
        // Since 2 they say whether the worker reported the end.
        kind::TASK_UNASSIGNED | kind::ATTEMPT_FAILED | kind::TASK_FORCED => 2,
        _ => 1,
    }
}

/// Which optional fields of a submission follow.
pub(super) mod given {
    pub const DUE: u8 = 1;
    pub const LABELS: u8 = 2;
    pub const KEY: u8 = 4;
    pub const PERMITS: u8 = 8;
    pub const WINDOW: u8 = 16;
}

/// Appends one event. `profiles` remembers the bytes of profiles, which most events of a batch share.
pub fn write_event(out: &mut Vec<u8>, event: &Event, profiles: &mut EncodedProfiles) {
    let w = &mut Writer::new(out);
    let began = w.begin();
    let kind = kind_of(event);
    w.byte(kind);
    w.byte(version(kind));
    write_fields(w, event, profiles);
    w.end(began);
}

fn kind_of(event: &Event) -> u8 {
    match event {
        Event::EpochStarted { .. } => kind::EPOCH_STARTED,
        Event::TaskSubmitted(_) => kind::TASK_SUBMITTED,
        Event::TaskSpawned { .. } => kind::TASK_SPAWNED,
        Event::Run(_) => kind::FLOW,
        Event::Schedule(_) => kind::SCHEDULE,
        Event::Backfill(_) => kind::BACKFILL,
        Event::Trigger(_) => kind::TRIGGER,
        Event::Cordon(_) => kind::CORDON,
        Event::TaskDue { .. } => kind::TASK_RELEASED,
        Event::TaskAssigned { .. } => kind::TASK_ASSIGNED,
        Event::TaskUnassigned { .. } => kind::TASK_UNASSIGNED,
        Event::TaskSucceeded { .. } => kind::TASK_SUCCEEDED,
        Event::AttemptFailed { .. } => kind::ATTEMPT_FAILED,
        Event::TaskDeferred { .. } => kind::TASK_DEFERRED,
        Event::TaskWaits { .. } => kind::TASK_WAITS,
        Event::PollBegan { .. } => kind::POLL_BEGAN,
        Event::WaitEnded { .. } => kind::WAIT_ENDED,
        Event::StopRequested { .. } => kind::STOP_REQUESTED,
        Event::TaskCancelled { .. } => kind::TASK_CANCELLED,
        Event::TaskAmended { .. } => kind::TASK_AMENDED,
        Event::CheckpointSaved { .. } => kind::CHECKPOINT_SAVED,
        Event::DetailsReported { .. } => kind::DETAILS_REPORTED,
        Event::DeadlineExtended { .. } => kind::DEADLINE_EXTENDED,
        Event::ForceRequested { .. } => kind::FORCE_REQUESTED,
        Event::TaskForced { .. } => kind::TASK_FORCED,
        Event::TaskRevived { .. } => kind::TASK_REVIVED,
        Event::TaskNoted { .. } => kind::TASK_NOTED,
        Event::OperationStarted { .. } => kind::PROCESS_STARTED,
        Event::OperationAdvanced { .. } => kind::PROCESS_ADVANCED,
        Event::OperationEnded { .. } => kind::PROCESS_ENDED,
        Event::KeyBound { .. } => kind::KEY_BOUND,
    }
}

fn write_fields(w: &mut Writer<'_>, event: &Event, profiles: &mut EncodedProfiles) {
    // An event of a task begins with its id, save for those that carry more of the task.
    if !matches!(event, Event::TaskRevived { .. } | Event::TaskSpawned { .. })
        && let Some(id) = event.task()
    {
        w.task_id(id);
    }
    match event {
        Event::EpochStarted { epoch } => w.varint(epoch.get()),
        Event::TaskSubmitted(submitted) => write_submitted(w, submitted, profiles),
        Event::TaskSpawned { run, place, due, payload, permits } => {
            workflow::write_in_run(w, &InRun { run: *run, place: *place });
            write_release(w, *due, payload.as_deref(), permits.as_deref());
        }
        Event::Run(event) => workflow::write_event(w, event, profiles),
        Event::Schedule(event) => schedule::write_event(w, event, profiles),
        Event::Backfill(event) => backfill::write_event(w, event, profiles),
        Event::Trigger(event) => trigger::write_event(w, event),
        Event::Cordon(event) => cordon::write_event(w, event),
        Event::TaskDue { .. } | Event::TaskCancelled { .. } => {}
        Event::TaskAssigned { fence, worker, incarnation, .. } => {
            w.fence(*fence);
            w.worker_id(*worker);
            w.varint(incarnation.get());
        }
        Event::TaskUnassigned { fence, reported, .. } => write_unassigned(w, *fence, *reported),
        Event::TaskSucceeded { fence, output, .. } => {
            w.fence(*fence);
            w.option(output.as_ref(), |w, bytes| w.bytes(bytes));
        }
        Event::AttemptFailed { fence, failure, then, reported, .. } => {
            write_failed(w, *fence, (failure, *then), *reported);
        }
        Event::TaskDeferred { fence, due, .. } => write_deferred(w, *fence, *due),
        Event::TaskWaits { wait, .. } => wait::write(w, wait),
        Event::WaitEnded { end, .. } => wait::write_end(w, end),
        Event::StopRequested { fence, reason, .. } => {
            w.fence(*fence);
            w.byte(*reason as u8);
        }
        Event::TaskAmended { due, priority, payload, .. } => {
            write_amended(w, *due, *priority, payload.as_deref());
        }
        Event::PollBegan { deadline, .. } => w.wall(*deadline),
        Event::CheckpointSaved { fence, bytes, .. } => {
            w.fence(*fence);
            w.bytes(bytes);
        }
        Event::DetailsReported { fence, details, .. } => write_reported(w, *fence, details),
        Event::DeadlineExtended { fence, by, .. } => {
            w.fence(*fence);
            w.millis(*by);
        }
        Event::ForceRequested { fence, status, over, .. } => write_force(w, *fence, *status as u8, over),
        Event::TaskForced { status, over, reported, .. } => write_forced(w, *status as u8, over, *reported),
        Event::TaskRevived { ended, over } => {
            task::write(w, ended, profiles);
            w.over(over);
        }
        Event::TaskNoted { change, over, .. } => write_noted(w, *change, over),
        Event::OperationStarted { .. } | Event::OperationAdvanced { .. } | Event::OperationEnded { .. } => {
            operation::write_event(w, event);
        }
        Event::KeyBound { claim, entity } => write_bound(w, claim, *entity),
    }
}

fn write_reported(w: &mut Writer<'_>, fence: Fence, details: &AttemptDetails) {
    w.fence(fence);
    task::write_details(w, details);
}

fn write_noted(w: &mut Writer<'_>, change: TaskChange, over: &Actor) {
    w.byte(change as u8);
    w.over(over);
}

fn write_amended(w: &mut Writer<'_>, due: Option<Wall>, priority: Option<Priority>, payload: Option<&[u8]>) {
    w.option(due, Writer::wall);
    w.option(priority, Writer::priority);
    w.option(payload, Writer::bytes);
}

fn write_release(w: &mut Writer<'_>, due: Option<Wall>, payload: Option<&[u8]>, permits: Option<&[Permit]>) {
    w.option(due, Writer::wall);
    w.option(payload, Writer::bytes);
    w.option(permits, Writer::permits);
}

fn write_bound(w: &mut Writer<'_>, claim: &KeyClaim, entity: TaskId) {
    w.key(claim);
    w.task_id(entity);
}

fn write_submitted(w: &mut Writer<'_>, submitted: &Submitted, profiles: &mut EncodedProfiles) {
    let TaskSpec { profile, payload, priority, labels, permits } = &submitted.task;
    profiles.write(w, profile);
    w.bytes(payload);
    w.priority(*priority);
    w.byte(
        u8::from(submitted.due.is_some()) * given::DUE
            + u8::from(labels.is_some()) * given::LABELS
            + u8::from(submitted.key.is_some()) * given::KEY
            + u8::from(permits.is_some()) * given::PERMITS
            + u8::from(submitted.window.is_some()) * given::WINDOW,
    );
    if let Some(due) = submitted.due {
        w.wall(due);
    }
    if let Some(labels) = labels {
        w.labels(labels);
    }
    if let Some(key) = &submitted.key {
        w.key(key);
    }
    if let Some(permits) = permits {
        w.permits(permits);
    }
    if let Some(fired) = &submitted.window {
        schedule::write_window(w, &fired.window);
        w.option(fired.next, Writer::wall);
    }
}

fn write_deferred(w: &mut Writer<'_>, fence: Fence, due: Elapsed) {
    w.fence(fence);
    w.elapsed(due);
}

fn write_then(w: &mut Writer<'_>, then: AfterFailure) {
    match then {
        AfterFailure::Retry { due, spend, memory_bytes, delayed_by } => {
            w.byte(0);
            w.elapsed(due);
            w.bool(spend);
            w.option(memory_bytes, Writer::varint);
            retry::write_delayed_by(w, delayed_by);
        }
        AfterFailure::Requeue => w.byte(1),
        AfterFailure::Fail => w.byte(2),
        AfterFailure::Quarantine => w.byte(3),
        AfterFailure::Cancel => w.byte(4),
    }
}

fn write_unassigned(w: &mut Writer<'_>, fence: Fence, reported: bool) {
    w.fence(fence);
    w.bool(reported);
}

fn write_failed(w: &mut Writer<'_>, fence: Fence, (failure, then): (&Failure, AfterFailure), reported: bool) {
    w.fence(fence);
    w.failure(failure);
    write_then(w, then);
    w.bool(reported);
}

fn write_force(w: &mut Writer<'_>, fence: Fence, status: u8, over: &Actor) {
    w.fence(fence);
    w.byte(status);
    w.over(over);
}

fn write_forced(w: &mut Writer<'_>, status: u8, over: &Actor, reported: bool) {
    w.byte(status);
    w.over(over);
    w.bool(reported);
}
