//! Commands: what someone wants, in the imperative. One file each holds what it carries and its `decide`.
//! - CM-1 a refused command changes nothing; CM-2 a command sent twice does what it does once
//!
//! Entry: [`Command`], decided by `machine`.

mod amend;
mod answer;
pub(crate) mod cancel;
mod decide;
pub(crate) mod force;
mod keyed;
mod rejection;
pub(crate) mod report;
pub(crate) mod submit;

use std::sync::Arc;

pub use self::{
    decide::{View, decide},
    keyed::Keyed,
    rejection::Rejection,
};
use crate::backfill::{BackfillAnswer, BackfillCommand};
use crate::dispatch::WaitReason;
use crate::failure::Failure;
use crate::fleet::{Availability, WorkerOffer};
use crate::id::{Fence, Incarnation, ProcessId, Session, TaskId, WorkerId};
use crate::key::{KeyClaim, KeyFact};
use crate::name::Name;
use crate::priority::Priority;
use crate::process::{RunSelector, Selector};
use crate::profile::Profile;
pub use crate::quarantine::{QuarantineCommand, QuarantinedRow};
use crate::question::{Diagnosis, Progress, Question, RunDiagnosis, Stats, UnfinishedPage, WorkerView};
use crate::schedule::{ScheduleAnswer, ScheduleCommand};
use crate::seat::Seats;
use crate::task::{Labels, Override, Payload, Status, Task};
use crate::time::{Millis, Wall};
use crate::trigger::{Hook, Publish, Published};
use crate::workflow::{FlowAnswer, FlowCommand};

#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    Submit(Box<Submit>),
    Cancel {
        id: TaskId,
        stop_running: bool,
    },
    Amend {
        id: TaskId,
        due: Option<Wall>,
        priority: Option<Priority>,
        payload: Option<Payload>,
    },
    RunNow {
        id: TaskId,
    },
    Force {
        id: TaskId,
        status: Status,
        over: Override,
    },
    /// `fact`: the task as history has it, when it had left memory. `dead_only`: refused unless it is a dead letter.
    Revive {
        id: TaskId,
        fact: Option<Box<Task>>,
        over: Override,
        dead_only: bool,
    },
    /// Take a dead letter off the list: it ends as skipped, with its attempts. `fact` as for `Revive`.
    Discard {
        id: TaskId,
        fact: Option<Box<Task>>,
        over: Override,
    },
    /// About jobs and runs.
    Flow(Box<FlowCommand>),
    /// About schedules.
    Schedule(Box<ScheduleCommand>),
    /// About backfills.
    Backfill(Box<BackfillCommand>),
    /// Something happened elsewhere; triggers are matched with it.
    Publish(Box<Publish>),
    /// Any command that changes something, under an idempotency key.
    Keyed(Box<Keyed>),
    /// Only under a key: what a request of several commands was answered with. `None` changes nothing, and so only asks
    /// what the key was answered with.
    Remember {
        number: Option<u64>,
    },
    Read {
        id: TaskId,
    },
    /// Cancel every run that matches; goes on in steps after the answer.
    CancelRuns {
        selector: Box<RunSelector>,
        /// Noted with each run, if somebody said who they are.
        over: Option<Override>,
    },
    BulkCancel {
        selector: Box<Selector>,
        stop_running: bool,
    },
    /// From the shell: the next parked tasks a bulk process asked for; `more` = the store has others after them.
    ContinueProcess {
        id: ProcessId,
        parked: Vec<Task>,
        more: bool,
    },
    Report(Box<Report>),
    Session(SessionCommand),
    /// Change of how tenants and pools share workers; soft, from configuration.
    Configure(Configure),
    /// Read-only.
    Ask(Question),
    /// About rows of the tables that cannot be read; answered by the runtime.
    Quarantine(QuarantineCommand),
}

const _: () = assert!(size_of::<Command>() <= 80, "commands come in batches of thousands");

impl Command {
    /// A word for the log.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Submit(_) => "submit",
            Self::Cancel { .. } => "cancel",
            Self::Amend { .. } => "amend",
            Self::RunNow { .. } => "run_now",
            Self::Force { .. } => "force",
            Self::Revive { .. } => "revive",
            Self::Discard { .. } => "discard",
            Self::Flow(_) => "flow",
            Self::Schedule(_) => "schedule",
            Self::Backfill(_) => "backfill",
            Self::Publish(_) => "publish",
            Self::Keyed(keyed) => keyed.command.label(),
            Self::Read { .. } => "read",
            Self::BulkCancel { .. } => "bulk_cancel",
            Self::CancelRuns { .. } => "cancel_runs",
            Self::Remember { .. } => "remember",
            Self::ContinueProcess { .. } => "continue_process",
            Self::Report(_) => "report",
            Self::Session(_) => "session",
            Self::Configure(_) => "configure",
            Self::Ask(_) => "ask",
            Self::Quarantine(_) => "quarantine",
        }
    }

    /// The key it comes under, to be filled with what the tables know.
    pub fn key_mut(&mut self) -> Option<&mut (KeyClaim, KeyFact)> {
        match self {
            Self::Submit(submit) => submit.key.as_mut(),
            Self::Keyed(keyed) => Some(&mut keyed.key),
            Self::Publish(publish) => Some(&mut publish.key),
            Self::Flow(flow) => match &mut **flow {
                FlowCommand::Trigger(trigger) => trigger.key.as_mut(),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn key(&self) -> Option<KeyClaim> {
        match self {
            Self::Submit(submit) => submit.key.map(|(claim, _)| claim),
            Self::Keyed(keyed) => Some(keyed.key.0),
            Self::Publish(publish) => Some(publish.key.0),
            Self::Flow(flow) => match &**flow {
                FlowCommand::Trigger(trigger) => trigger.key.map(|(claim, _)| claim),
                _ => None,
            },
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Submit {
    pub id: TaskId,
    pub profile: Arc<Profile>,
    pub payload: Payload,
    pub priority: Priority,
    pub start: StartTime,
    pub labels: Option<Labels>,
    /// With what the tables knew of the key before the command came here.
    pub key: Option<(KeyClaim, KeyFact)>,
    /// Places that each attempt holds in named limits.
    pub seats: Option<Seats>,
    /// Sent before without an answer. It may have been accepted, and its task may have ended and left memory since:
    /// the tables are asked first.
    pub resent: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartTime {
    Now,
    At(Wall),
    After(Millis),
}

/// What a worker says about an attempt it holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    pub worker: WorkerId,
    pub session: Session,
    pub task: TaskId,
    pub fence: Fence,
    pub what: ReportKind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ReportKind {
    Accepted,
    /// It does not fit, or the worker is leaving: not begun.
    Refused,
    Progress,
    Checkpoint(Arc<[u8]>),
    /// Asks for more time.
    Extend(Millis),
    Succeeded {
        output: Option<Arc<[u8]>>,
    },
    Failed(Failure),
    /// It failed, and nobody can say how far it came: a call whose answer was lost.
    Vanished(Failure),
    /// Wants to be started again after this long, without holding its place.
    Deferred {
        resume_after: Millis,
    },
}

impl ReportKind {
    /// Whether the attempt is over with it. Workers keep such a report until it is acknowledged.
    pub const fn ends_attempt(&self) -> bool {
        match self {
            Self::Succeeded { .. }
            | Self::Failed(_)
            | Self::Vanished(_)
            | Self::Deferred { .. }
            | Self::Refused => true,
            Self::Accepted | Self::Progress | Self::Checkpoint(_) | Self::Extend(_) => false,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum SessionCommand {
    Hello(Box<Hello>),
    Heartbeat {
        worker: WorkerId,
        session: Session,
    },
    /// The connection ended; the lease runs on.
    Closed {
        worker: WorkerId,
        session: Session,
    },
    /// The worker stops: it gets nothing new until its next hello.
    Leaving {
        worker: WorkerId,
        session: Session,
    },
    /// An operator: no new work for this worker (or again some).
    Cordon {
        worker: WorkerId,
        to: Availability,
    },
}

/// The first message of a session: who, with what room, and everything the worker still answers for.
#[derive(Clone, PartialEq, Debug)]
pub struct Hello {
    pub worker: WorkerId,
    pub session: Session,
    pub incarnation: Incarnation,
    pub offer: WorkerOffer,
    /// Running ∪ spooled and not acknowledged ∪ accepted and not started.
    pub holding: Vec<Holding>,
}

/// An attempt that a worker answers for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holding {
    pub task: TaskId,
    pub fence: Fence,
    /// How long it has run, by the worker's clock; `None` if it has not started or has ended.
    pub ran: Option<Millis>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Configure {
    Tenant {
        tenant: Name,
        share: crate::dispatch::TenantShare,
    },
    Pool {
        pool: Name,
        limit: crate::dispatch::PoolLimit,
    },
    /// How many hold a place in a named limit at once, of each tenant and key; `None`: as the tasks say.
    Limit {
        limit: Name,
        max: Option<u32>,
    },
    /// Per cent of every pool's slots that backfills may have.
    BackfillShare {
        percent: u32,
    },
    /// Whether anybody wants news.
    Listen {
        on: bool,
    },
}

/// What a command that was not refused is answered with.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Submitted {
        id: TaskId,
        status: Status,
    },
    /// The same request came before under this key or id.
    AlreadySubmitted {
        id: TaskId,
    },
    /// The task as it is now, or `None` if memory does not hold it.
    Task(Option<Box<Task>>),
    /// The task's state after the command.
    Now {
        id: TaskId,
        status: Status,
    },
    /// A running task was asked to stop.
    Stopping {
        id: TaskId,
    },
    Process(ProcessId),
    /// `None`: some worker could run it; else why none can.
    CouldRun(Option<Box<WaitReason>>),
    Diagnosis(Box<Diagnosis>),
    RunDiagnosis(Box<RunDiagnosis>),
    Stats(Box<Stats>),
    Workers(Vec<WorkerView>),
    Unfinished(Box<UnfinishedPage>),
    /// `None`: there never was such a process.
    Progress(Option<Progress>),
    Flow(FlowAnswer),
    Schedule(ScheduleAnswer),
    Backfill(BackfillAnswer),
    Published(Box<Published>),
    Remembered(Option<u64>),
    Triggers(Vec<Hook>),
    Quarantine(Vec<QuarantinedRow>),
    Done,
}
