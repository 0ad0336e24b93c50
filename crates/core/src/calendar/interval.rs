//! Instants at a fixed rate, counted from an anchor, which is the first one.

use super::HORIZON;
use crate::values::{Millis, Wall};

/// A rate of zero means no instants at all.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    pub every: Millis,
    pub anchor: Wall,
}

impl Interval {
    pub fn next(self, after: Wall) -> Option<Wall> {
        self.at(self.count_until(after))
    }

    pub fn previous(self, before: Wall) -> Option<Wall> {
        let before = before.min(HORIZON).millis().checked_sub(1)?;
        self.at(self.count_until(Wall::from_millis(before)).checked_sub(1)?)
    }

    pub fn count(self, after: Wall, until: Wall) -> u64 {
        let last = Wall::from_millis(HORIZON.millis() - 1);
        self.count_until(until.min(last)).saturating_sub(self.count_until(after))
    }

    /// How many instants are not after this one.
    fn count_until(self, until: Wall) -> u64 {
        let Some(span) = until.millis().checked_sub(self.anchor.millis()) else { return 0 };
        span.checked_div(self.every.get()).map_or(0, |whole| whole.saturating_add(1))
    }

    fn at(self, number: u64) -> Option<Wall> {
        let span = self.every.get().checked_mul(number)?;
        let at = Wall::from_millis(self.anchor.millis().checked_add(span)?);
        (at < HORIZON && self.every != Millis::ZERO).then_some(at)
    }
}
