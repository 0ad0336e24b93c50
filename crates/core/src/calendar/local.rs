//! Local times as people read them.

use std::fmt;

use super::DAY;
use super::civil::date;
use super::zone::Zone;

/// An instant on the clock of a zone, shown as RFC 3339 with the zone's offset: `2025-03-09T03:00:00-04:00`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Local {
    seconds: i64,
    offset: i64,
}

impl Zone {
    /// What its clocks show at an instant in seconds since 1970 UTC.
    pub fn local(self, seconds: i64) -> Local {
        Local { seconds, offset: self.offset_at(seconds) }
    }
}

impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // RFC 3339 has no seconds in offsets. Only times long past have such; they are shown in UTC.
        let offset = if self.offset % 60 == 0 { self.offset } else { 0 };
        let local = self.seconds + offset;
        let (month, day) = date(local.div_euclid(DAY));
        let time = local.rem_euclid(DAY);
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
        write!(f, "{:04}-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}", month.year, month.month)?;
        let (sign, ahead) = if offset < 0 { ('-', -offset) } else { ('+', offset) };
        write!(f, "{sign}{:02}:{:02}", ahead / 3600, ahead / 60 % 60)
    }
}
