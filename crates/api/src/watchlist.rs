//! Runs of which the watchdog has told. Entry: [`Watchlist`].
//! - WR-1 it holds at most [`RUNS_MAX`] runs, the newest alerts; whether one is still late or stalled is asked of the shard
//! - WR-2 nobody waits here: the shard's thread only notes an id

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mainspring_core::values::RunId;

/// More runs in trouble than a person looks at one by one.
const RUNS_MAX: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Watchlist(Mutex<VecDeque<RunId>>);

impl Watchlist {
    pub(crate) fn note(&self, run: RunId) {
        let mut runs = self.runs();
        if runs.contains(&run) {
            return;
        }
        if runs.len() >= RUNS_MAX {
            runs.pop_front();
        }
        runs.push_back(run);
    }

    pub(crate) fn list(&self) -> Vec<RunId> {
        self.runs().iter().copied().collect()
    }

    /// These have ended, or go on as they should.
    pub(crate) fn forget(&self, gone: &[RunId]) {
        self.runs().retain(|run| !gone.contains(run));
    }

    fn runs(&self) -> MutexGuard<'_, VecDeque<RunId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_and_each_once() {
        let list = Watchlist::default();
        for bits in 0..RUNS_MAX as u128 + 2 {
            list.note(RunId::from_bits(bits));
            list.note(RunId::from_bits(bits));
        }
        assert_eq!((list.list().len(), list.list()[0]), (RUNS_MAX, RunId::from_bits(2)));
        list.forget(&[RunId::from_bits(2)]);
        assert_eq!(list.list()[0], RunId::from_bits(3));
    }
}
