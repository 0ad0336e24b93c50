//! The pure rules of Mainspring: what may happen to a task, and what follows from it.
//! Entry: [`engine::Engine`], which the runtime and the simulator drive alike.
//! - CO-1 no I/O, clock, randomness, thread or async: time and chance come in as arguments
//! - CO-2 a rule refuses or adds events, `apply` cannot fail, and `follow` orders effects from the shell
//! - CO-3 order never depends on hashing; folding the same events gives the same state
//!
//! Not here: bytes on disk (`mainspring-store`), group commit (`mainspring-runtime`), wire types.
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]
#![cfg_attr(not(test), deny(clippy::unwrap_used))]

// Which may use which is in docs/ARCHITECTURE.md with what each owns, and checked by `xtask tidy`. A
// capability shows its types and its table, and in `decide` what can be asked of it.

// What everything is made of.
pub mod calendar;
pub mod collections;
pub mod key;
pub mod retry;
pub mod values;

// Capabilities.
pub mod backfill;
pub mod dispatch;
pub mod job;
pub mod operation;
pub mod run;
pub mod schedule;
pub mod task;
pub mod trigger;
pub mod wait;
pub mod worker;

// What has happened, what it makes of the state, and what must be looked at then.
pub mod event;
pub mod state;
pub mod work;

// What a decision reads and adds to, and the engine that lets them decide.
pub mod decision;
pub mod engine;
