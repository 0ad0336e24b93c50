//! The pure rules of Mainspring: what may happen to a task, and what follows from it.
//! Entry: [`machine::Machine`], which the runtime and the simulator drive alike.
//! - CO-1 no I/O, clock, randomness, thread or async: time and chance come in as arguments
//! - CO-2 `decide` refuses or returns events, `apply` cannot fail, `effects` orders work from the shell
//! - CO-3 order never depends on hashing; folding the same events gives the same state
//!
//! Not here: bytes on disk (`mainspring-store`), group commit (`mainspring-runtime`), wire types.
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]
#![cfg_attr(not(test), deny(clippy::unwrap_used))]

pub mod backfill;
pub mod breaks;
pub mod calendar;
pub mod chance;
pub mod command;
pub mod dispatch;
pub mod effect;
pub mod event;
pub mod failure;
pub mod fleet;
pub mod histogram;
pub mod id;
pub mod index;
pub mod key;
pub mod limits;
pub mod machine;
pub mod name;
pub mod news;
pub mod priority;
pub mod process;
pub mod profile;
pub mod quarantine;
pub mod question;
pub mod resources;
pub mod retry;
pub mod schedule;
pub mod seat;
pub mod shard;
pub mod task;
pub mod time;
pub mod timer;
pub mod trigger;
pub mod wait;
pub mod workflow;
