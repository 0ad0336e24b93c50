//! I16 for the tables: after every cut they equal the journal folded through it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mainspring_core::event::Event;
use mainspring_core::run::{DirtyRuns, Run};
use mainspring_core::schedule::WindowRow;
use mainspring_core::state::{State, fold};
use mainspring_core::task::{Task, TaskState};
use mainspring_core::values::{Now, ScheduleId, Seq, TaskId};
use mainspring_store::entity::changed_entities;
use mainspring_store::format::EncodedProfiles;
use mainspring_store::{Cut, EntityRow, Record, WindowCursor};

use super::{Check, groups, journaled, require, written};
use crate::settings::GROUPS;
use crate::store::Disk;

/// SR-1: a window is one row.
type Place = (ScheduleId, WindowCursor);

struct Waiting {
    seq: Seq,
    now: Now,
    events: Vec<Event>,
}

#[derive(Default)]
pub(super) struct TableFold {
    state: State,
    /// Committed, in no cut yet.
    waiting: VecDeque<Waiting>,
    /// Windows that cuts have reached. A backfill may run one again, and then only the newer row is left.
    ledger: BTreeMap<Place, WindowRow>,
    cuts: u64,
}

/// Every so many cuts all rows are compared, not only those that changed.
const WHOLE_EVERY: u64 = 64;

impl TableFold {
    pub(super) fn waiting(&mut self, record: &Record, events: Vec<Event>) {
        self.waiting.push_back(Waiting { seq: record.seq, now: record.now, events });
    }

    pub(super) fn cut(&mut self, cut: &Cut, disk: &Disk, history: bool) -> Check {
        check_once_each(cut)?;
        let (mut touched, mut changed) = (BTreeSet::new(), Vec::new());
        let mut windows = BTreeSet::new();
        let mut entities = BTreeMap::new();
        while self.waiting.front().is_some_and(|next| next.seq <= cut.through) {
            let Some(next) = self.waiting.pop_front() else { break };
            self.state.begin(next.seq, next.now);
            for event in &next.events {
                fold(&mut self.state, event);
                groups::check_event(event, &self.state)?;
                touched.extend(event.task());
                if let Event::TaskSubmitted(submitted) = event
                    && let Some(claim) = submitted.key
                {
                    let stored = disk.key(claim.scope).map(|row| (row.binding.task, row.binding.group));
                    require(stored == Some((submitted.id, claim.group)), "I16", || {
                        format!("the key of {} is {stored:?} in the tables", submitted.id)
                    })?;
                }
            }
            let of_record = self.state.take_changed(next.seq);
            changed.push(of_record.runs);
            for window in of_record.windows {
                let place = (window.schedule, WindowCursor::of(&window));
                windows.insert(place);
                self.ledger.insert(place, window);
            }
            let changed =
                changed_entities(self.state.entity_tables(), GROUPS, &mut EncodedProfiles::default());
            entities.extend(changed.into_iter().map(|row| ((row.kind, row.id), row)));
        }
        groups::check_rows(cut, &self.state)?;
        for id in touched {
            self.check_row(id, disk, history)?;
        }
        for runs in changed {
            self.check_runs(&runs, disk)?;
        }
        for window in windows.iter().filter_map(|place| self.ledger.get(place)) {
            check_window(window, disk)?;
        }
        for row in entities.values() {
            check_entity(row, disk)?;
        }
        self.cuts += 1;
        if self.cuts.is_multiple_of(WHOLE_EVERY) { self.whole(disk, history) } else { Ok(()) }
    }

    pub(super) fn whole(&self, disk: &Disk, history: bool) -> Check {
        let (mut live, mut ended) = (0, 0);
        for (_, task) in self.state.tasks().iter() {
            self.check_row(task.id, disk, history)?;
            if task.status().is_ended() { ended += 1 } else { live += 1 }
        }
        for (_, run) in self.state.job_runs().runs().iter() {
            check_run(run, disk)?;
        }
        for window in self.ledger.values() {
            check_window(window, disk)?;
        }
        let (rows, decided) = (disk.window_rows(), self.ledger.len());
        require(rows == decided, "I16", || format!("{rows} rows of windows, {decided} were decided"))?;
        let (rows, kept) = (disk.live_rows().count(), disk.ended_rows());
        require(rows == live, "I16", || format!("{rows} live rows for {live} unfinished tasks"))?;
        require(!history || kept == ended, "I16", || format!("{kept} history rows for {ended} ended tasks"))
    }

    /// Rows of the versions and runs that changed.
    fn check_runs(&self, changed: &DirtyRuns, disk: &Disk) -> Check {
        let job_runs = self.state.job_runs();
        for run in changed.runs.iter().filter_map(|index| job_runs.runs().get(*index)) {
            check_run(run, disk)?;
        }
        for version in &changed.versions {
            let row = disk.version_row(&version.key, version.version);
            require(row.is_some_and(|row| row.hash == version.definition.hash), "I16", || {
                format!("version {} of job `{}` is not in the tables", version.version, version.key.name)
            })?;
        }
        Ok(())
    }

    fn check_row(&self, id: TaskId, disk: &Disk, history: bool) -> Check {
        let Some(task) = self.state.tasks().by_id(id) else { return Ok(()) };
        let expected = journaled(task);
        let (live, ended) = (disk.live_row(id), disk.ended_row(id));
        if task.status().is_ended() {
            require(live.is_none(), "I16", || format!("{id} has ended and has a live row"))?;
            let same =
                !history || ended.is_some_and(|row| row.bytes == expected && row.status == task.status());
            return require(same, "I16", || format!("the history row of {id} is not what the journal says"));
        }
        require(ended.is_none(), "I16", || format!("{id} has not ended and is in the history"))?;
        let same = live.is_some_and(|row| row.bytes == expected && row.touched == task.touched);
        require(same, "I16", || format!("the live row of {id} is not what the journal says: {task:?}"))?;
        let due = live.and_then(|row| row.parked_due);
        require(due.is_none() || due == pending_due(task), "I16", || format!("{id} is parked until {due:?}"))
    }
}

fn check_entity(row: &EntityRow, disk: &Disk) -> Check {
    let stored = disk.entity_row(row.kind, row.id);
    let same = stored.is_some_and(|stored| {
        let fixed = row.fixed.is_none() || row.fixed == stored.fixed;
        fixed && EntityRow { fixed: None, ..row.clone() } == EntityRow { fixed: None, ..stored.clone() }
    });
    require(same, "I16", || format!("the row of {:?} {:#x} is not what the journal says", row.kind, row.id))
}

fn check_window(window: &WindowRow, disk: &Disk) -> Check {
    let row = disk.window_row(window);
    require(row == Some(window), "I16", || format!("the tables say {row:?} and not {window:?}"))
}

fn check_run(run: &Run, disk: &Disk) -> Check {
    let row = disk.run_row(run.id);
    let same = row.is_some_and(|row| {
        let ended = run.status.is_ended().then_some(run.ended);
        row.bytes == written(run) && row.status == run.status && row.ended == ended
    });
    require(same, "I16", || format!("the row of {} is not what the journal says", run.id))
}

/// A row of a task may be in a cut once: history is written, never rewritten.
fn check_once_each(cut: &Cut) -> Check {
    let mut ids = BTreeSet::new();
    let rows = cut.live.iter().map(|row| row.id).chain(cut.ended.iter().map(|row| row.id));
    for id in rows {
        require(ids.insert(id), "I16", || format!("{id} is twice in the cut through {}", cut.through))?;
    }
    let mut runs = BTreeSet::new();
    for run in &cut.runs {
        require(runs.insert(run.id), "I16", || {
            format!("{} is twice in the cut through {}", run.id, cut.through)
        })?;
    }
    Ok(())
}

fn pending_due(task: &Task) -> Option<mainspring_core::values::Wall> {
    match task.state {
        TaskState::Pending { due } => Some(due),
        _ => None,
    }
}
