//! Why a command on schedules is refused.

use std::fmt;

use super::spec::ScheduleKey;
use crate::values::Revision;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScheduleRefusal {
    NotFound {
        key: ScheduleKey,
    },
    NeverFires {
        key: ScheduleKey,
    },
    TooMany {
        held: usize,
        max: usize,
    },
    /// It has another revision than the caller has seen.
    Changed {
        key: ScheduleKey,
        seen: Revision,
        revision: Revision,
    },
}

impl ScheduleRefusal {
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "SCHEDULE_NOT_FOUND",
            Self::NeverFires { .. } => "SCHEDULE_NEVER_FIRES",
            Self::TooMany { .. } => "TOO_MANY_SCHEDULES",
            Self::Changed { .. } => "REVISION_MISMATCH",
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::NotFound { .. } => "list the schedules, and check the tenant".into(),
            Self::NeverFires { .. } => "check its start, end and instants: they lie behind".into(),
            Self::TooMany { .. } => {
                "use a name that is no longer used, or raise `limits.schedules_max`".into()
            }
            Self::Changed { .. } => "read the schedule again, and change what it is now".into(),
        }
    }
}

impl fmt::Display for ScheduleRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { key } => {
                write!(f, "there is no schedule `{}/{}` (tenant `{}`)", key.job, key.name, key.tenant)
            }
            Self::NeverFires { key } => write!(f, "schedule `{}/{}` has no window ahead", key.job, key.name),
            Self::TooMany { held, max } => write!(f, "{held} of {max} schedules are stored"),
            Self::Changed { key, seen, revision: Revision::NONE } => {
                write!(f, "schedule `{}/{}` is not there, and revision {seen} was seen", key.job, key.name)
            }
            Self::Changed { key, seen, revision } => {
                write!(f, "schedule `{}/{}` has revision {revision}, not {seen}", key.job, key.name)
            }
        }
    }
}
