//! Why a wish about backfills was refused.

use std::fmt;

use crate::schedule::ScheduleKey;
use crate::values::BackfillId;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BackfillRefusal {
    NotFound {
        id: BackfillId,
    },
    AlreadyEnded {
        id: BackfillId,
    },
    /// One of the schedule goes on.
    Active {
        id: BackfillId,
        key: ScheduleKey,
    },
    /// Windows were decided since the ledger was read.
    PlanOld {
        key: ScheduleKey,
    },
    TooMany {
        held: usize,
        max: usize,
    },
    /// The range has more windows than one backfill may run.
    TooManyWindows {
        count: u64,
        max: usize,
    },
    /// It has no windows that can be told for the past, or begins no runs.
    NotBackfillable {
        key: ScheduleKey,
        why: &'static str,
    },
}

impl BackfillRefusal {
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "BACKFILL_NOT_FOUND",
            Self::AlreadyEnded { .. } => "BACKFILL_ALREADY_ENDED",
            Self::Active { .. } => "BACKFILL_ACTIVE",
            Self::PlanOld { .. } => "BACKFILL_PLAN_OLD",
            Self::TooMany { .. } => "TOO_MANY_BACKFILLS",
            Self::TooManyWindows { .. } => "TOO_MANY_WINDOWS",
            Self::NotBackfillable { .. } => "SCHEDULE_NOT_BACKFILLABLE",
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::NotFound { .. } => "list the backfills, and check the id".into(),
            Self::AlreadyEnded { id } => format!("read `{id}` for what it did"),
            Self::Active { id, .. } => format!("wait for `{id}`, or cancel it"),
            Self::PlanOld { .. } => "try again".into(),
            Self::TooMany { .. } => {
                "wait until one has ended, cancel one, or raise `limits.backfills_max`".into()
            }
            Self::TooManyWindows { .. } => "choose a shorter range, and backfill one after the other".into(),
            Self::NotBackfillable { .. } => "trigger the job by hand with the parameters it needs".into(),
        }
    }
}

impl fmt::Display for BackfillRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { id } => write!(f, "there is no backfill `{id}`"),
            Self::AlreadyEnded { id } => write!(f, "backfill `{id}` has already ended"),
            Self::Active { id, key } => {
                write!(f, "backfill `{id}` of schedule `{}/{}` has not ended", key.job, key.name)
            }
            Self::PlanOld { key } => {
                write!(f, "windows of schedule `{}/{}` were decided since they were read", key.job, key.name)
            }
            Self::TooMany { held, max } => write!(f, "{held} of {max} backfills have not ended"),
            Self::TooManyWindows { count, max } => {
                write!(f, "the range has {count} windows of at most {max}")
            }
            Self::NotBackfillable { key, why } => {
                write!(f, "schedule `{}/{}` cannot be backfilled: {why}", key.job, key.name)
            }
        }
    }
}
