//! Parked tasks come back before they are due.
//! - PP-1 a task is parked only if it is due later than anything a page has asked for
//! - PP-2 `paged_until` moves only when the whole page is in memory

use mainspring_core::values::{Millis, RunId, TaskId, Wall};
use mainspring_core::wait::FoundRun;
use mainspring_store::LiveRow;
use mainspring_store::format::read_task;

use super::{Output, Shard};
use crate::clock::Reading;

/// Runs that tasks wait for and that are being looked up, at most. The others stay with the engine, which names them one
/// by one; so no queue to the loader grows with the number of waits.
pub(super) const RUN_LOOKUPS_MAX: usize = 256;

#[derive(Debug)]
pub(super) struct Pager {
    /// Everything parked that is due at or before this is in memory.
    paged_until: Wall,
    /// The end of the page being read, if any.
    reading_until: Option<Wall>,
    /// Rows for an operation are being read.
    pub(super) reading_for: bool,
    /// Look-ups of runs under way.
    run_lookups: usize,
    lookahead: Millis,
}

impl Pager {
    pub(super) fn starting_at(paged_until: Wall, lookahead: Millis) -> Self {
        Self { paged_until, reading_until: None, reading_for: false, run_lookups: 0, lookahead }
    }

    /// Tasks due at or before this must stay in memory.
    pub(super) fn holds_until(&self) -> Wall {
        self.reading_until.unwrap_or(self.paged_until)
    }

    /// Half the lookahead is left: time for the next page.
    fn refill_at(&self) -> Wall {
        self.paged_until - Millis::new(self.lookahead.get() / 2)
    }

    pub(super) fn next_in(&self, now: Wall) -> Option<Millis> {
        self.reading_until.is_none().then(|| self.refill_at().since(now))
    }
}

impl<R> Shard<R> {
    pub(super) fn page_if_due(&mut self) {
        let now = self.engine.state().now.wall;
        if self.pager.reading_until.is_none() && now >= self.pager.refill_at() {
            let until = now + self.pager.lookahead;
            self.pager.reading_until = Some(until);
            self.ask_page((self.pager.paged_until, TaskId::from_bits(u128::MAX)), until);
        }
        self.page_for_operation();
        while self.pager.run_lookups < RUN_LOOKUPS_MAX
            && let Some((task, run)) = self.engine.wants_run()
        {
            self.pager.run_lookups += 1;
            self.outputs.push_back(Output::FindRun { task, run });
        }
    }

    fn ask_page(&mut self, after: (Wall, TaskId), until: Wall) {
        self.outputs.push_back(Output::Page { after, until, limit: self.config.page_rows_max as usize });
    }

    /// A page of parked tasks by due time. An empty or short page ends the reading.
    pub fn paged(&mut self, rows: Vec<LiveRow>, reading: Reading) {
        let Some(until) = self.pager.reading_until.filter(|_| !self.stopped) else { return };
        self.refresh(reading);
        let last = rows.last().map(|row| (row.parked_due.unwrap_or(until), row.id));
        let full = rows.len() >= self.config.page_rows_max as usize;
        for row in rows {
            match read_task(&row.bytes, &mut self.profiles_in) {
                Ok(task) => {
                    self.engine.page_in(task);
                }
                Err(error) => drop(self.quarantine(row.id, error)),
            }
        }
        if let Some(after) = last.filter(|_| full) {
            self.ask_page(after, until);
        } else {
            self.pager.paged_until = until;
            self.pager.reading_until = None;
        }
    }

    /// A page could not be read; it is asked for again at the next step.
    pub fn page_failed(&mut self) {
        self.pager.reading_until = None;
    }

    /// How a run ended that a task waits for, as the tables have it.
    pub fn run_found(&mut self, task: TaskId, run: RunId, found: FoundRun, reading: Reading) {
        self.pager.run_lookups -= 1;
        if self.stopped {
            return;
        }
        self.refresh(reading);
        let mut batch = std::mem::take(&mut self.batch);
        self.engine.run_found(task, run, found, &mut batch);
        self.absorb(batch);
    }
}
