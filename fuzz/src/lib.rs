//! Hostile bytes for everything that reads bytes of others: the journal, REST, the session of a worker.
//! Entry: [`Target`]. A target is a plain function; it panics if a promise is broken.
//! - FZ-1 no input makes a reader panic, hang, or take memory that the input does not justify
//! - FZ-2 what was read is written back as the same bytes
//! - FZ-3 every refusal has a code with a page
//!
//! ```text
//! cargo test --profile checked -p mainspring-fuzz                         a bounded run of each target
//! cargo run --profile checked -p mainspring-fuzz -- rest --seconds 600    a long one, on any toolchain
//! MAINSPRING_FUZZ_TARGET=rest cargo +nightly fuzz run libfuzzer --features libfuzzer   by coverage
//! ```
//! An input that broke something goes into `fuzz/regressions/TARGET/` and is run first from then on.

pub mod mutate;
mod run;
mod targets;

pub use self::run::{Limit, Ran, run};

/// One reader of foreign bytes.
#[derive(Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Good inputs, from which bad ones are made.
    pub corpus: fn() -> Vec<Vec<u8>>,
    /// Inputs of a bounded run; the cheaper a target, the more.
    pub inputs: u64,
}

impl Target {
    pub const ALL: [Self; 6] = [
        Self { name: "frame", run: targets::frame::run, corpus: targets::frame::corpus, inputs: 200_000 },
        Self { name: "event", run: targets::event::run, corpus: targets::event::corpus, inputs: 200_000 },
        Self { name: "row", run: targets::row::run, corpus: targets::row::corpus, inputs: 100_000 },
        Self { name: "segment", run: targets::segment::run, corpus: targets::segment::corpus, inputs: 600 },
        Self { name: "rest", run: targets::rest::run, corpus: targets::rest::corpus, inputs: 20_000 },
        Self { name: "session", run: targets::session::run, corpus: targets::session::corpus, inputs: 800 },
    ];

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name == name)
    }

    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|target| target.name).collect()
    }
}
