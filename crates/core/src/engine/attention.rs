//! Whether the server has listened to its workers. The silence of a worker counts only while somebody listens.
//! - AT-1 after a stall of the server (its process was stopped, its machine slept, its journal took long) every worker
//!   has a full lease from the end of the stall, and no deadline of an attempt is judged before that
//! - AT-2 nobody is judged while a stall lasts
//!
//! Not here: how a stall is noticed while the journal is slow (`runtime/src/shard`).

use super::Engine;
use crate::values::{Elapsed, Millis};

/// A server that did not listen for a quarter of a lease has stalled. Workers speak three times in a lease, so a shorter
/// pause costs none of them its lease.
const PARTS_OF_LEASE: u64 = 4;

#[derive(Debug, Default)]
pub(super) struct Attention {
    /// When the server last listened; `None` in tests that have no turns.
    last: Option<Elapsed>,
    /// The end of the last stall.
    since: Elapsed,
}

impl Engine {
    /// Called in every turn, before anything is judged. `listens`: what workers say can be taken in now.
    pub fn listen(&mut self, listens: bool) {
        if !listens {
            return;
        }
        if self.attention.last.is_some_and(|last| self.present.since(last) > self.pause_max()) {
            self.attention.since = self.present;
        }
        self.attention.last = Some(self.present);
    }

    /// A longer pause is a stall.
    pub fn pause_max(&self) -> Millis {
        Millis::new(self.config.limits.lease.get() / PARTS_OF_LEASE)
    }

    /// Whether turns must follow each other closely: without workers there is nobody to listen to.
    pub fn must_listen(&self) -> bool {
        !self.workers.is_empty()
    }

    /// Since when the server has listened without a stall; now, if it does not.
    pub(super) fn listens_since(&self) -> Elapsed {
        if self.config.breaks.judge_before_reading {
            return Elapsed::ZERO;
        }
        let stalled = self.attention.last.is_some_and(|last| self.present.since(last) > self.pause_max());
        if stalled { self.present } else { self.attention.since }
    }

    /// No deadline of an attempt is judged before this instant.
    pub(super) fn judges_from(&self) -> Elapsed {
        match self.listens_since() {
            Elapsed::ZERO => Elapsed::ZERO,
            since => since + self.config.limits.lease,
        }
    }
}
