//! Commands: what someone wants, in the imperative. What each carries and its rules are in the `decide` of its capability.
//! - CM-1 a refused command changes nothing; CM-2 a command sent twice does what it does once
//!
//! Entry: [`Command`], decided by `engine`.

use super::by_actor::ByActor;
use super::keyed::Keyed;
use super::quarantine::{QuarantineCommand, QuarantinedRow};
use super::question::{
    Diagnosis, LimitStandings, OpenApproval, Question, Released, Stats, UnfinishedPage, WaitingGroups,
    WorkerView,
};
use crate::backfill::decide::{BackfillAnswer, BackfillCommand};
use crate::dispatch::WaitReason;
use crate::engine::question::RunDiagnosis;
use crate::key::{KeyClaim, KeyFact};
use crate::operation::{Bulk, Operation, OperationPage};
use crate::run::decide::{RunAnswer, RunCommand};
use crate::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use crate::task::decide::{Report, Submit, TaskAnswer};
use crate::task::{Payload, Status, Task};
use crate::trigger::Trigger;
use crate::trigger::decide::{Publish, Published};
use crate::values::{Actor, Name, OperationId, Priority, TaskId, Wall};
use crate::worker::decide::{SessionCommand, SetCordon};

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
        over: Actor,
    },
    /// `fact`: the task as history has it, when it had left memory. `dead_only`: refused unless it is a dead letter.
    Revive {
        id: TaskId,
        fact: Option<Box<Task>>,
        over: Actor,
        dead_only: bool,
    },
    /// Take a dead letter off the list: it ends as skipped, with its attempts. `fact` as for `Revive`.
    Discard {
        id: TaskId,
        fact: Option<Box<Task>>,
        over: Actor,
    },
    /// About jobs and runs.
    Run(Box<RunCommand>),
    /// About schedules.
    Schedule(Box<ScheduleCommand>),
    /// About backfills.
    Backfill(Box<BackfillCommand>),
    /// Something happened elsewhere; triggers are matched with it.
    Publish(Box<Publish>),
    /// Any command that changes something, under an idempotency key.
    Keyed(Box<Keyed>),
    /// A change of a task, by somebody who said who they are.
    ByActor(Box<ByActor>),
    /// Only under a key: what a request of several commands was answered with. `None` changes nothing, and so only asks
    /// what the key was answered with.
    Remember {
        number: Option<u64>,
    },
    Read {
        id: TaskId,
    },
    /// Do something with everything that matches; goes on in steps after the answer. `before` is set when it begins.
    Bulk(Box<Bulk>),
    /// What it has not come to stays as it is.
    CancelOperation {
        id: OperationId,
        over: Actor,
    },
    /// From the shell: the rows that an operation asked for.
    ContinueOperation {
        id: OperationId,
        page: Box<OperationPage>,
    },
    Report(Box<Report>),
    Session(SessionCommand),
    /// Cordon a worker, drain it, or let it work again.
    Cordon(Box<SetCordon>),
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
            Self::Run(_) => "run",
            Self::Schedule(_) => "schedule",
            Self::Backfill(_) => "backfill",
            Self::Publish(_) => "publish",
            Self::Keyed(keyed) => keyed.command.label(),
            Self::ByActor(by) => by.command.label(),
            Self::Read { .. } => "read",
            Self::Bulk(_) => "bulk",
            Self::CancelOperation { .. } => "cancel_operation",
            Self::Remember { .. } => "remember",
            Self::ContinueOperation { .. } => "continue_operation",
            Self::Report(_) => "report",
            Self::Session(_) => "session",
            Self::Cordon(_) => "cordon",
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
            Self::Run(flow) => flow.key_mut(),
            _ => None,
        }
    }

    pub fn key(&self) -> Option<KeyClaim> {
        match self {
            Self::Submit(submit) => submit.key.map(|(claim, _)| claim),
            Self::Keyed(keyed) => Some(keyed.key.0),
            Self::Publish(publish) => Some(publish.key.0),
            Self::Run(flow) => flow.key(),
            _ => None,
        }
    }
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
        /// As the task has it.
        at: Wall,
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
    Operation(OperationId),
    /// `None`: some worker could run it; else why none can.
    CouldRun(Option<Box<WaitReason>>),
    Diagnosis(Box<Diagnosis>),
    RunDiagnosis(Box<RunDiagnosis>),
    Released(Released),
    /// At most `APPROVALS_MAX`, by run.
    Approvals(Vec<OpenApproval>),
    Stats(Box<Stats>),
    Limits(Box<LimitStandings>),
    Waiting(Box<WaitingGroups>),
    Workers(Vec<WorkerView>),
    Unfinished(Box<UnfinishedPage>),
    /// Bulk operations in memory.
    Operations(Vec<Operation>),
    Run(RunAnswer),
    Schedule(ScheduleAnswer),
    Backfill(BackfillAnswer),
    Published(Box<Published>),
    Remembered(Option<u64>),
    /// A worker is as it was wanted.
    Cordon,
    Triggers(Vec<Trigger>),
    Quarantine(Vec<QuarantinedRow>),
    Done,
}

impl From<TaskAnswer> for Answer {
    fn from(answer: TaskAnswer) -> Self {
        match answer {
            TaskAnswer::Submitted { id, status, at } => Self::Submitted { id, status, at },
            TaskAnswer::AlreadySubmitted { id } => Self::AlreadySubmitted { id },
            TaskAnswer::Now { id, status } => Self::Now { id, status },
            TaskAnswer::Stopping { id } => Self::Stopping { id },
        }
    }
}
