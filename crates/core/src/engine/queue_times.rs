//! How long the tasks placed in one record had waited. Counted when they are placed, told when the record is durable and
//! the start orders leave: what passed in between is the same for all of them, so nothing is kept for each task.

use crate::collections::Histogram;
use crate::values::{Band, Millis, Wall};

/// Waits below this many milliseconds are kept exactly.
const EXACT: usize = 64;

/// Waits of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kind {
    exact: [u32; EXACT],
    longer: Histogram,
    any: bool,
}

impl Default for Kind {
    fn default() -> Self {
        Self { exact: [0; EXACT], longer: Histogram::default(), any: false }
    }
}

/// In milliseconds.
type ByBand = [Histogram; Band::ALL.len()];

/// By band.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QueueTimes {
    /// Since ready to run.
    queued: [Kind; Band::ALL.len()],
    /// Since the instant that was waited for.
    late: [Kind; Band::ALL.len()],
    /// The instant at which they were placed.
    at: Wall,
}

impl QueueTimes {
    pub(super) fn placed(&mut self, band: Band, queued: Wall, due: Wall, now: Wall) {
        self.at = now;
        self.queued[band.index()].note(now.since(queued));
        if due > Wall::ZERO {
            self.late[band.index()].note(now.since(due));
        }
    }

    /// Adds them to the histograms, in milliseconds, as of the instant at which the orders leave.
    pub fn tell(&self, now: Wall, queued: &mut ByBand, late: &mut ByBand) {
        let since = now.since(self.at);
        for (kinds, histograms) in [(&self.queued, queued), (&self.late, late)] {
            for (kind, histogram) in kinds.iter().zip(histograms) {
                kind.tell(since, histogram);
            }
        }
    }
}

impl Kind {
    fn note(&mut self, wait: Millis) {
        self.any = true;
        match self.exact.get_mut(wait.get() as usize) {
            Some(count) => *count += 1,
            None => self.longer.observe(wait.get()),
        }
    }

    fn tell(&self, since: Millis, histogram: &mut Histogram) {
        if !self.any {
            return;
        }
        for (wait, count) in self.exact.iter().enumerate().filter(|(_, count)| **count > 0) {
            histogram.observe_many(wait as u64 + since.get(), u64::from(*count));
        }
        // Which of the longer ones cross a bound by it is not known; the sum is exact.
        histogram.add(&self.longer, since.get());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_since_is_added_to_each() {
        let mut waits = QueueTimes::default();
        let at = |ms: u64| Wall::from_millis(10_000 + ms);
        waits.placed(Band::P0, at(100), Wall::ZERO, at(100));
        waits.placed(Band::P0, at(98), at(90), at(100));
        waits.placed(Band::P2, at(0), Wall::ZERO, at(100));
        let (mut queued, mut late) = <(ByBand, ByBand)>::default();
        waits.tell(at(103), &mut queued, &mut late);
        assert_eq!((queued[0].count(), queued[0].sum()), (2, 3 + 5));
        assert_eq!((queued[1].count(), queued[2].count(), queued[2].sum()), (0, 1, 103));
        assert_eq!((late[0].count(), late[0].sum(), late[2].count()), (1, 13, 0));
        let filled: Vec<_> = queued[0].buckets().filter(|(_, count)| *count > 0).collect();
        assert_eq!(filled, [(4, 1), (8, 1)]);
    }
}
