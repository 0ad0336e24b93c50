//! Questions: read-only, answered from memory by `engine::Engine`, journaled nowhere.
//! Entry: [`Question`], inside `Command::Ask`.
//! - QE-1 a question changes nothing; QE-2 its cost is bounded, whatever the state holds

mod approval;
mod job_wait;
mod part;
mod run;

use std::fmt;
use std::sync::Arc;

pub use self::approval::{APPROVALS_MAX, OpenApproval, Released};
pub use self::job_wait::JobWait;
pub use self::part::Part;
pub use self::run::{
    Hold, ITEMS_MAX, Items, NAMED_MAX, NODES_MAX, NodeDiagnosis, NodeStanding, PLACES_MAX, RunDiagnosis,
    RunStanding,
};
use super::Counts;
use crate::dispatch::{Depth, LimitLoad, PoolLimit, WaitKind, WaitReason};
use crate::task::{Profile, Status, StopReason, Task};
use crate::trigger::TriggerKey;
use crate::values::{
    Band, Epoch, Incarnation, Millis, Name, OperationId, RunId, Session, TaskId, Wall, WorkerId,
};
use crate::wait::Awaited;
use crate::worker::{Availability, Cordon, WorkerOffer};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Why is this task not running, or what is it waiting for?
    Why { id: TaskId },
    /// Where is this run, and why has it not ended?
    Run { id: RunId },
    /// The states of what a run has out: of its nodes, or of items of one of them; and what of it waits for approval.
    Released { run: RunId, items: Option<ItemRange> },
    /// Tasks that wait for approval.
    Approvals,
    /// Could any worker that is known run tasks like this, if it were idle?
    CouldRun { profile: Arc<Profile> },
    /// How much waits and runs.
    Stats,
    /// Who holds permits of named limits, and how many wait.
    Limits,
    /// How many queued tasks wait for what.
    Waiting,
    /// Who works, or only this one.
    Workers { only: Option<WorkerId> },
    /// Unfinished tasks in memory, in no order that means anything.
    Unfinished(Box<Unfinished>),
    /// Bulk operations that have not ended; or this one, if memory has it.
    Operations { only: Option<OperationId> },
    /// One trigger.
    Trigger { key: Box<TriggerKey> },
    /// By tenant, job and name; without deleted ones.
    Triggers { after: Option<Box<TriggerKey>>, tenant: Option<Name>, job: Option<Name>, limit: usize },
}

/// Items of a mapped node, from one on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemRange {
    pub node: u32,
    pub from: u32,
    pub count: u32,
}

/// Slots looked at for one answer.
pub const SCAN_MAX: u32 = 20_000;

/// Every field narrows; `None` and empty do not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unfinished {
    /// Where the last answer ended; 0 at first.
    pub from: u32,
    pub limit: usize,
    pub tenant: Option<Name>,
    pub job: Option<Name>,
    pub statuses: Vec<Status>,
    pub worker: Option<WorkerId>,
    pub label: Option<(Name, Name)>,
    pub pool: Option<Name>,
    /// Only queued tasks that wait for this.
    pub waits_for: Option<WaitsFor>,
}

/// What queued tasks wait for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitsFor {
    pub kind: WaitKind,
    /// Only of this limit.
    pub limit: Option<Name>,
}

impl WaitsFor {
    pub(super) fn is(&self, reason: &WaitReason) -> bool {
        reason.kind() == self.kind && self.limit.as_ref().is_none_or(|limit| reason.limit() == Some(limit))
    }
}

/// Queued tasks that wait for the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitingGroup {
    pub pool: Name,
    pub band: Band,
    pub tenant: Name,
    /// That of the tasks which have waited longest.
    pub reason: WaitReason,
    pub queued: u64,
    /// The task that has waited longest, and since when.
    pub oldest: TaskId,
    pub since: Wall,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WaitingGroups {
    /// By pool, band and tenant.
    pub groups: Vec<WaitingGroup>,
    /// Not all were looked at.
    pub more: bool,
}

impl Unfinished {
    pub fn wants(&self, task: &Task) -> bool {
        let status = task.status();
        !status.is_ended()
            && (self.statuses.is_empty() || self.statuses.contains(&status))
            && self.tenant.as_ref().is_none_or(|tenant| *tenant == task.profile.tenant)
            && self.job.as_ref().is_none_or(|job| *job == task.profile.job)
            && self.worker.is_none_or(|worker| task.lease().is_some_and(|lease| lease.worker == worker))
            && self.label.as_ref().is_none_or(|label| task.labels().contains(label))
            && self.pool.as_ref().is_none_or(|pool| *pool == task.profile.requirements.pool)
            && (self.waits_for.is_none() || status == Status::Queued)
    }
}

/// A page of [`Unfinished`]; it may be empty although another follows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct UnfinishedPage {
    /// In which places in memory mean what `next` says.
    pub epoch: Epoch,
    pub tasks: Vec<Task>,
    pub next: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    pub depths: Vec<Depth>,
    /// Tasks in memory; ended ones count until the tables have them.
    pub counts: Vec<(Status, u64)>,
    pub engine: Counts,
    pub workers: usize,
    /// By name.
    pub pools: Vec<PoolRoom>,
    /// Of pools that have limits, by name.
    pub limits: Vec<(Name, PoolLimit)>,
}

/// How named limits are used; see [`LimitLoads`](crate::dispatch::LimitLoads).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LimitStandings {
    /// By tenant and name.
    pub limits: Vec<LimitStanding>,
    /// Not all were looked at.
    pub more: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitStanding {
    pub usage: LimitLoad,
    /// The first ones.
    pub holders: Vec<TaskId>,
}

/// The workers of a pool and their room.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PoolRoom {
    pub pool: Name,
    pub connected: u64,
    /// Of those that are connected.
    pub slots: u64,
    /// Attempts held, by the connected ones or not.
    pub held: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerView {
    pub id: WorkerId,
    pub session: Option<Session>,
    /// The highest number that one of its sessions had.
    pub newest_session: Session,
    pub incarnation: Incarnation,
    pub availability: Availability,
    /// It said that it stops.
    pub leaving: bool,
    /// How long ago it was last heard.
    pub silent: Millis,
    pub offer: WorkerOffer,
    pub holds: u32,
    /// Who closed it to new work, why, and since when.
    pub cordon: Option<Cordon>,
}

impl WorkerView {
    /// Of a worker of which at most a cordon is known.
    pub fn away(id: WorkerId, cordon: Option<&Cordon>) -> Self {
        Self {
            id,
            session: None,
            newest_session: Session::ZERO,
            incarnation: Incarnation::ZERO,
            availability: cordon.map_or(Availability::Open, Cordon::availability),
            leaving: false,
            silent: Millis::ZERO,
            offer: WorkerOffer::default(),
            holds: 0,
            cordon: cordon.cloned(),
        }
    }

    /// It has said hello since the server started, or something of it is in the journal.
    pub fn is_known(&self) -> bool {
        self.newest_session != Session::ZERO || self.holds > 0
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnosis {
    pub id: TaskId,
    pub status: Status,
    /// The run it belongs to.
    pub part: Option<Part>,
    pub standing: Standing,
    /// Who holds what it waits for, as far as they are named.
    pub holders: Vec<TaskId>,
}

/// Where a task stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    WaitsForTime {
        due: Wall,
    },
    Waits(WaitReason),
    /// Failed an attempt; the next one comes after this long.
    Backoff {
        left: Millis,
        due: Wall,
        retries_spent: u32,
        /// Whose retry budget is used up, if that makes it wait longer than its backoff.
        budget: Option<String>,
    },
    Deferred {
        left: Millis,
    },
    /// For something outside, at most until then.
    WaitsFor {
        what: Awaited,
        deadline: Wall,
    },
    /// A worker has it since so long; `silent` = not heard of for this long.
    Held {
        worker: WorkerId,
        since: Millis,
        silent: Millis,
        stopping: Option<StopReason>,
    },
    Ended,
}

impl Standing {
    /// What the reader can do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::WaitsForTime { .. } => "wait, or run it now".into(),
            Self::Waits(reason) => reason.advice(),
            Self::Backoff { budget: Some(_), .. } => {
                "wait, or run it now; many tasks like it failed, and its last error says what failed. \
                 `limits.retries_per_minute` and `limits.retry_burst` set the budget"
                    .into()
            }
            Self::Backoff { .. } => "wait, run it now, or cancel it; its last error says what failed".into(),
            Self::Deferred { .. } => "wait, or run it now".into(),
            Self::WaitsFor { what: Awaited::Approval(_), .. } => {
                "approve or reject it; at its deadline its `on_timeout` decides".into()
            }
            Self::WaitsFor { .. } => "wait, or run it now to go on without".into(),
            Self::Held { stopping: Some(_), .. } => "wait until the worker has stopped it".into(),
            Self::Held { .. } => "wait, or cancel it with force".into(),
            Self::Ended => "read its result; one that failed can be retried".into(),
        }
    }

    /// A word for programs.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::WaitsForTime { .. } => "waits_for_time",
            Self::Waits(reason) => reason.kind().label(),
            Self::Backoff { budget: Some(_), .. } => "retry_budget",
            Self::Backoff { .. } => "backoff",
            Self::Deferred { .. } => "deferred",
            Self::WaitsFor { what: Awaited::Until(_), .. } => "waits_for_time",
            Self::WaitsFor { what: Awaited::Run(_), .. } => "waits_for_run",
            Self::WaitsFor { what: Awaited::Event(_), .. } => "waits_for_event",
            Self::WaitsFor { what: Awaited::Approval(_), .. } => "waits_for_approval",
            Self::Held { stopping: Some(_), .. } => "stopping",
            Self::Held { .. } => "held",
            Self::Ended => "ended",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WaitsForTime { .. } => f.write_str("its time has not come"),
            Self::Waits(reason) => reason.fmt(f),
            Self::Backoff { left, retries_spent, budget: Some(whose), .. } => write!(
                f,
                "the retry budget of {whose} is used up; the next attempt begins in {left} ({retries_spent} \
                 retries spent)"
            ),
            Self::Backoff { left, retries_spent, budget: None, .. } => {
                write!(f, "an attempt failed; the next one begins in {left} ({retries_spent} retries spent)")
            }
            Self::WaitsFor { what: Awaited::Until(_), .. } => f.write_str("it waits until its time has come"),
            Self::WaitsFor { what: Awaited::Event(mask), .. } => {
                write!(f, "it waits for an event of type `{}`", mask.kind)?;
                mask.subject.as_ref().map_or(Ok(()), |subject| write!(f, " about `{subject}`"))
            }
            Self::WaitsFor { what: Awaited::Approval(approval), .. } => {
                write!(f, "it waits for approval by {approval}")
            }
            Self::WaitsFor { what: Awaited::Run(run), .. } => {
                write!(f, "it waits for the end of run `{run}`")
            }
            Self::Deferred { left } => write!(f, "it asked to be started again in {left}"),
            Self::Held { worker, since, silent, stopping } => {
                write!(f, "`{worker}` has it for {since}, and was last heard {silent} ago")?;
                if stopping.is_some() { f.write_str("; it was asked to stop") } else { Ok(()) }
            }
            Self::Ended => f.write_str("it has ended"),
        }
    }
}
