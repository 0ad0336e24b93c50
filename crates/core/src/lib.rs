//! The pure rules of Mainspring: what may happen to a task, and what follows from it.
//! Entry: [`engine::Engine`], which the runtime and the simulator drive alike.
//! - CO-1 no I/O, clock, randomness, thread or async: time and chance come in as arguments
//! - CO-2 `decide` refuses or returns events, `apply` cannot fail, `effects` orders work from the shell
//! - CO-3 order never depends on hashing; folding the same events gives the same state
//!
//! Not here: bytes on disk (`mainspring-store`), group commit (`mainspring-runtime`), wire types.
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]
#![cfg_attr(not(test), deny(clippy::unwrap_used))]

pub mod backfill;
pub mod calendar;
pub mod collections;
pub mod decision;
pub mod dispatch;
pub mod engine;
pub mod event;
pub mod job;
pub mod key;
pub mod operation;
pub mod retry;
pub mod run;
pub mod schedule;
pub mod state;
pub mod task;
pub mod trigger;
pub mod values;
pub mod wait;
pub mod work;
pub mod worker;
