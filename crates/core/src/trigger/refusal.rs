//! Why triggers of a job file are refused.

use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TriggerRefusal {
    TooMany { held: usize, max: usize },
}

impl TriggerRefusal {
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooMany { .. } => "TOO_MANY_TRIGGERS",
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::TooMany { .. } => {
                "match many types with one trigger (a final `*`), or raise `limits.triggers_max`".into()
            }
        }
    }
}

impl fmt::Display for TriggerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { held, max } => write!(f, "{held} of {max} triggers are stored"),
        }
    }
}
