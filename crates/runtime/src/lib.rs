//! The shard around the core: batches commands into records, makes them durable, and only then lets anything
//! out.
//! Entry: [`state::Shard`], the logic without any I/O, which the simulator drives too; [`node`], the threads
//! that drive it for real.
//! - RU-1 nothing escapes early: answers and effects wait for the newest record they saw
//! - RU-2 one record in flight, one being built; both bounded
//! - RU-3 a cut is made at a record's end and written only when that record is durable
//! - RU-4 a refused epoch drops the shard's memory: it never writes again
//!
//! Not here: rules (`mainspring-core`), bytes and files (`mainspring-store*`).

pub mod clock;
pub mod config;
pub mod node;
pub mod shard;

pub use self::{
    clock::{Doubt, Reading, ShardClock, Trust},
    config::ShardConfig,
    shard::{Envelope, FoundPage, Output, Replies, Shard, find_page, find_run, load_runs},
};
