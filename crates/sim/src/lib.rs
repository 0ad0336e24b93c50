//! The simulated world: a real shard on a simulated clock, store, network, fleet and callers, with faults drawn
//! from a seed and checkers that look at everything from outside.
//! Entry: [`run_range`] and [`run_break_modes`]; one seed by [`run()`].
//! - SM-1 the same seed gives the same world, step by step
//! - SM-2 a run ends with healing: everything accepted ends, and new work is taken
//! - SM-3 a violation prints one line that replays it
//!
//! Not here: threads, files, sockets (`mainspring-runtime::node`, `mainspring-store-local`).
#![forbid(unsafe_code)]

mod breaks;
mod checkers;
mod client;
mod clock;
mod disaster;
mod faults;
mod network;
mod report;
mod run;
mod schedule;
mod server;
mod settings;
mod store;
#[cfg(test)]
mod tests;
mod trace;
mod words;
mod worker;
mod world;

pub use self::{
    breaks::{BreakMode, UnknownBreakMode},
    faults::Fault,
    report::{Outcome, RangeReport, Violation},
    run::{Options, run, run_break_modes, run_range},
    store::SimStore,
    world::Tally,
};
