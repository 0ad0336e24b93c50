//! What day it is for retention. A wrong clock must not drop in a moment what was kept for months.
//! - RD-1 the day advances by at most one for each day of elapsed time, however far the wall clock jumps
//! - RD-2 it goes back with the wall clock, so that nothing new is taken for old

use mainspring_core::values::{Elapsed, Millis, Now};
use mainspring_store::format::{FormatError, Reader, Writer};

const DAY: Millis = Millis::from_secs(24 * 3600);

/// A day, and the elapsed time at which it began to count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Retained {
    day: u32,
    since: Elapsed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Retention(Option<Retained>);

impl Retained {
    pub(super) fn read(r: &mut Reader<'_>) -> Result<Self, FormatError> {
        let day = r.varint32("retention day")?;
        Ok(Self { day, since: Elapsed::from_millis(r.varint("retention since")?) })
    }
}

impl Retention {
    /// `stored`: as the last cut, made at `cut`, has it.
    pub(super) fn resume(stored: Option<Retained>, cut: Now) -> Self {
        let is_new = cut == Now::default();
        let at_cut = || (!is_new).then_some(Retained { day: cut.wall.day(), since: cut.elapsed });
        Self(stored.or_else(at_cut))
    }

    /// The day of a cut that is made now.
    pub(super) fn advance(&mut self, now: Now) -> u32 {
        let today = now.wall.day();
        let Retained { day, since } = self.0.unwrap_or(Retained { day: today, since: now.elapsed });
        let retained = if today <= day {
            Retained { day: today, since: if today < day { now.elapsed } else { since } }
        } else {
            let passed = now.elapsed.since(since).get() / DAY.get();
            let days = u64::from(today - day).min(passed);
            Retained { day: day + days as u32, since: since + DAY.saturating_mul(days) }
        };
        self.0 = Some(retained);
        retained.day
    }

    pub(super) fn write(&self, w: &mut Writer<'_>) {
        let retained = self.0.unwrap_or(Retained { day: 0, since: Elapsed::ZERO });
        w.varint(u64::from(retained.day));
        w.varint(retained.since.millis());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000;

    /// (hours of elapsed time, hours of the wall clock)
    fn at(elapsed: u64, wall: u64) -> Now {
        Now::new(elapsed * HOUR, wall * HOUR)
    }

    #[test]
    fn retention_advances_one_day_a_day() {
        let mut retention = Retention::resume(None, Now::default());
        let day = 24;
        let rows = [
            (0, 100 * day, 100, "a new shard begins with its day"),
            (23, 101 * day - 1, 100, ""),
            (24, 101 * day, 101, "a day later"),
            (25, 831 * day, 101, "two years ahead: held back"),
            (47, 831 * day, 101, ""),
            (48, 832 * day, 102, "one day a day"),
            (96, 834 * day, 104, ""),
            (97, 104 * day, 104, "set right"),
            (120, 105 * day, 105, ""),
            (121, 60 * day, 60, "what is written now is not taken for old"),
            (144, 105 * day, 60, ""),
            (145, 105 * day, 61, ""),
        ];
        for (elapsed, wall, expected, name) in rows {
            assert_eq!(retention.advance(at(elapsed, wall)), expected, "{elapsed} h: {name}");
        }
    }

    #[test]
    fn retention_survives_a_restart() {
        let mut retention = Retention::resume(None, Now::default());
        retention.advance(at(0, 2400));
        let mut bytes = Vec::new();
        retention.write(&mut Writer::new(&mut bytes));
        let stored = Retained::read(&mut Reader::new(&bytes)).expect("readable");
        let mut again = Retention::resume(Some(stored), at(1, 2401));
        assert_eq!(again.advance(at(2, 24_000)), 100, "a start with a wrong clock drops nothing");
        let mut older = Retention::resume(None, at(1, 2401));
        assert_eq!(older.advance(at(2, 24_000)), 100, "nor with tables of an older version");
    }
}
