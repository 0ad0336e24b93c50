//! Events: what has happened, in the past tense. The journal holds these and nothing else.
//! - EV-1 `apply` cannot fail: whatever could be refused was refused by `decide`
//! - EV-2 an event is self-contained: times and draws that went into it are in it or in its record
//! - EV-3 released events are frozen; a change of meaning gets a new variant
//!
//! Not here: folding them (`state::apply`), bytes (`mainspring-store::format`).

pub mod fired;

use std::sync::Arc;

use crate::backfill::BackfillEvent;
use crate::key::KeyClaim;
use crate::operation::{Cursor, OperationKind, StepCounts};
use crate::retry::BudgetKind;
use crate::run::{RunCreated, RunEvent};
use crate::schedule::ScheduleEvent;
use crate::task::{Payload, Status, StopReason, Task, TaskChange, TaskSpec};
use crate::trigger::TriggerEvent;
use crate::values::{
    Actor, AttemptDetails, Elapsed, EntityId, EntityKind, Epoch, Failure, Fence, FiredBy, FiredWindow,
    Incarnation, Millis, NodeInstance, OperationId, Permits, Priority, RunId, TaskId, Wall, WorkerId,
};
use crate::wait::{Wait, WaitEnd};
use crate::worker::CordonEvent;

#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A new owner took the shard; every fence from here on is greater than those before.
    EpochStarted {
        epoch: Epoch,
    },
    TaskSubmitted(Box<Submitted>),
    /// A run released a task. `payload`: with its templates filled in, if it has any.
    TaskSpawned {
        run: RunId,
        place: NodeInstance,
        due: Option<Wall>,
        payload: Option<Payload>,
        permits: Option<Permits>,
    },
    /// Something happened to a job or a run.
    Run(RunEvent),
    /// Something happened to a schedule or its windows.
    Schedule(ScheduleEvent),
    /// Something happened to a backfill.
    Backfill(BackfillEvent),
    /// Something happened to a trigger.
    Trigger(TriggerEvent),
    /// An operator closed a worker, or opened it again.
    Cordon(Box<CordonEvent>),
    /// The time of a waiting task came, or someone said "now".
    TaskDue {
        id: TaskId,
    },
    TaskAssigned {
        id: TaskId,
        fence: Fence,
        worker: WorkerId,
        incarnation: Incarnation,
    },
    /// The attempt certainly never began; no retry is spent.
    TaskUnassigned {
        id: TaskId,
        fence: Fence,
        /// See [`Event::AttemptFailed`].
        reported: bool,
    },
    TaskSucceeded {
        id: TaskId,
        fence: Fence,
        output: Option<Arc<[u8]>>,
    },
    AttemptFailed {
        id: TaskId,
        fence: Fence,
        failure: Failure,
        then: AfterFailure,
        /// The worker that held the attempt said that it ended. If not it may still go on, and is ordered to stop.
        reported: bool,
    },
    /// The attempt gave its place back until `due`.
    TaskDeferred {
        id: TaskId,
        fence: Fence,
        due: Elapsed,
    },
    /// A task that only waits does so from here on.
    TaskWaits {
        id: TaskId,
        wait: Box<Wait>,
    },
    /// A task that looks for something may look for the first time, and has to find it until then.
    PollBegan {
        id: TaskId,
        deadline: Wall,
    },
    /// What it waited for came, cannot come any more, or took too long.
    WaitEnded {
        id: TaskId,
        end: WaitEnd,
    },
    StopRequested {
        id: TaskId,
        fence: Fence,
        reason: StopReason,
    },
    /// A task that was not running will not run.
    TaskCancelled {
        id: TaskId,
    },
    TaskAmended {
        id: TaskId,
        due: Option<Wall>,
        priority: Option<Priority>,
        payload: Option<Payload>,
    },
    CheckpointSaved {
        id: TaskId,
        fence: Fence,
        bytes: Arc<[u8]>,
    },
    /// What is known of an attempt beside how it ended: after its grant, for which limit its task waited; before its end, in
    /// the same record, what its worker says of it.
    DetailsReported {
        id: TaskId,
        fence: Fence,
        details: Box<AttemptDetails>,
    },
    DeadlineExtended {
        id: TaskId,
        fence: Fence,
        by: Millis,
    },
    /// An operator said how a task with a live attempt ends. The attempt is stopped first: until its end the task
    /// keeps its worker and its places in limits.
    ForceRequested {
        id: TaskId,
        fence: Fence,
        status: Status,
        over: Actor,
    },
    TaskForced {
        id: TaskId,
        status: Status,
        over: Actor,
        /// See [`Event::AttemptFailed`]; true if there was no attempt.
        reported: bool,
    },
    /// An operator queued an ended task again. Carries the whole task as it was when it had ended, because it
    /// may have left memory.
    TaskRevived {
        ended: Box<Task>,
        over: Actor,
    },
    /// Follows a change that somebody asked for who said who they are.
    TaskNoted {
        id: TaskId,
        change: TaskChange,
        over: Actor,
    },
    /// A command under an idempotency key was answered; `claim` holds with what.
    KeyBound {
        claim: KeyClaim,
        entity: TaskId,
    },
    OperationStarted {
        id: OperationId,
        work: OperationKind,
    },
    OperationAdvanced {
        id: OperationId,
        cursor: Cursor,
        counts: StepCounts,
        /// Why the last thing that could not be handled could not.
        refusal: Option<Arc<str>>,
    },
    OperationEnded {
        id: OperationId,
        /// Who ended it before it was through.
        cancelled: Option<Box<Actor>>,
    },
}

const _: () = assert!(size_of::<Event>() <= 96, "a record holds thousands");

#[derive(Clone, PartialEq, Debug)]
pub struct Submitted {
    pub id: TaskId,
    pub task: TaskSpec,
    /// `None` = at once.
    pub due: Option<Wall>,
    pub key: Option<KeyClaim>,
    /// The window that submits it.
    pub window: Option<Box<FiredWindow>>,
}

/// What follows a failed attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterFailure {
    Retry {
        due: Elapsed,
        spend: bool,
        memory_bytes: Option<u64>,
        /// The retry budget that made the wait longer than the backoff.
        delayed_by: Option<BudgetKind>,
    },
    /// Back to the queue at once, no retry spent.
    Requeue,
    Fail,
    Quarantine,
    Cancel,
}

impl AfterFailure {
    /// The state in which it leaves the task.
    pub const fn leaves(self) -> Status {
        match self {
            Self::Retry { .. } => Status::RetryWait,
            Self::Requeue => Status::Queued,
            Self::Fail => Status::Failed,
            Self::Quarantine => Status::Quarantined,
            Self::Cancel => Status::Cancelled,
        }
    }
}

impl Event {
    /// The task this event touches; recovery loads these before it replays.
    pub fn task(&self) -> Option<TaskId> {
        match self {
            Self::TaskSubmitted(submitted) => Some(submitted.id),
            Self::TaskSpawned { run, place, .. } => Some(run.task(*place)),
            Self::TaskRevived { ended, .. } => Some(ended.id),
            Self::TaskDue { id }
            | Self::TaskAssigned { id, .. }
            | Self::TaskUnassigned { id, .. }
            | Self::TaskSucceeded { id, .. }
            | Self::AttemptFailed { id, .. }
            | Self::TaskDeferred { id, .. }
            | Self::TaskWaits { id, .. }
            | Self::PollBegan { id, .. }
            | Self::WaitEnded { id, .. }
            | Self::StopRequested { id, .. }
            | Self::TaskCancelled { id }
            | Self::TaskAmended { id, .. }
            | Self::CheckpointSaved { id, .. }
            | Self::DetailsReported { id, .. }
            | Self::DeadlineExtended { id, .. }
            | Self::ForceRequested { id, .. }
            | Self::TaskForced { id, .. }
            | Self::TaskNoted { id, .. } => Some(*id),
            Self::EpochStarted { .. }
            | Self::Run(_)
            | Self::Schedule(_)
            | Self::Backfill(_)
            | Self::Trigger(_)
            | Self::Cordon(_)
            | Self::KeyBound { .. }
            | Self::OperationStarted { .. }
            | Self::OperationAdvanced { .. }
            | Self::OperationEnded { .. } => None,
        }
    }
}

impl Event {
    /// The run that must be in memory for this event.
    pub fn run(&self) -> Option<RunId> {
        match self {
            Self::TaskSpawned { run, .. } => Some(*run),
            Self::Run(event) => event.run(),
            _ => None,
        }
    }
}

/// The entity that an event is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntityRef {
    pub kind: EntityKind,
    pub id: u128,
    /// The event may be the first one about it.
    pub may_begin: bool,
}

impl Event {
    /// What must be in memory for this event, unless it may begin it.
    pub fn entity(&self) -> Option<EntityRef> {
        let (kind, id, may_begin) = match self {
            Self::Schedule(event) => {
                (EntityKind::Schedule, event.id().to_bits(), matches!(event, ScheduleEvent::Stored(_)))
            }
            Self::Backfill(event) => {
                (EntityKind::Backfill, event.id().to_bits(), matches!(event, BackfillEvent::Created(_)))
            }
            Self::Trigger(event) => {
                (EntityKind::Trigger, event.id().to_bits(), matches!(event, TriggerEvent::Stored(_)))
            }
            Self::Cordon(event) => {
                let begins = matches!(**event, CordonEvent::Set { .. });
                (EntityKind::Cordon, event.worker().to_bits(), begins)
            }
            Self::OperationStarted { id, .. } => (EntityKind::Operation, id.to_bits(), true),
            Self::OperationAdvanced { id, .. } | Self::OperationEnded { id, .. } => {
                (EntityKind::Operation, id.to_bits(), false)
            }
            Self::Run(RunEvent::RunCreated(created)) => return entity_that_fired(created),
            Self::TaskSubmitted(submitted) => {
                let id = submitted.window.as_ref()?.window.schedule;
                (EntityKind::Schedule, id.to_bits(), false)
            }
            // A job may be asked for by name only, and is looked up by who applies its event.
            Self::Run(_)
            | Self::EpochStarted { .. }
            | Self::TaskSpawned { .. }
            | Self::TaskDue { .. }
            | Self::TaskAssigned { .. }
            | Self::TaskUnassigned { .. }
            | Self::TaskSucceeded { .. }
            | Self::AttemptFailed { .. }
            | Self::TaskDeferred { .. }
            | Self::TaskWaits { .. }
            | Self::WaitEnded { .. }
            | Self::TaskCancelled { .. }
            | Self::TaskForced { .. }
            | Self::TaskRevived { .. }
            | Self::TaskNoted { .. }
            | Self::StopRequested { .. }
            | Self::ForceRequested { .. }
            | Self::PollBegan { .. }
            | Self::TaskAmended { .. }
            | Self::CheckpointSaved { .. }
            | Self::DetailsReported { .. }
            | Self::DeadlineExtended { .. }
            | Self::KeyBound { .. } => return None,
        };
        Some(EntityRef { kind, id, may_begin })
    }
}

/// The one that created the run, if nobody asked for it.
fn entity_that_fired(created: &RunCreated) -> Option<EntityRef> {
    let (kind, id) = match created.fired_by? {
        FiredBy::Schedule { .. } => {
            (EntityKind::Schedule, created.origin.window.as_ref()?.schedule.to_bits())
        }
        FiredBy::Trigger(id) => (EntityKind::Trigger, id.to_bits()),
        FiredBy::Backfill(id) => (EntityKind::Backfill, id.to_bits()),
    };
    Some(EntityRef { kind, id, may_begin: false })
}
