//! The driver that works on any toolchain: seeded, so that an input can be made again.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mainspring_core::values::Chance;

use crate::{Target, mutate};

/// When a run ends.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    Inputs(u64),
    Time(Duration),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ran {
    pub inputs: u64,
    pub seconds: u64,
}

/// Runs what once broke, then the corpus, then mutations of both. An input that panics is written to
/// `fuzz/regressions/TARGET/` and named before the panic goes on.
pub fn run(target: Target, seed: u64, limit: Limit) -> Ran {
    let start = Instant::now();
    let mut corpus = regressions(target);
    corpus.extend((target.corpus)());
    for bytes in &corpus {
        one(target, bytes);
    }
    let mut chance = Chance::new(seed);
    let mut inputs = corpus.len() as u64;
    loop {
        let over = match limit {
            Limit::Inputs(max) => inputs >= max,
            Limit::Time(max) => start.elapsed() >= max,
        };
        if over {
            return Ran { inputs, seconds: start.elapsed().as_secs() };
        }
        one(target, &mutate::mutated(&corpus, &mut chance));
        inputs += 1;
    }
}

fn one(target: Target, bytes: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))) {
        eprintln!("fuzz: {} broke on {}", target.name, keep(target, bytes));
        resume_unwind(panic);
    }
}

fn place(target: Target) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("regressions").join(target.name)
}

/// Where the input now lies, or the input itself.
fn keep(target: Target, bytes: &[u8]) -> String {
    let path = place(target).join(format!("{:08x}", crc32c::crc32c(bytes)));
    let kept = fs::create_dir_all(place(target)).and_then(|()| fs::write(&path, bytes));
    kept.map_or_else(|_| bytes.escape_ascii().to_string(), |()| path.display().to_string())
}

fn regressions(target: Target) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(place(target)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}
