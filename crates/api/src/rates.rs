//! How fast each queue is worked off: attempts that began in the last minute, by pool, band and tenant.
//! Entry: [`Rates`]; `series` fills it once a second from the dispatcher's counters.
//! - RW-1 at most [`QUEUES_MAX`] queues are kept, and [`KEPT`] looks of each
//!
//! In memory only: a server that starts anew begins with no rate.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use mainspring_core::dispatch::Depth;
use mainspring_core::values::{Band, Name, Wall};

/// Looks of a queue: a minute's.
const KEPT: usize = 61;
const QUEUES_MAX: usize = 10_000;

type Queue = (Name, Band, Name);

#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<BTreeMap<Queue, VecDeque<Look>>>);

#[derive(Clone, Copy, Debug)]
struct Look {
    at: Wall,
    /// Attempts that began before it, as the counter says.
    placed: u64,
}

impl Rates {
    pub(crate) fn take(&self, at: Wall, depths: &[Depth]) {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = std::mem::take(&mut *queues);
        // A queue that is gone has no depth, and is forgotten.
        for depth in depths.iter().take(QUEUES_MAX) {
            let queue = (depth.pool.clone(), depth.band, depth.tenant.clone());
            let mut looks = known.remove(&queue).unwrap_or_default();
            // The counter begins anew with the queue; a clock that goes back makes no span.
            if looks.back().is_some_and(|last| last.placed > depth.placed || last.at > at) {
                looks.clear();
            }
            if looks.len() >= KEPT {
                looks.pop_front();
            }
            looks.push_back(Look { at, placed: depth.placed });
            queues.insert(queue, looks);
        }
    }

    /// Attempts of a queue that began in a minute; `None` until it was looked at twice.
    pub(crate) fn per_minute(&self, depth: &Depth) -> Option<u64> {
        let queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let looks = queues.get(&(depth.pool.clone(), depth.band, depth.tenant.clone()))?;
        let (first, last) = (looks.front()?, looks.back()?);
        let span = last.at.since(first.at).get();
        (span > 0).then(|| (last.placed - first.placed).saturating_mul(60_000) / span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(tenant: &'static str, placed: u64) -> Depth {
        let (pool, tenant) = (Name::fixed("p"), Name::fixed(tenant));
        Depth { pool, band: Band::P1, tenant, queued: 1, running: 0, placed }
    }

    #[test]
    fn a_rate_is_that_of_the_last_minute() {
        let rates = Rates::default();
        let at = |second: u64| Wall::from_millis(1_000_000 + second * 1_000);
        rates.take(at(0), &[depth("a", 100)]);
        assert_eq!(rates.per_minute(&depth("a", 0)), None, "one look has no span");
        rates.take(at(2), &[depth("a", 110)]);
        assert_eq!(rates.per_minute(&depth("a", 0)), Some(300));
        (3..200).for_each(|second| rates.take(at(second), &[depth("a", 110)]));
        assert_eq!(rates.per_minute(&depth("a", 0)), Some(0), "what began long ago is no rate");
        rates.take(at(200), &[depth("a", 3), depth("b", 1)]);
        assert_eq!(rates.per_minute(&depth("a", 0)), None, "its counter began anew");
        rates.take(at(201), &[depth("b", 2)]);
        assert_eq!((rates.per_minute(&depth("a", 0)), rates.per_minute(&depth("b", 0))), (None, Some(60)));
    }
}
