//! What the shard's thread measures beside its work: plain numbers of its own, copied out when someone asks.

use std::time::Duration;

use mainspring_core::collections::Histogram;
use mainspring_core::engine::{QueueTimes, Tally};
use mainspring_core::values::{Band, Wall};

use crate::clock::Doubt;
use crate::shard::ShardFigures;

/// Since the node was opened.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meters {
    /// By band: from queued to the start order leaving, in milliseconds.
    pub scheduling_ms: [Histogram; Band::ALL.len()],
    /// By band: from the instant a task waited for to the start order leaving, in milliseconds.
    pub lateness_ms: [Histogram; Band::ALL.len()],
    /// One turn of the shard's thread without its sleep, in microseconds.
    pub turn_us: Histogram,
    /// One append to the journal with its fsync, in microseconds.
    pub append_us: Histogram,
    pub record_events: Histogram,
    pub journal_bytes: u64,
    pub appends_failed: u64,
    /// How old what a cut holds is when the tables have it, in milliseconds.
    pub checkpoint_lag_ms: Histogram,
    pub cuts_failed: u64,
}

/// Everything that is measured in a node, at one instant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    pub figures: ShardFigures,
    pub meters: Meters,
    pub tally: Tally,
    pub epoch: u64,
    /// Why the wall clock is not believed.
    pub doubt: Option<Doubt>,
}

impl Meters {
    /// The start orders of these leave now.
    pub(super) fn released(&mut self, waits: &QueueTimes, now: Wall) {
        waits.tell(now, &mut self.scheduling_ms, &mut self.lateness_ms);
    }

    pub(super) fn appended(&mut self, took: Duration, events: u32, bytes: usize) {
        self.append_us.observe(took.as_micros() as u64);
        self.record_events.observe(u64::from(events));
        self.journal_bytes += bytes as u64;
    }
}
