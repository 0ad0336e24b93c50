//! How fast tasks are released: a token bucket in elapsed time.
//! - PA-1 as many as a second allows may go at once; after that they go one by one, evenly
//! - PA-2 soft: after a restart a bucket holds a tenth of that, so that a crash brings no second burst

use super::owed::DECIDED_WITHIN;
use crate::values::{Elapsed, Millis};

const SECOND_NS: u64 = 1_000_000_000;
const MS_NS: u64 = 1_000_000;
/// A run that waits for its rate sleeps at least this long, and then releases what has come together.
const STEP_NS: u64 = 10 * MS_NS;
/// What may go at once after a restart.
const RESTART_NS: u64 = 100 * MS_NS;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pace {
    /// When `debt_ns` was right.
    at: Elapsed,
    /// How long it takes until the bucket is full.
    debt_ns: u64,
}

impl Pace {
    pub const fn after_restart(now: Elapsed) -> Self {
        Self { at: now, debt_ns: SECOND_NS - RESTART_NS }
    }

    /// When something may be released, if not now.
    pub fn open_at(&self, now: Elapsed, per_second: u32) -> Option<Elapsed> {
        let (debt, cost) = (self.debt_ns(now), cost_ns(per_second));
        if debt.saturating_add(cost) <= SECOND_NS {
            return None;
        }
        let wait_ns = debt.saturating_add(cost.max(STEP_NS)) - SECOND_NS;
        Some(now + Millis::new(wait_ns.div_ceil(MS_NS)))
    }

    pub fn take(&mut self, now: Elapsed, per_second: u32) {
        *self = Self { at: now, debt_ns: self.debt_ns(now).saturating_add(cost_ns(per_second)) };
    }

    fn debt_ns(&self, now: Elapsed) -> u64 {
        self.debt_ns.saturating_sub(now.since(self.at).get().saturating_mul(MS_NS))
    }
}

/// Zero for rates that are none.
fn cost_ns(per_second: u32) -> u64 {
    SECOND_NS / u64::from(per_second.max(1))
}

/// The releases of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Releases {
    pub pace: Pace,
    /// A token of all runs together that is already paid, and may be used from then on. Without it every run that
    /// waits would look at the shared bucket again and again.
    pub turn: Option<Elapsed>,
}

impl Releases {
    /// When the run may next release a task, if not now. `own`, `all`: how many a second, this run and all together.
    pub(crate) fn open_at(&self, all: &Pace, now: Elapsed, (own, max): (u32, u32)) -> Option<Elapsed> {
        let own = self.pace.open_at(now, own);
        let all = match self.turn {
            Some(turn) => (turn > now).then_some(turn),
            None => all.open_at(now, max),
        };
        own.max(all)
    }

    /// As [`Releases::open_at`]; a run that has to wait for the others gets a turn of its own.
    pub(crate) fn await_turn(&mut self, all: &mut Pace, now: Elapsed, rates: (u32, u32)) -> Option<Elapsed> {
        let at = self.open_at(all, now, rates)?;
        if self.turn.is_none()
            && let Some(turn) = all.open_at(now, rates.1)
        {
            self.turn = Some(turn);
            all.take(now, rates.1);
        }
        Some(at.min(now + DECIDED_WITHIN))
    }

    pub(crate) fn count(&mut self, all: &mut Pace, now: Elapsed, (own, max): (u32, u32)) {
        self.pace.take(now, own);
        if self.turn.take().is_none() {
            all.take(now, max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many are released at each instant by one that always looks when it is told to.
    fn released(per_second: u32, until_ms: u64) -> Vec<(u64, u32)> {
        let (mut pace, mut now) = (Pace::default(), Elapsed::from_millis(0));
        let mut found = Vec::new();
        while now.millis() < until_ms {
            let mut count = 0;
            let next = loop {
                if let Some(at) = pace.open_at(now, per_second) {
                    break at;
                }
                pace.take(now, per_second);
                count += 1;
            };
            assert!(next > now, "it waits");
            found.push((now.millis(), count));
            now = next;
        }
        found
    }

    #[test]
    fn a_second_at_once_then_evenly() {
        assert_eq!(released(10, 400), [(0, 10), (100, 1), (200, 1), (300, 1)]);
        assert_eq!(released(1, 3_000), [(0, 1), (1_000, 1), (2_000, 1)]);
        let fast = released(1_000, 1_000);
        assert_eq!((fast.len(), fast[0], fast[99]), (100, (0, 1_000), (990, 10)));
        assert!(Pace::default().open_at(Elapsed::from_millis(0), u32::MAX).is_none());
    }

    #[test]
    fn what_was_not_used_is_saved_up_for_a_second_only() {
        let start = Elapsed::from_millis(0);
        let mut pace = Pace::after_restart(start);
        assert_eq!(pace.open_at(start, 10), None);
        pace.take(start, 10);
        assert_eq!(pace.open_at(start, 10), Some(Elapsed::from_millis(100)));
        let late = Elapsed::from_millis(3_600_000);
        for _ in 0..10 {
            assert_eq!(pace.open_at(late, 10), None);
            pace.take(late, 10);
        }
        assert_eq!(pace.open_at(late, 10), Some(Elapsed::from_millis(3_600_100)));
    }
}
