//! Bounds on everything a caller can make grow, each with the rejection that names it.

use super::time::Millis;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    pub payload_bytes_max: usize,
    pub output_bytes_max: usize,
    pub checkpoint_bytes_max: usize,
    /// Checkpoints of one attempt that come sooner wait; the newest of them is stored when the gap ends.
    pub checkpoint_gap: Millis,
    /// Tasks held in memory by one shard; ended ones count until a cut has stored them.
    pub tasks_max: u64,
    /// Payload bytes held in memory by one shard.
    pub payload_bytes_held_max: u64,
    /// How far ahead a start may lie.
    pub ahead_max: Millis,
    /// Tasks that all runs together release in a second.
    pub release_per_second: u32,
    /// Runs that have not ended, or whose end is not yet in the tables.
    pub runs_max: usize,
    pub jobs_max: usize,
    /// Schedules; deleted ones count until they are forgotten.
    pub schedules_max: usize,
    /// Backfills that have not ended.
    pub backfills_max: usize,
    /// Triggers; deleted ones count until they are forgotten.
    pub triggers_max: usize,
    /// Bytes of outputs that one run keeps for others of its tasks.
    pub run_output_bytes_max: u64,
    /// Bulk operations at once.
    pub operations_max: usize,
    /// Workers that are cordoned or draining.
    pub cordons_max: usize,
    /// Waits that events end in one record; the others are ended in the next ones.
    pub event_waits_per_record: u32,
    /// Events that ends of runs and tasks bring about by triggers in one record; the others come in the next ones.
    pub announced_per_record: u32,
    /// A worker that was not heard of for this long is lost.
    pub lease: Millis,
    /// What was deleted this long ago leaves memory and tables; its name begins anew after that.
    pub forget_deleted_after: Millis,
    /// Time between two sweeps for what every other limit missed.
    pub sweep_every: Millis,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            payload_bytes_max: 1024 * 1024,
            output_bytes_max: 64 * 1024,
            checkpoint_bytes_max: 64 * 1024,
            checkpoint_gap: Millis::from_secs(1),
            tasks_max: 20_000_000,
            payload_bytes_held_max: 8 << 30,
            ahead_max: Millis::from_secs(100 * 366 * 86_400),
            release_per_second: 5_000,
            runs_max: 500_000,
            jobs_max: 100_000,
            schedules_max: 5_000_000,
            backfills_max: 1_000,
            triggers_max: 200_000,
            run_output_bytes_max: 64 * 1024 * 1024,
            operations_max: 100,
            cordons_max: 10_000,
            event_waits_per_record: 1_000,
            announced_per_record: 1_000,
            lease: Millis::from_secs(15),
            forget_deleted_after: Millis::from_secs(86_400),
            sweep_every: Millis::from_secs(300),
        }
    }
}

/// How far the store lags; set by the runtime, obeyed by `submit`. Each step refuses more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Pressure {
    #[default]
    None,
    ShedP2,
    ShedP1,
    /// The bound is reached: even urgent work has no room.
    ShedAll,
    /// The journal cannot be written at all.
    Unavailable,
}
