//! What every store must do, as named cases over the traits alone.
//! Entry: [`run`], with a [`Harness`] that makes empty stores; a backend's test file is that one call. Stores of logs
//! have a suite of their own, [`run_logs`].
//! - CF-1 each case opens its own store; none depends on another
//! - CF-2 a "crash" drops all that was opened, lets the harness do its worst, and opens again
//!
//! Not here: faults of one backend's own medium (torn files, failing disks); its own tests have those.

mod entities;
mod flows;
mod history;
mod journal;
mod logs;
mod samples;
mod schedules;
mod tables;

pub use self::logs::{LogHarness, run_logs};
use crate::{Opened, Store};

/// Makes stores for the cases.
pub trait Harness {
    type S: Store;

    /// An empty store that shares nothing with others.
    fn fresh(&self) -> Self::S;

    /// Called when everything opened from `store` was dropped: forget what was not durable.
    fn crash(&self, _store: &Self::S) {}

    /// Whether a second owner may open while a first one still holds the store.
    fn two_owners(&self) -> bool {
        false
    }
}

type Case<H> = (&'static str, fn(&H));

/// Runs every case; the last name printed is the one that failed.
pub fn run<H: Harness>(harness: &H) {
    let of_tasks = journal::cases().into_iter().chain(tables::cases()).chain(history::cases());
    let of_jobs = flows::cases().into_iter().chain(schedules::cases());
    for (name, case) in of_tasks.chain(of_jobs).chain(entities::cases()) {
        println!("conformance: {name}");
        case(harness);
    }
}

#[track_caller]
fn open<S: Store>(store: &S) -> Opened<S> {
    store.open().unwrap_or_else(|error| panic!("the store does not open: {error}"))
}

/// Drops what was opened, crashes, and opens again.
#[track_caller]
fn reopen<H: Harness>(harness: &H, store: &H::S, opened: Opened<H::S>) -> Opened<H::S> {
    drop(opened);
    harness.crash(store);
    open(store)
}
