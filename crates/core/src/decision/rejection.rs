//! Why a command was refused: a code, what is wrong, and what the caller can do next.

use std::fmt;

use crate::backfill::BackfillRefusal;
use crate::key::KeyHolder;
use crate::run::RunRefusal;
use crate::schedule::ScheduleRefusal;
use crate::task::Status;
use crate::trigger::TriggerRefusal;
use crate::values::{Millis, Name, OperationId, RunId, TaskId};

/// Why a failed task of a run is no dead letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repaired {
    /// The run tolerated the failure.
    Succeeded { run: RunId },
    /// The task was cleared, and another one took its place.
    Replaced { run: RunId },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    TaskNotFound {
        id: TaskId,
    },
    TaskAlreadyRunning {
        id: TaskId,
    },
    TaskAlreadyEnded {
        id: TaskId,
        status: Status,
    },
    /// The task is past the point where this can be changed.
    TaskAlreadyStarted {
        id: TaskId,
        status: Status,
    },
    TaskNotEnded {
        id: TaskId,
        status: Status,
    },
    NotADeadLetter {
        id: TaskId,
        status: Status,
        /// It failed, and its run no longer minds.
        repaired: Option<Repaired>,
    },
    /// The wanted state cannot be forced.
    StateNotForcible {
        status: Status,
    },
    KeyReused {
        existing: KeyHolder,
    },
    QueueFull {
        pool: Name,
        tenant: Name,
        queued: u64,
        max: u64,
    },
    TooManyTasks {
        held: u64,
        max: u64,
    },
    MemoryFull {
        held: u64,
        max: u64,
    },
    PayloadTooLarge {
        bytes: usize,
        max: usize,
    },
    TooManyPermits {
        count: usize,
        max: usize,
    },
    TooManyLabels {
        count: usize,
        max: usize,
    },
    TooFarAhead {
        max: Millis,
    },
    TooManyOperations {
        max: usize,
    },
    OperationNotRunning {
        id: OperationId,
    },
    TooManyCordons {
        max: usize,
    },
    Run(Box<RunRefusal>),
    Schedule(Box<ScheduleRefusal>),
    Backfill(Box<BackfillRefusal>),
    Trigger(Box<TriggerRefusal>),
    /// The tables lag behind the journal; urgent work is refused last.
    StoreBehind {
        retry_after: Millis,
    },
    /// The disk is full or the store cannot be written; nothing was recorded.
    StoreUnavailable {
        retry_after: Millis,
    },
    /// A row of the tables cannot be read.
    RowDamaged {
        row: Name,
    },
    RowNotQuarantined {
        row: Name,
    },
    /// This shard no longer owns its buckets.
    NotOwner,
    Internal {
        what: &'static str,
    },
}

impl Rejection {
    /// A word that names the kind of refusal; `docs/errors/` has a page for each.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TaskNotFound { .. } => "TASK_NOT_FOUND",
            Self::TaskAlreadyRunning { .. } => "TASK_ALREADY_RUNNING",
            Self::TaskAlreadyEnded { .. } => "TASK_ALREADY_ENDED",
            Self::TaskAlreadyStarted { .. } => "TASK_ALREADY_STARTED",
            Self::TaskNotEnded { .. } => "TASK_NOT_ENDED",
            Self::NotADeadLetter { .. } => "NOT_A_DEAD_LETTER",
            Self::StateNotForcible { .. } => "STATE_NOT_FORCIBLE",
            Self::KeyReused { .. } => "IDEMPOTENCY_KEY_REUSED",
            Self::QueueFull { .. } => "QUEUE_FULL",
            Self::TooManyTasks { .. } => "TOO_MANY_TASKS",
            Self::MemoryFull { .. } => "MEMORY_FULL",
            Self::PayloadTooLarge { .. } => "PAYLOAD_TOO_LARGE",
            Self::TooManyPermits { .. } => "TOO_MANY_LIMITS",
            Self::TooManyLabels { .. } => "TOO_MANY_LABELS",
            Self::TooFarAhead { .. } => "TOO_FAR_AHEAD",
            Self::TooManyOperations { .. } => "TOO_MANY_OPERATIONS",
            Self::OperationNotRunning { .. } => "OPERATION_NOT_RUNNING",
            Self::TooManyCordons { .. } => "TOO_MANY_CORDONS",
            Self::Run(refusal) => refusal.code(),
            Self::Schedule(refusal) => refusal.code(),
            Self::Backfill(refusal) => refusal.code(),
            Self::Trigger(refusal) => refusal.code(),
            Self::StoreBehind { .. } => "STORE_BEHIND",
            Self::StoreUnavailable { .. } => "STORE_UNAVAILABLE",
            Self::RowDamaged { .. } => "ROW_DAMAGED",
            Self::RowNotQuarantined { .. } => "ROW_NOT_QUARANTINED",
            Self::NotOwner => "NOT_OWNER",
            Self::Internal { .. } => "INTERNAL",
        }
    }

    /// Every code, for the test that each has a page.
    pub const CODES: [&'static str; 55] = [
        "BACKFILL_NOT_FOUND",
        "BACKFILL_ALREADY_ENDED",
        "BACKFILL_ACTIVE",
        "BACKFILL_PLAN_OLD",
        "TOO_MANY_BACKFILLS",
        "SCHEDULE_NOT_BACKFILLABLE",
        "TOO_MANY_WINDOWS",
        "TOO_MANY_TRIGGERS",
        "SCHEDULE_NOT_FOUND",
        "SCHEDULE_NEVER_FIRES",
        "TOO_MANY_SCHEDULES",
        "TASK_NOT_FOUND",
        "TASK_ALREADY_RUNNING",
        "TASK_ALREADY_ENDED",
        "TASK_ALREADY_STARTED",
        "TASK_NOT_ENDED",
        "NOT_A_DEAD_LETTER",
        "STATE_NOT_FORCIBLE",
        "IDEMPOTENCY_KEY_REUSED",
        "QUEUE_FULL",
        "TOO_MANY_TASKS",
        "MEMORY_FULL",
        "PAYLOAD_TOO_LARGE",
        "TOO_MANY_LABELS",
        "TOO_MANY_LIMITS",
        "TOO_FAR_AHEAD",
        "TOO_MANY_OPERATIONS",
        "OPERATION_NOT_RUNNING",
        "TOO_MANY_CORDONS",
        "JOB_NOT_FOUND",
        "RUN_NOT_FOUND",
        "RUN_ALREADY_ENDED",
        "RUN_NOT_ENDED",
        "RUN_HAS_NO_SUCH_TASK",
        "TASK_HAS_NO_ITEMS",
        "TASK_HAS_NO_SUCH_ITEM",
        "NOTHING_FAILED",
        "WAITS_FOR_APPROVAL",
        "APPROVAL_ALREADY_DECIDED",
        "APPROVER_NOT_ALLOWED",
        "NO_APPROVAL_OPEN",
        "SEVERAL_APPROVALS_OPEN",
        "ITEM_NOT_NAMED",
        "TASK_OF_RUN",
        "RUN_STATE_NOT_FORCIBLE",
        "LOGICAL_TIME_REUSED",
        "TOO_MANY_RUNS",
        "TOO_MANY_JOBS",
        "REVISION_MISMATCH",
        "STORE_BEHIND",
        "STORE_UNAVAILABLE",
        "ROW_DAMAGED",
        "ROW_NOT_QUARANTINED",
        "NOT_OWNER",
        "INTERNAL",
    ];

    pub fn advice(&self) -> String {
        match self {
            Self::TaskNotFound { .. } => "check the id; ended tasks are kept as long as history is".into(),
            Self::TaskAlreadyRunning { .. } => "cancel with force to stop it".into(),
            Self::TaskAlreadyEnded { id, .. } => format!("read {id} for its result"),
            Self::TaskAlreadyStarted { .. } => "cancel it and submit it again with the change".into(),
            Self::TaskNotEnded { .. } => "wait until it has ended, or cancel it".into(),
            Self::NotADeadLetter { repaired: Some(Repaired::Succeeded { run }), .. } => {
                format!("nothing has to be done; to run it again all the same, clear it in {run}")
            }
            Self::NotADeadLetter { repaired: Some(Repaired::Replaced { run }), .. } => {
                format!("read {run} for the task that took its place")
            }
            Self::NotADeadLetter { repaired: None, .. } => {
                "only tasks that failed or were quarantined can be handled so".into()
            }
            Self::StateNotForcible { .. } => "force one of succeeded, failed, skipped".into(),
            Self::KeyReused { existing: KeyHolder::Request } => "use another key for another request".into(),
            Self::KeyReused { existing } => {
                format!("read {existing}, or use another key for another request")
            }
            Self::QueueFull { pool, .. } => format!("slow the producer, or raise `pools.{pool}.queued_max`"),
            Self::TooManyTasks { .. } => "slow the producer, or raise `limits.tasks_max`".into(),
            Self::MemoryFull { .. } => "slow the producer, or raise `limits.payload_bytes_held_max`".into(),
            Self::PayloadTooLarge { .. } => "store the data elsewhere and pass a reference".into(),
            Self::TooManyPermits { .. } => "name fewer limits".into(),
            Self::TooManyLabels { .. } => "use fewer labels".into(),
            Self::TooFarAhead { .. } => "choose a nearer time".into(),
            Self::Run(refusal) => refusal.advice(),
            Self::Schedule(refusal) => refusal.advice(),
            Self::Backfill(refusal) => refusal.advice(),
            Self::Trigger(refusal) => refusal.advice(),
            Self::TooManyOperations { .. } => "wait until a bulk operation has ended".into(),
            Self::OperationNotRunning { .. } => {
                "nothing is left to do: `mainspring operation list` shows what has not ended".into()
            }
            Self::TooManyCordons { .. } => "uncordon workers that do not come back".into(),
            Self::StoreBehind { .. } | Self::StoreUnavailable { .. } => {
                "try again later; a change was not recorded: repeat it with the same idempotency key".into()
            }
            Self::RowDamaged { row } => {
                format!("restore the row from a backup, then `mainspring store release {row}`")
            }
            Self::RowNotQuarantined { .. } => {
                "list the quarantined rows: `mainspring store quarantine`".into()
            }
            Self::NotOwner => "ask again; the request will be sent to the new owner".into(),
            Self::Internal { .. } => "report this as a bug; nothing was recorded".into(),
        }
    }

    pub fn retry_after(&self) -> Option<Millis> {
        match self {
            Self::StoreBehind { retry_after } | Self::StoreUnavailable { retry_after } => Some(*retry_after),
            Self::QueueFull { .. } | Self::TooManyTasks { .. } | Self::MemoryFull { .. } => {
                Some(Millis::from_secs(2))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TaskNotFound { id } => write!(f, "there is no task `{id}`"),
            Self::TaskAlreadyRunning { id } => write!(f, "task `{id}` is already running"),
            Self::TaskAlreadyEnded { id, status } => {
                write!(f, "task `{id}` has already ended: `{}`", status.label())
            }
            Self::TaskAlreadyStarted { id, status } => {
                write!(f, "task `{id}` has started and is `{}`", status.label())
            }
            Self::TaskNotEnded { id, status } => write!(f, "task `{id}` has not ended: `{}`", status.label()),
            Self::NotADeadLetter { id, status, repaired } => {
                write!(f, "task `{id}` is no dead letter: it is `{}`", status.label())?;
                match repaired {
                    Some(Repaired::Succeeded { run }) => {
                        write!(f, ", and its run `{run}` succeeded all the same")
                    }
                    Some(Repaired::Replaced { run }) => {
                        write!(f, ", and was cleared in its run `{run}` since")
                    }
                    None => Ok(()),
                }
            }
            Self::StateNotForcible { status } => write!(f, "a task cannot be forced to `{}`", status.label()),
            Self::KeyReused { existing } => {
                write!(f, "this idempotency key belongs to {existing}, which was a different request")
            }
            Self::QueueFull { pool, tenant, queued, max } => {
                write!(f, "pool `{pool}` holds {queued} of {max} waiting tasks (tenant `{tenant}`)")
            }
            Self::TooManyTasks { held, max } => {
                write!(f, "{held} of {max} unfinished tasks are held in memory")
            }
            Self::MemoryFull { held, max } => write!(f, "{held} of {max} payload bytes are held in memory"),
            Self::PayloadTooLarge { bytes, max } => {
                write!(f, "the payload has {bytes} bytes of at most {max}")
            }
            Self::TooManyPermits { count, max } => {
                write!(f, "the task names {count} limits of at most {max}")
            }
            Self::TooManyLabels { count, max } => write!(f, "there are {count} labels of at most {max}"),
            Self::TooFarAhead { max } => {
                write!(f, "the start lies more than {} days ahead", max.get() / 86_400_000)
            }
            Self::Run(refusal) => refusal.fmt(f),
            Self::Schedule(refusal) => refusal.fmt(f),
            Self::Backfill(refusal) => refusal.fmt(f),
            Self::Trigger(refusal) => refusal.fmt(f),
            Self::TooManyOperations { max } => write!(f, "{max} bulk operations are already going on"),
            Self::OperationNotRunning { id } => {
                write!(f, "operation `{}` has ended, or there never was one", id.get())
            }
            Self::TooManyCordons { max } => write!(f, "{max} workers are already cordoned or draining"),
            Self::StoreBehind { .. } => f.write_str("the tables lag too far behind the journal"),
            Self::StoreUnavailable { .. } => f.write_str("the store cannot be written"),
            Self::RowDamaged { row } => {
                write!(f, "the row of `{row}` in the tables is damaged; it was quarantined")
            }
            Self::RowNotQuarantined { row } => write!(f, "no row `{row}` is quarantined"),
            Self::NotOwner => f.write_str("this shard has another owner now"),
            Self::Internal { what } => write!(f, "internal error: {what}"),
        }
    }
}

impl From<BackfillRefusal> for Rejection {
    fn from(refusal: BackfillRefusal) -> Self {
        Self::Backfill(Box::new(refusal))
    }
}

impl From<TriggerRefusal> for Rejection {
    fn from(refusal: TriggerRefusal) -> Self {
        Self::Trigger(Box::new(refusal))
    }
}

impl From<ScheduleRefusal> for Rejection {
    fn from(refusal: ScheduleRefusal) -> Self {
        Self::Schedule(Box::new(refusal))
    }
}

impl From<RunRefusal> for Rejection {
    fn from(refusal: RunRefusal) -> Self {
        Self::Run(Box::new(refusal))
    }
}
