//! Recovery of runs. This thread reads their rows page by page; other threads decode them and look up their outputs, where the
//! store has readers for them.
//! - LR-1 runs enter memory in the order of their rows, however many threads decode them
//!
//! Entry: [`load_runs`].

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{PoisonError, RwLock};
use std::thread::{self, Scope};

use mainspring_core::run::{JobRuns, Run};
use mainspring_core::values::RunId;
use mainspring_store::format::{ProfileCache, VersionRef, run_version};
use mainspring_store::{LiveRun, OpenError, ReadMany, Recovery};

use super::runs::{Plans, RunBatch};

/// Rows of runs in a page.
const ROWS_AT_ONCE: usize = if cfg!(test) { 7 } else { 1_000 };
/// Pages that a thread has before it, or finished and not yet taken: enough that it does not wait for this one.
const PAGES_AHEAD: usize = 2;

type Page = Vec<LiveRun>;
type Decoded = Result<Vec<Box<Run>>, OpenError>;
/// Threads read plans while this one adds those of the next pages.
type SharedPlans<'a> = RwLock<&'a mut Plans>;

/// Every run that has not ended; says how many rows that were.
pub(super) fn load_runs(
    job_runs: &mut JobRuns,
    recovery: &mut dyn Recovery,
    plans: &mut Plans,
    profiles: &mut ProfileCache,
) -> Result<u64, OpenError> {
    let plans = RwLock::new(plans);
    let mut pages = Pages { recovery, plans: &plans, after: None, rows: 0 };
    let Some(first) = pages.next(profiles)? else { return Ok(0) };
    // Most servers have fewer runs than that, and need no threads.
    let is_only = first.len() < ROWS_AT_ONCE;
    let readers = if is_only { Vec::new() } else { pages.recovery.readers()? };
    thread::scope(|scope| {
        let mut decoders = Decoders::start(scope, readers, &plans)?;
        let mut next = Some(first);
        while let Some(page) = next {
            let decoded = if decoders.is_empty() {
                Some(decode(&page, &plans, profiles, pages.recovery.tables()))
            } else {
                decoders.give(page)
            };
            load(job_runs, decoded.transpose()?.into_iter().flatten());
            next = pages.next(profiles)?;
        }
        while let Some(decoded) = decoders.take() {
            load(job_runs, decoded?);
        }
        Ok(pages.rows)
    })
}

fn load(job_runs: &mut JobRuns, runs: impl IntoIterator<Item = Box<Run>>) {
    for run in runs {
        job_runs.load_run(run);
    }
}

struct Pages<'a, 'p> {
    recovery: &'a mut dyn Recovery,
    plans: &'a SharedPlans<'p>,
    after: Option<RunId>,
    rows: u64,
}

impl Pages<'_, '_> {
    /// Its plans are known when it is handed out.
    fn next(&mut self, profiles: &mut ProfileCache) -> Result<Option<Page>, OpenError> {
        let page = self.recovery.live_runs(self.after, ROWS_AT_ONCE)?;
        let Some(last) = page.last() else { return Ok(None) };
        self.after = Some(last.id);
        self.rows += page.len() as u64;
        let versions = || page.iter().filter_map(|row| run_version(&row.bytes).ok());
        let is_new = {
            let plans = self.plans.read().unwrap_or_else(PoisonError::into_inner);
            versions().any(|of| plans.find(of).is_none())
        };
        if is_new {
            let mut plans = self.plans.write().unwrap_or_else(PoisonError::into_inner);
            plans.fetch(versions(), self.recovery.tables(), profiles)?;
        }
        Ok(Some(page))
    }
}

/// The threads, each with its own pages, given to them in turn and taken back in the same order.
#[derive(Default)]
struct Decoders {
    threads: Vec<Decoder>,
    /// Which thread has the pages that were given and not yet taken, the oldest first.
    given: VecDeque<usize>,
    next: usize,
}

struct Decoder {
    pages: SyncSender<Page>,
    decoded: Receiver<Decoded>,
}

impl Decoders {
    fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        readers: Vec<Box<dyn ReadMany + Send>>,
        plans: &'scope SharedPlans<'_>,
    ) -> Result<Self, OpenError> {
        let mut decoders = Self::default();
        for mut reader in readers {
            let (pages, given) = sync_channel::<Page>(PAGES_AHEAD);
            let (done, decoded) = sync_channel(PAGES_AHEAD);
            let work = move || {
                let mut profiles = ProfileCache::default();
                for page in given {
                    if done.send(decode(&page, plans, &mut profiles, &mut *reader)).is_err() {
                        break;
                    }
                }
            };
            let name = "recovery".to_owned();
            thread::Builder::new().name(name).spawn_scoped(scope, work).map_err(|error| {
                OpenError::Backend { what: "a thread for recovery".into(), why: error.to_string() }
            })?;
            decoders.threads.push(Decoder { pages, decoded });
        }
        Ok(decoders)
    }

    fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Hands a page to the next thread; takes back the oldest one if enough are on their way.
    fn give(&mut self, page: Page) -> Option<Decoded> {
        let oldest = if self.given.len() >= self.threads.len() * PAGES_AHEAD { self.take() } else { None };
        let thread = self.next;
        self.next = (thread + 1) % self.threads.len();
        if self.threads[thread].pages.send(page).is_ok() {
            self.given.push_back(thread);
        }
        oldest
    }

    fn take(&mut self) -> Option<Decoded> {
        let thread = self.given.pop_front()?;
        // A thread that panicked ends the scope with its panic.
        self.threads[thread].decoded.recv().ok()
    }
}

fn decode(
    page: &[LiveRun],
    plans: &SharedPlans<'_>,
    profiles: &mut ProfileCache,
    tables: &mut (impl ReadMany + ?Sized),
) -> Decoded {
    let (mut batch, mut runs) = (RunBatch::default(), Vec::with_capacity(page.len()));
    for row in page {
        let plan = |of: VersionRef<'_>| plans.read().unwrap_or_else(PoisonError::into_inner).get(of);
        batch.add(&row.bytes, plan, profiles).map_err(|error| error.of(format!("row of {}", row.id)))?;
        if batch.is_full() {
            batch.finish(tables, |run| runs.push(run))?;
        }
    }
    batch.finish(tables, |run| runs.push(run))?;
    Ok(runs)
}
