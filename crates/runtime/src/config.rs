//! Settings of a shard, with the bounds they keep.

use mainspring_core::engine::EngineConfig;
use mainspring_core::values::{Groups, Millis};

use crate::clock::Trust;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShardConfig {
    pub engine: EngineConfig,
    /// A record is sealed at this size or this many events, whichever comes first.
    pub record_bytes_max: usize,
    pub record_events_max: usize,
    /// A cut is made at this many changed tasks or after this long.
    pub cut_rows_max: usize,
    pub cut_every: Millis,
    /// Journal not yet covered by a cut; at these bounds submissions are refused.
    pub lag_bytes_max: u64,
    pub lag_events_max: u64,
    /// Pending tasks due later than this from now leave memory.
    pub park_beyond: Millis,
    /// Parked tasks read in one page.
    pub page_rows_max: u32,
    /// Grants of one epoch, after which the shard takes the next: the number of a grant in a fence has 32 bits.
    pub grants_max: u32,
    /// Keep a row of every ended task.
    pub history: bool,
    /// Whole days that history is kept.
    pub history_days: u32,
    /// A thread that is busy with one piece of work for so long is reported; see `node::Health`.
    pub stuck_after: Millis,
    /// Which group a tenant is in: written into every row.
    pub groups: Groups,
    /// How far a wall clock is believed that jumps.
    pub trust: Trust,
    pub breaks: RuntimeBreaks,
}

/// Rules that the simulator switches off to prove that its checkers notice; see `mainspring_core::values::breaks`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct RuntimeBreaks {
    /// Answers leave before their record is durable.
    pub early_answer: bool,
    /// Effects leave before their record is durable.
    pub early_effect: bool,
    /// A cut is written without waiting for its record.
    pub checkpoint_past_durable: bool,
    /// Keys and ended tasks leave memory although older reads of the tables are still on their way.
    pub no_barrier: bool,
    /// An append whose outcome is unknown is taken for done.
    pub unknown_is_done: bool,
}

impl Default for ShardConfig {
    fn default() -> Self {
        Self {
            engine: EngineConfig::default(),
            record_bytes_max: 4 * 1024 * 1024,
            record_events_max: 10_000,
            cut_rows_max: 20_000,
            cut_every: Millis::new(250),
            lag_bytes_max: 256 * 1024 * 1024,
            lag_events_max: 2_000_000,
            park_beyond: Millis::from_secs(600),
            page_rows_max: 10_000,
            grants_max: u32::MAX - 1_000_000,
            history: true,
            history_days: 90,
            stuck_after: Millis::new(crate::node::STUCK_AFTER.as_millis() as u64),
            groups: Groups::default(),
            trust: Trust::Verify,
            breaks: RuntimeBreaks::default(),
        }
    }
}
