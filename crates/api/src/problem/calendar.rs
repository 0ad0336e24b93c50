//! What can be wrong with the times of a schedule.

use std::fmt;

use http::StatusCode;
use mainspring_core::calendar::{CronError, Zone};

use super::Problem;

#[derive(Clone, PartialEq, Debug)]
pub enum CalendarProblem {
    BadCron(CronError),
    UnknownTimeZone {
        name: String,
        near: Option<&'static str>,
    },
    /// A field that only tasks have that recur, or only those that do not.
    TimingDoesNotFit {
        field: &'static str,
        recurs: bool,
    },
}

impl CalendarProblem {
    /// A zone by its name, or what was probably meant.
    pub fn zone(name: &str) -> Result<Zone, Self> {
        Zone::find(name).ok_or_else(|| Self::UnknownTimeZone {
            name: name.chars().take(100).collect(),
            near: Zone::suggest(name),
        })
    }

    pub fn code(&self) -> &'static str {
        match self {
            Self::BadCron(_) => "BAD_CRON",
            Self::UnknownTimeZone { .. } => "UNKNOWN_TIME_ZONE",
            Self::TimingDoesNotFit { .. } => "TIMING_DOES_NOT_FIT",
        }
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::BadCron(_) | Self::UnknownTimeZone { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TimingDoesNotFit { .. } => StatusCode::CONFLICT,
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::BadCron(error) => error.advice.clone(),
            Self::UnknownTimeZone { near: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::UnknownTimeZone { near: None, .. } => "use an IANA name such as `Europe/Berlin`".into(),
            Self::TimingDoesNotFit { recurs: true, .. } => "name `cron` or `every`, and `timezone`".into(),
            Self::TimingDoesNotFit { recurs: false, .. } => "name `scheduled_at` or `delay_ms`".into(),
        }
    }
}

impl fmt::Display for CalendarProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadCron(error) => f.write_str(&error.message()),
            Self::UnknownTimeZone { name, .. } => write!(f, "there is no time zone `{name}`"),
            Self::TimingDoesNotFit { field, recurs: true } => {
                write!(f, "the task recurs, and has no `{field}`")
            }
            Self::TimingDoesNotFit { field, recurs: false } => {
                write!(f, "the task does not recur, and has no `{field}`")
            }
        }
    }
}

impl From<CronError> for CalendarProblem {
    fn from(error: CronError) -> Self {
        Self::BadCron(error)
    }
}

impl From<CalendarProblem> for Problem {
    fn from(problem: CalendarProblem) -> Self {
        Self::Calendar(problem)
    }
}
