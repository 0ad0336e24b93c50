//! From the machine's raw clocks to the two times of the core.
//! - CK-1 `elapsed` goes on from the last journaled value, plus the wall time the shard was down, if that can be
//!   believed
//! - CK-2 while a shard runs, `wall` never goes back. After a clock was set back by up to [`BACK_MAX`] it stands still
//!   until the clock catches up, by up to [`JUMP_MAX`] it goes on at half the rate, and beyond that at the full rate
//! - CK-3 a wall clock that runs ahead of elapsed time by more than [`LEAP_MAX`] is believed only after it has
//!   stayed ahead for [`LEAP_CONFIRM`]
//! - CK-4 one that runs ahead by more than [`JUMP_MAX`], at the start against the last journaled time, is *held*: time
//!   goes on at its own rate from the last time that was believed, until the kernel vouches for the clock, or
//!   [`HOLD_MAX`] has passed without another step
//! - CK-5 `wall` goes back only at a start, when the kernel or the operator vouches for a clock that is more than
//!   [`BACK_MAX`] behind the last journaled time
//!
//! Nothing is ever due too early by CK-4: that much time has passed for certain.

use mainspring_core::values::{Elapsed, Millis, Now, Wall};

/// A wall clock may gain this much on elapsed time without being doubted.
pub const LEAP_MAX: Millis = Millis::from_secs(5);
/// A leap that lasts this long is believed.
pub const LEAP_CONFIRM: Millis = Millis::from_secs(5);
/// A wall clock that gained more than this is held.
pub const JUMP_MAX: Millis = Millis::from_secs(24 * 3600);
/// A held clock is believed after this long without another step.
pub const HOLD_MAX: Millis = Millis::from_secs(600);
/// A wall clock may fall back this much and is waited for.
pub const BACK_MAX: Millis = Millis::from_secs(300);

/// What the machine's clocks say, untreated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Monotonic, from any origin.
    pub monotonic: Millis,
    pub wall: Wall,
    /// The kernel says that `wall` is synchronised with a time server. False also if it was not asked; see
    /// [`ShardClock::is_in_doubt`].
    pub synchronised: bool,
}

impl Reading {
    /// The kernel was not asked.
    pub const fn new(monotonic: Millis, wall: Wall) -> Self {
        Self { monotonic, wall, synchronised: false }
    }
}

/// How far a wall clock is believed that does not run as time does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trust {
    /// As CK-4 and CK-5 say.
    #[default]
    Verify,
    /// The operator vouches for the clock (`--accept-clock`, `dev`).
    Accept,
    /// Always and at once: a rule switched off, to prove that the simulator notices.
    Blind,
}

/// A wall clock that is not believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// It is this much ahead of the time that is believed (CK-4).
    Ahead { by: Millis, since: Wall },
    /// It is this much behind the time that was journaled (CK-2).
    Behind { by: Millis, since: Wall },
}

#[derive(Debug)]
pub struct ShardClock {
    trust: Trust,
    /// Elapsed time when the monotonic clock stood at `origin`.
    base: Elapsed,
    origin: Millis,
    last: Now,
    /// A pair of readings that agreed.
    anchor: Now,
    leapt_at: Option<Elapsed>,
    /// Since when time goes on at half the rate (CK-2).
    slowed: Option<Now>,
    held: Option<Held>,
    behind: Option<(Millis, Wall)>,
    /// By how much the start went back (CK-5).
    set_back: Option<Millis>,
}

/// A clock that jumped ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Held {
    since: Wall,
    by: Millis,
    /// Since when it has run as time does, and what it said then.
    steady: Now,
}

impl ShardClock {
    /// `last`: the times of the last journaled record, zero for a new shard.
    pub fn resume(last: Now, reading: Reading, trust: Trust) -> Self {
        let is_new = last == Now::default();
        let (ahead, behind) = (reading.wall.since(last.wall), last.wall.since(reading.wall));
        let vouched = reading.synchronised || trust != Trust::Verify;
        let jumped = !is_new && ahead > JUMP_MAX;
        let back = !is_new && behind > BACK_MAX;
        let down = match () {
            // A new shard was not down, whatever the calendar says.
            () if is_new || jumped && !vouched => Millis::ZERO,
            // Nobody but the kernel can vouch for so long a time.
            () if jumped && trust == Trust::Accept && !reading.synchronised => JUMP_MAX,
            () => ahead,
        };
        let wall = match () {
            () if jumped && !vouched => last.wall,
            () if back && vouched && trust != Trust::Blind => reading.wall,
            () => reading.wall.max(last.wall),
        };
        let now = Now { elapsed: last.elapsed + down, wall };
        // A clock that is doubted is compared with the last journaled time.
        let agreed = if (jumped || back) && !vouched { last.wall } else { reading.wall };
        Self {
            trust,
            base: now.elapsed,
            origin: reading.monotonic,
            last: now,
            anchor: Now { wall: agreed, ..now },
            leapt_at: None,
            slowed: None,
            held: None,
            behind: None,
            set_back: (wall < last.wall).then_some(behind),
        }
    }

    pub fn now(&mut self, reading: Reading) -> Now {
        let passed = Millis::new(reading.monotonic.get().saturating_sub(self.origin.get()));
        let elapsed = (self.base + passed).max(self.last.elapsed);
        let wall = self.believed(elapsed, reading).max(self.last.wall);
        self.last = Now { elapsed, wall };
        self.last
    }

    /// The instant that was told last.
    pub fn last(&self) -> Now {
        self.last
    }

    /// How long from now until the core's clocks reach an instant.
    pub fn until(&self, elapsed: Option<Elapsed>, wall: Option<Wall>) -> Option<Millis> {
        let elapsed = elapsed.map(|at| at.since(self.last.elapsed));
        let wall = wall.map(|at| at.since(self.last.wall));
        [elapsed, wall].into_iter().flatten().min()
    }

    /// Whether the next reading should say if the kernel vouches for the clock.
    pub fn is_in_doubt(&self) -> bool {
        self.held.is_some()
    }

    /// Why the wall clock is not believed, unless the operator vouches for it.
    pub fn doubt(&self) -> Option<Doubt> {
        if self.trust != Trust::Verify {
            return None;
        }
        let held = self.held.map(|Held { by, since, .. }| Doubt::Ahead { by, since });
        held.or_else(|| self.behind.map(|(by, since)| Doubt::Behind { by, since }))
    }

    /// By how much the wall time went back at the start.
    pub fn set_back(&self) -> Option<Millis> {
        self.set_back
    }

    fn believed(&mut self, elapsed: Elapsed, reading: Reading) -> Wall {
        let expected = self.anchor.wall + elapsed.since(self.anchor.elapsed);
        let (ahead, behind) = (reading.wall.since(expected), expected.since(reading.wall));
        if behind > BACK_MAX && self.trust != Trust::Blind {
            (self.leapt_at, self.held) = (None, None);
            return self.behind(elapsed, reading.wall, expected);
        }
        (self.slowed, self.behind) = (None, None);
        let confirmed = if ahead <= LEAP_MAX {
            true
        } else if ahead <= JUMP_MAX || self.trust != Trust::Verify {
            self.held = None;
            let since = *self.leapt_at.get_or_insert(elapsed);
            elapsed.since(since) >= LEAP_CONFIRM
        } else {
            self.leapt_at = None;
            reading.synchronised || self.hold(elapsed, reading.wall, expected)
        };
        if confirmed { self.agree(elapsed, reading.wall) } else { expected }
    }

    fn agree(&mut self, elapsed: Elapsed, raw: Wall) -> Wall {
        (self.leapt_at, self.slowed, self.held) = (None, None, None);
        self.anchor = Now { elapsed, wall: raw };
        raw
    }

    /// What is believed while the clock is far behind.
    fn behind(&mut self, elapsed: Elapsed, raw: Wall, expected: Wall) -> Wall {
        let by = expected.since(raw);
        if by > JUMP_MAX {
            let since = self.behind.map_or(expected, |(_, since)| since);
            (self.slowed, self.behind) = (None, Some((by, since)));
            return expected;
        }
        self.behind = None;
        let from = *self.slowed.get_or_insert(Now { elapsed, ..self.last });
        let wall = from.wall + Millis::new(elapsed.since(from.elapsed).get() / 2);
        if wall.since(raw) <= BACK_MAX {
            self.agree(elapsed, raw);
        }
        wall
    }

    /// Whether a clock that jumped ahead has run as time does for long enough.
    fn hold(&mut self, elapsed: Elapsed, raw: Wall, expected: Wall) -> bool {
        let by = raw.since(expected);
        let now = Now { elapsed, wall: raw };
        let held = self.held.get_or_insert(Held { since: expected, by, steady: now });
        let steady = held.steady.wall + elapsed.since(held.steady.elapsed);
        if raw.since(steady) > LEAP_MAX || steady.since(raw) > LEAP_MAX {
            held.steady = now;
        }
        held.by = by;
        elapsed.since(held.steady.elapsed) >= HOLD_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400_000;
    /// Some time in 2026.
    const T: u64 = 1_794_000_000_000;

    fn reading(monotonic: u64, wall: u64) -> Reading {
        Reading::new(Millis::new(monotonic), Wall::from_millis(wall))
    }

    fn vouched(monotonic: u64, wall: u64) -> Reading {
        Reading { synchronised: true, ..reading(monotonic, wall) }
    }

    fn resume(last: Now, reading: Reading) -> ShardClock {
        ShardClock::resume(last, reading, Trust::Verify)
    }

    #[test]
    fn both_clocks_go_on_after_a_restart() {
        let mut clock = resume(Now::new(5_000, 1_000_000), reading(7, 1_060_000));
        assert_eq!(clock.now(reading(7, 1_060_000)), Now::new(65_000, 1_060_000), "down for a minute");
        assert_eq!(clock.now(reading(17, 1_060_010)), Now::new(65_010, 1_060_010));
    }

    #[test]
    fn a_clock_set_back_a_little_stands_still() {
        let mut clock = resume(Now::default(), reading(0, 3_600_000));
        for (monotonic, wall, expected) in
            [(1_000, 3_601_000, 3_601_000), (2_000, 3_402_000, 3_601_000), (3_000, 3_403_000, 3_601_000)]
        {
            assert_eq!(clock.now(reading(monotonic, wall)), Now::new(monotonic, expected));
        }
        assert_eq!(clock.doubt(), None);
    }

    #[test]
    fn a_clock_set_back_by_minutes_is_waited_for_at_half_the_rate() {
        let minute = 60_000;
        let mut clock = resume(Now::default(), reading(0, T));
        let mut at = |minutes: u64, raw: u64| clock.now(reading(minutes * minute, raw)).wall.millis() - T;
        assert_eq!(at(1, T + minute), minute);
        for (minutes, expected) in [(2, 60_000), (4, 120_000), (10, 300_000)] {
            assert_eq!(at(minutes, T + minutes * minute - 10 * minute), expected, "minute {minutes}");
        }
        assert_eq!(at(12, T + 2 * minute), 300_000, "near enough: stands still");
        assert_eq!(at(16, T + 6 * minute), 360_000, "caught up");
    }

    #[test]
    fn behind_a_clock_set_back_far_time_goes_on() {
        let mut clock = resume(Now::default(), reading(0, T));
        for (monotonic, wall) in [(1_000, T + 1_000), (2_000, T - DAY), (3_000, T - DAY + 1_000)] {
            assert_eq!(clock.now(reading(monotonic, wall)), Now::new(monotonic, T + monotonic));
        }
        let doubt = Doubt::Behind { by: Millis::new(DAY + 2_000), since: Wall::from_millis(T + 2_000) };
        assert_eq!(clock.doubt(), Some(doubt));
        assert_eq!(clock.now(reading(4_000, T + 4_000)), Now::new(4_000, T + 4_000));
        assert_eq!(clock.doubt(), None, "it was set right");
    }

    #[test]
    fn a_leap_ahead_waits_for_confirmation() {
        let mut clock = resume(Now::default(), reading(0, 0));
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
        let mut clock = resume(Now::default(), reading(0, 0));
        assert_eq!(clock.now(reading(1_000, 3_601_000)).wall.millis(), 1_000);
        assert_eq!(clock.now(reading(2_000, 2_000)).wall.millis(), 2_000);
        assert_eq!(clock.now(reading(8_000, 8_000)).wall.millis(), 8_000);
    }

    #[test]
    fn a_jump_at_the_start_is_held_and_leaves_nothing_behind() {
        let last = Now::new(5_000, T);
        let mut clock = resume(last, reading(0, T + 730 * DAY));
        for passed in [0, 1_000, 3_000] {
            let now = clock.now(reading(passed, T + 730 * DAY + passed));
            assert_eq!(
                now,
                Now::new(5_000 + passed, T + passed),
                "time goes on from the last journaled instant"
            );
        }
        let doubt = Doubt::Ahead { by: Millis::new(730 * DAY), since: Wall::from_millis(T) };
        assert!(clock.is_in_doubt());
        assert_eq!(clock.doubt(), Some(doubt));
        // The next start has the right time.
        let mut clock = resume(clock.last(), reading(0, T + 10_000));
        assert_eq!(clock.now(reading(0, T + 10_000)), Now::new(15_000, T + 10_000));
        assert_eq!(clock.doubt(), None);
    }

    #[test]
    fn a_held_clock_is_believed_when_it_is_vouched_for_or_steady_for_long() {
        let ahead = T + 3 * DAY;
        let start = || resume(Now::new(0, T), reading(0, ahead));
        let mut clock = start();
        assert_eq!(clock.now(reading(1_000, ahead + 1_000)).wall.millis(), T + 1_000);
        assert_eq!(clock.now(vouched(2_000, ahead + 2_000)), Now::new(2_000, ahead + 2_000), "by the kernel");
        assert_eq!(clock.doubt(), None);

        let minute = 60_000;
        let mut clock = start();
        let mut wall = |minutes: u64, off: u64| {
            clock.now(reading(minutes * minute, ahead + minutes * minute + off)).wall.millis()
        };
        assert_eq!(wall(0, 0), T);
        assert_eq!(wall(9, 0), T + 9 * minute);
        assert_eq!(wall(9, minute), T + 9 * minute, "another step");
        assert_eq!(wall(18, minute), T + 18 * minute, "the ten minutes begin again");
        assert_eq!(wall(19, minute), ahead + 20 * minute, "and are over");
    }

    #[test]
    fn an_operator_vouches_for_the_clock() {
        let accept = |last, reading| ShardClock::resume(last, reading, Trust::Accept);
        let mut clock = accept(Now::new(0, T), reading(0, T + 30 * DAY));
        assert_eq!(
            clock.now(reading(0, T + 30 * DAY)),
            Now::new(DAY, T + 30 * DAY),
            "down for a day at most"
        );
        assert_eq!(clock.doubt(), None);
        let mut clock = resume(Now::new(0, T), vouched(0, T + 30 * DAY));
        assert_eq!(clock.now(reading(0, T + 30 * DAY)), Now::new(30 * DAY, T + 30 * DAY));
    }

    #[test]
    fn a_start_goes_back_only_if_somebody_vouches_for_the_clock() {
        let last = Now::new(7_000, T + 730 * DAY);
        let mut clock = resume(last, reading(0, T));
        assert_eq!(clock.now(reading(1_000, T + 1_000)), Now::new(8_000, T + 730 * DAY + 1_000));
        assert!(matches!(clock.doubt(), Some(Doubt::Behind { .. })));
        for mut clock in [resume(last, vouched(0, T)), ShardClock::resume(last, reading(0, T), Trust::Accept)]
        {
            assert_eq!(clock.set_back(), Some(Millis::new(730 * DAY)));
            assert_eq!(clock.now(reading(1_000, T + 1_000)), Now::new(8_000, T + 1_000));
        }
        let clock = resume(last, vouched(0, T + 730 * DAY - 60_000));
        assert_eq!((clock.set_back(), clock.last().wall), (None, last.wall), "a minute is waited for");
    }
}
