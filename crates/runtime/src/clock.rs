//! From the machine's raw clocks to the two times of the core.
//! - CK-1 `elapsed` goes on from the last journaled value, plus the wall time the shard was down
//! - CK-2 `wall` never falls below the last journaled value: a clock set back stands still until it catches up
//! - CK-3 a wall clock that runs ahead of elapsed time by more than [`LEAP_MAX`] is believed only after it has
//!   stayed ahead for [`LEAP_CONFIRM`]

use mainspring_core::time::{Elapsed, Millis, Now, Wall};

/// A wall clock may gain this much on elapsed time without being doubted.
pub const LEAP_MAX: Millis = Millis::from_secs(5);
/// A leap that lasts this long is believed.
pub const LEAP_CONFIRM: Millis = Millis::from_secs(5);

/// What the machine's clocks say, untreated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Monotonic, from any origin.
    pub monotonic: Millis,
    pub wall: Wall,
}

#[derive(Debug)]
pub struct ShardClock {
    /// Elapsed time when the monotonic clock stood at `origin`.
    base: Elapsed,
    origin: Millis,
    last: Now,
    /// A pair of readings that agreed.
    anchor: Now,
    leapt_at: Option<Elapsed>,
}

impl ShardClock {
    /// `last`: the times of the last journaled record, zero for a new shard.
    pub fn resume(last: Now, reading: Reading) -> Self {
        let base = last.elapsed + reading.wall.since(last.wall).min(down_time_max(last));
        let now = Now { elapsed: base, wall: reading.wall.max(last.wall) };
        Self {
            base,
            origin: reading.monotonic,
            last: now,
            anchor: Now { wall: reading.wall, ..now },
            leapt_at: None,
        }
    }

    pub fn now(&mut self, reading: Reading) -> Now {
        let passed = Millis::new(reading.monotonic.get().saturating_sub(self.origin.get()));
        let elapsed = (self.base + passed).max(self.last.elapsed);
        let wall = self.believed(elapsed, reading.wall).max(self.last.wall);
        self.last = Now { elapsed, wall };
        self.last
    }

    /// How long from now until the core's clocks reach an instant.
    pub fn until(&self, elapsed: Option<Elapsed>, wall: Option<Wall>) -> Option<Millis> {
        let elapsed = elapsed.map(|at| at.since(self.last.elapsed));
        let wall = wall.map(|at| at.since(self.last.wall));
        [elapsed, wall].into_iter().flatten().min()
    }

    fn believed(&mut self, elapsed: Elapsed, raw: Wall) -> Wall {
        let expected = self.anchor.wall + elapsed.since(self.anchor.elapsed);
        if raw.since(expected) <= LEAP_MAX {
            self.leapt_at = None;
            self.anchor = Now { elapsed, wall: raw };
            return raw;
        }
        let since = *self.leapt_at.get_or_insert(elapsed);
        if elapsed.since(since) < LEAP_CONFIRM {
            return expected;
        }
        self.leapt_at = None;
        self.anchor = Now { elapsed, wall: raw };
        raw
    }
}

/// A new shard was not down, whatever the calendar says.
fn down_time_max(last: Now) -> Millis {
    if last == Now::default() { Millis::ZERO } else { Millis::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(monotonic: u64, wall: u64) -> Reading {
        Reading { monotonic: Millis::new(monotonic), wall: Wall::from_millis(wall) }
    }

    #[test]
    fn both_clocks_go_on_after_a_restart() {
        let mut clock = ShardClock::resume(Now::new(5_000, 1_000_000), reading(7, 1_060_000));
        assert_eq!(clock.now(reading(7, 1_060_000)), Now::new(65_000, 1_060_000), "down for a minute");
        assert_eq!(clock.now(reading(17, 1_060_010)), Now::new(65_010, 1_060_010));
    }

    #[test]
    fn a_clock_set_back_stands_still() {
        let mut clock = ShardClock::resume(Now::default(), reading(0, 3_600_000));
        for (monotonic, wall, expected) in
            [(1_000, 3_601_000, 3_601_000), (2_000, 2_000, 3_601_000), (3_000, 3_000, 3_601_000)]
        {
            assert_eq!(clock.now(reading(monotonic, wall)), Now::new(monotonic, expected));
        }
    }

    #[test]
    fn a_leap_ahead_waits_for_confirmation() {
        let mut clock = ShardClock::resume(Now::default(), reading(0, 0));
        let rows = [
            (1_000, 1_000, 1_000, "in step"),
            (2_000, 3_602_000, 2_000, "leapt by an hour: not believed"),
            (6_000, 3_606_000, 6_000, "still not"),
            (7_000, 3_607_000, 3_607_000, "stayed ahead: believed"),
            (8_000, 3_608_000, 3_608_000, "in step again"),
        ];
        for (monotonic, wall, expected, name) in rows {
            assert_eq!(clock.now(reading(monotonic, wall)).wall.millis(), expected, "{name}");
        }
    }

    #[test]
    fn a_leap_that_is_taken_back_never_counted() {
        let mut clock = ShardClock::resume(Now::default(), reading(0, 0));
        assert_eq!(clock.now(reading(1_000, 3_601_000)).wall.millis(), 1_000);
        assert_eq!(clock.now(reading(2_000, 2_000)).wall.millis(), 2_000);
        assert_eq!(clock.now(reading(8_000, 8_000)).wall.millis(), 8_000);
    }
}
