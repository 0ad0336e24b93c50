use std::collections::BTreeSet;

use super::timers::Wheel;
use crate::values::Chance;

const YEAR_MS: u64 = 365 * 86_400_000;
const ALL: usize = usize::MAX;

fn expire(wheel: &mut Wheel, now: u64, limit: usize) -> Vec<u32> {
    let mut out = Vec::new();
    wheel.expire(now, limit, &mut out);
    out
}

fn wheel_of(timers: &[(u32, u64)]) -> Wheel {
    let mut wheel = Wheel::default();
    for &(key, at) in timers {
        wheel.arm(key, at);
    }
    wheel
}

#[test]
fn fires_on_its_instant_at_any_distance() {
    let far = 1_u64 << 32;
    let distances = [
        [0, 1, 2, 254, 255, 256, 257],
        [511, 512, 65_534, 65_535, 65_536, 65_537, 65_792],
        [(1 << 24) - 1, 1 << 24, (1 << 24) + 1, far - 1, far, far + 1, far + 256],
        [1 << 40, 1 << 48, (1 << 56) - 1, 1 << 56, 1 << 63, 100 * YEAR_MS, u64::MAX / 2],
    ];
    for begin in [0, 1, 255, 256, 65_535, (1 << 24) - 1, far - 1, 1_763_000_000_000] {
        for distance in distances.as_flattened() {
            check_fires(begin, begin + distance);
        }
        check_fires(begin, u64::MAX - 1);
        check_fires(begin, u64::MAX);
    }
}

#[track_caller]
fn check_fires(begin: u64, at: u64) {
    let mut wheel = Wheel::new(begin);
    wheel.arm(3, at);
    assert_eq!((wheel.armed(3), wheel.next_wake(), wheel.len()), (Some(at), Some(at), 1), "{begin} to {at}");
    if at > begin {
        assert_eq!(expire(&mut wheel, at - 1, ALL), [], "{begin} to {at}, early");
        assert_eq!((wheel.armed(3), wheel.next_wake()), (Some(at), Some(at)), "{begin} to {at}");
    }
    assert_eq!(expire(&mut wheel, at, ALL), [3], "{begin} to {at}");
    assert_eq!((wheel.armed(3), wheel.next_wake(), wheel.len()), (None, None, 0), "{begin} to {at}");
}

#[test]
fn order_is_instant_then_key() {
    type Row = (&'static str, &'static [(u32, u64)], &'static [u32]);
    let rows: [Row; 5] = [
        ("same instant", &[(7, 10), (2, 10), (9, 10), (0, 10)], &[0, 2, 7, 9]),
        ("instants before keys", &[(1, 12), (2, 11), (3, 10)], &[3, 2, 1]),
        ("two levels", &[(1, 300), (5, 255), (4, 255), (0, 300)], &[4, 5, 0, 1]),
        ("same far instant", &[(8, 70_000), (6, 70_000), (7, 69_999)], &[7, 6, 8]),
        ("all levels", &[(0, 1 << 40), (1, 1 << 25), (2, 1 << 17), (3, 1 << 9), (4, 1)], &[4, 3, 2, 1, 0]),
    ];
    for (name, timers, order) in rows {
        let mut wheel = wheel_of(timers);
        assert_eq!(expire(&mut wheel, 1 << 41, ALL), order, "{name}");
        assert!(wheel.is_empty(), "{name}");
    }
}

#[test]
fn arming_again_moves_the_timer() {
    let rows = [
        ("sooner, same level", 200, 100),
        ("sooner, lower level", 70_000, 100),
        ("later, same level", 100, 200),
        ("later, higher level", 100, 70_000),
        ("same instant", 100, 100),
        ("into the past", 100, 0),
    ];
    for (name, from, to) in rows {
        let mut wheel = Wheel::new(1);
        wheel.arm(4, from);
        wheel.arm(4, to);
        assert_eq!((wheel.armed(4), wheel.len()), (Some(to), 1), "{name}");
        assert_eq!(expire(&mut wheel, to.max(2) - 1, ALL), if to == 0 { vec![4] } else { vec![] }, "{name}");
        assert_eq!(expire(&mut wheel, 80_000, ALL), if to == 0 { vec![] } else { vec![4] }, "{name}");
    }
}

#[test]
fn disarming_takes_out_only_that_key() {
    for gone in 0..4 {
        let mut wheel = wheel_of(&[(0, 500), (1, 500), (2, 500), (3, 500)]);
        assert!(wheel.disarm(gone));
        assert!(!wheel.disarm(gone), "a second time");
        assert!(!wheel.disarm(99), "never armed");
        assert_eq!((wheel.armed(gone), wheel.armed(99), wheel.len()), (None, None, 3));
        let rest: Vec<u32> = (0..4).filter(|key| *key != gone).collect();
        assert_eq!(expire(&mut wheel, 500, ALL), rest);
    }
}

#[test]
fn what_a_limit_holds_back_can_still_change() {
    let mut wheel = wheel_of(&[(1, 10), (2, 10), (3, 10), (4, 10), (5, 10), (6, 11)]);
    assert_eq!(expire(&mut wheel, 20, 2), [1, 2]);
    assert_eq!((wheel.len(), wheel.next_wake()), (4, Some(10)));
    assert!(wheel.disarm(4));
    wheel.arm(5, 30);
    wheel.arm(0, 10);
    wheel.arm(7, 9);
    assert_eq!(expire(&mut wheel, 20, 0), []);
    assert_eq!(expire(&mut wheel, 20, 2), [7, 0]);
    assert_eq!(expire(&mut wheel, 20, 2), [3, 6]);
    assert_eq!(expire(&mut wheel, 29, 2), []);
    assert_eq!(expire(&mut wheel, 30, 2), [5]);
}

#[test]
fn a_burst_comes_in_order_through_a_small_limit() {
    let mut wheel = Wheel::default();
    for key in (0..10_000).rev() {
        wheel.arm(key, 1000);
    }
    let mut out = Vec::new();
    while !wheel.is_empty() {
        wheel.expire(1000, 64, &mut out);
    }
    assert!(out.iter().copied().eq(0..10_000));
}

#[test]
fn keeps_what_is_already_in_the_output() {
    let mut wheel = wheel_of(&[(1, 5), (2, 5)]);
    let mut out = vec![9, 8];
    wheel.expire(5, 1, &mut out);
    assert_eq!(out, [9, 8, 1]);
}

#[test]
fn a_jump_of_years_fires_everything_between() {
    let timers: Vec<(u32, u64)> = (0..50).map(|key| (key, u64::from(50 - key) * YEAR_MS)).collect();
    let mut wheel = wheel_of(&timers);
    assert_eq!(wheel.next_wake(), Some(YEAR_MS));
    assert_eq!(expire(&mut wheel, 10 * YEAR_MS, ALL), (40..50).rev().collect::<Vec<_>>());
    assert_eq!(expire(&mut wheel, 10_000 * YEAR_MS, ALL), (0..40).rev().collect::<Vec<_>>());
    wheel.arm(1, 10_000 * YEAR_MS + 1);
    assert_eq!(expire(&mut wheel, u64::MAX, ALL), [1]);
    wheel.arm(1, u64::MAX);
    assert_eq!(expire(&mut wheel, u64::MAX, ALL), [1]);
}

#[test]
fn empty_time_takes_no_steps() {
    // A wheel that looked at each tick would not come back from this.
    let mut wheel = wheel_of(&[(1, 1 << 60)]);
    for now in (0..1_u64 << 60).step_by(1 << 45) {
        assert_eq!(expire(&mut wheel, now, ALL), []);
    }
    assert_eq!(expire(&mut wheel, 1 << 60, ALL), [1]);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "time went back from 10 to 9")]
fn time_going_back_is_a_bug() {
    let mut wheel = Wheel::default();
    expire(&mut wheel, 10, ALL);
    expire(&mut wheel, 9, ALL);
}

#[test]
fn does_what_a_sorted_set_does() {
    for seed in 0..300 {
        let mut world = World::new(seed);
        for _ in 0..400 {
            world.step();
        }
        world.run_out();
    }
}

/// The wheel beside the simplest thing that keeps the same promises.
struct World {
    seed: u64,
    chance: Chance,
    keys: u64,
    /// Instants are drawn up to 2 to the power of this ahead.
    reach: u64,
    now: u64,
    wheel: Wheel,
    set: BTreeSet<(u64, u32)>,
    armed: Vec<Option<u64>>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let now = [0, 250, 65_500, (1 << 32) - 5, 1_763_000_000_000][chance.below(5) as usize];
        let keys = [1, 8, 60, 400][chance.below(4) as usize];
        let reach = [2, 6, 9, 17, 25, 33, 41, 60][chance.below(8) as usize];
        let armed = vec![None; keys as usize];
        Self { seed, chance, keys, reach, now, wheel: Wheel::new(now), set: BTreeSet::new(), armed }
    }

    fn step(&mut self) {
        let key = self.chance.below(self.keys) as u32;
        match self.chance.below(10) {
            0..=4 => self.arm(key),
            5 => self.disarm(key),
            6 => self.pass(0),
            7 | 8 => {
                let span = self.distance() / 4;
                self.pass(span);
            }
            _ => {
                let earliest = self.set.first().map_or(self.now, |(at, _)| *at);
                self.pass(earliest.saturating_sub(self.now));
            }
        }
        self.compare();
    }

    /// Mostly short, sometimes as far as the world reaches: near and far timers have to meet.
    fn distance(&mut self) -> u64 {
        let bits = self.chance.below(self.reach + 1);
        self.chance.below(1 << bits)
    }

    fn arm(&mut self, key: u32) {
        let distance = self.distance();
        let past = self.chance.per_mille(50);
        let at = if past { self.now.saturating_sub(distance) } else { self.now.saturating_add(distance) };
        if let Some(before) = self.armed[key as usize].replace(at) {
            self.set.remove(&(before, key));
        }
        self.set.insert((at, key));
        self.wheel.arm(key, at);
    }

    fn disarm(&mut self, key: u32) {
        let before = self.armed[key as usize].take();
        if let Some(at) = before {
            self.set.remove(&(at, key));
        }
        assert_eq!(self.wheel.disarm(key), before.is_some(), "seed {}", self.seed);
    }

    fn pass(&mut self, span: u64) {
        self.now = self.now.saturating_add(span);
        let limit = [1, 3, 50, ALL][self.chance.below(4) as usize];
        let fired = expire(&mut self.wheel, self.now, limit);
        let mut wanted = Vec::new();
        while wanted.len() < limit
            && let Some(&(at, key)) = self.set.first().filter(|(at, _)| *at <= self.now)
        {
            self.set.remove(&(at, key));
            wanted.push(key);
            self.armed[key as usize] = None;
        }
        assert_eq!(fired, wanted, "seed {} at {}", self.seed, self.now);
    }

    fn compare(&mut self) {
        assert_eq!(self.wheel.len(), self.set.len(), "seed {}", self.seed);
        let earliest = self.set.first().map(|(at, _)| *at);
        let wake = self.wheel.next_wake();
        assert_eq!(wake.is_some(), earliest.is_some(), "seed {}", self.seed);
        assert!(wake <= earliest, "seed {}: wakes at {wake:?} for {earliest:?}", self.seed);
        let key = self.chance.below(self.keys) as u32;
        assert_eq!(self.wheel.armed(key), self.armed[key as usize], "seed {} key {key}", self.seed);
    }

    /// Sleeping until `next_wake` reaches every timer, with at most one wake for nothing a level.
    fn run_out(&mut self) {
        let mut idle = 0;
        while let Some(wake) = self.wheel.next_wake() {
            let before = self.set.len();
            self.pass(wake.saturating_sub(self.now));
            idle = if self.set.len() < before { 0 } else { idle + 1 };
            assert!(idle < 8, "seed {}: woken {idle} times for nothing", self.seed);
        }
        assert!(self.set.is_empty(), "seed {}", self.seed);
    }
}
