//! Why a command on schedules is refused.

use super::spec::ScheduleKey;
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScheduleRefusal {
    NotFound { key: ScheduleKey },
    NeverFires { key: ScheduleKey },
    TooMany { held: usize, max: usize },
}

impl ScheduleRefusal {
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "SCHEDULE_NOT_FOUND",
            Self::NeverFires { .. } => "SCHEDULE_NEVER_FIRES",
            Self::TooMany { .. } => "TOO_MANY_SCHEDULES",
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::NotFound { .. } => "list the schedules, and check the tenant".into(),
            Self::NeverFires { .. } => "check its start, end and instants: they lie behind".into(),
            Self::TooMany { .. } => {
                "use a name that is no longer used, or raise `limits.schedules_max`".into()
            }
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
        }
    }
}
