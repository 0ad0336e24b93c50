//! Why a cron expression was refused.

use std::fmt;

/// A field of a cron expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    Second,
    Minute,
    Hour,
    DayOfMonth,
    Month,
    DayOfWeek,
}

impl Field {
    pub const ALL: [Self; 6] =
        [Self::Second, Self::Minute, Self::Hour, Self::DayOfMonth, Self::Month, Self::DayOfWeek];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::DayOfMonth => "day of month",
            Self::Month => "month",
            Self::DayOfWeek => "day of week",
        }
    }

    /// Smallest and largest number that may be written.
    pub(super) const fn bounds(self) -> (u32, u32) {
        match self {
            Self::Second | Self::Minute => (0, 59),
            Self::Hour => (0, 23),
            Self::DayOfMonth => (1, 31),
            Self::Month => (1, 12),
            Self::DayOfWeek => (0, 7),
        }
    }

    /// Largest number that differs from all others: Sunday is 0 and 7.
    pub(super) const fn last(self) -> u32 {
        match self {
            Self::DayOfWeek => 6,
            other => other.bounds().1,
        }
    }

    /// Names of the values, from the smallest.
    pub(super) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Month => &MONTHS,
            Self::DayOfWeek => &WEEKDAYS,
            _ => &[],
        }
    }
}

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// What is wrong with a cron expression, where, and what to write instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CronError {
    /// `None`: the expression as a whole.
    pub field: Option<Field>,
    /// Byte of the text, from 0, at which the wrong part begins.
    pub position: usize,
    pub wrong: String,
    pub advice: String,
}

impl CronError {
    pub(super) fn whole(wrong: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { field: None, position: 0, wrong: wrong.into(), advice: advice.into() }
    }

    /// What is wrong and where, without the advice.
    pub fn message(&self) -> String {
        match self.field {
            Some(field) => format!("{}, at character {}: {}", field.label(), self.position + 1, self.wrong),
            None => self.wrong.clone(),
        }
    }
}

impl fmt::Display for CronError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message(), self.advice)
    }
}

impl std::error::Error for CronError {}
