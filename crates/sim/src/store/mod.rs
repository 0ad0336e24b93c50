//! A store in memory that several owners can open, one after the other or at once.
//! Entry: [`SimStore`], which passes the conformance suite; the world drives its [`Disk`] directly, because
//! there every operation takes time and can go wrong.
//!
//! Not here: delays and faults (`server`).

mod disk;
#[cfg(test)]
mod tests;

use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mainspring_core::job::JobKey;
use mainspring_core::key::{KeyBinding, KeyScope};
use mainspring_core::schedule::WindowRow;
use mainspring_core::values::{EntityKind, Epoch, RunId, ScheduleId, Seq, TaskId, Wall};
use mainspring_store::{
    AppendError, CheckpointHead, Cut, CutError, EntityQuery, EntityRow, HistoryCursor, HistoryPage,
    HistoryQuery, HistoryRow, Journal, LiveRow, LiveRun, OpenError, Opened, PAGE_MAX, ParkedFrom,
    RECOVERY_PAGE_BYTES, ReadError, ReadMany, ReadTables, Record, Recovery, RunPage, RunQuery, RunRow, Store,
    StoredTask, Tables, TailVisit, VersionRow, WindowCursor,
};

pub use self::disk::Disk;

/// A handle on a disk; clones share it.
#[derive(Clone, Debug)]
pub struct SimStore(Arc<Mutex<Disk>>);

impl SimStore {
    pub fn new(epoch_locked: bool) -> Self {
        Self(Arc::new(Mutex::new(Disk::new(epoch_locked))))
    }

    pub fn reader(&self) -> SimReader {
        SimReader(self.clone())
    }

    /// A run that panicked leaves nothing half done that another would see.
    pub fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for SimStore {
    fn default() -> Self {
        Self::new(true)
    }
}

impl Store for SimStore {
    type Journal = SimJournal;
    type Tables = SimTables;
    type Reader = SimReader;
    type Recovery = SimRecovery;

    fn open(&self) -> Result<Opened<Self>, OpenError> {
        let epoch = self.disk().next_epoch();
        let store = || self.clone();
        Ok(Opened {
            epoch,
            probe: Box::new(|| Ok(())),
            journal: SimJournal { store: store(), epoch },
            tables: SimTables(store()),
            reader: SimReader(store()),
            recovery: SimRecovery(store(), SimReader(store())),
        })
    }
}

#[derive(Debug)]
pub struct SimJournal {
    store: SimStore,
    epoch: Epoch,
}

impl Journal for SimJournal {
    fn append(&mut self, record: &Record) -> Result<(), AppendError> {
        if record.epoch != self.epoch {
            return Err(AppendError::Refused { ours: record.epoch, newest: self.store.disk().newest() });
        }
        self.store.disk().append(record).map(drop)
    }

    fn renew(&mut self) -> Result<Epoch, AppendError> {
        self.epoch = self.store.disk().renew(self.epoch)?;
        Ok(self.epoch)
    }

    fn trim(&mut self, through: Seq) -> Result<(), AppendError> {
        self.store.disk().trim(through);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.store.disk().bytes()
    }
}

#[derive(Debug)]
pub struct SimTables(SimStore);

impl Tables for SimTables {
    fn cut(&mut self, cut: &Cut) -> Result<(), CutError> {
        self.0.disk().cut(cut)
    }

    fn drop_before(&mut self, day: u32, now: Wall) -> Result<(), CutError> {
        self.0.disk().drop_before(day, now);
        Ok(())
    }
}

#[derive(Debug)]
pub struct SimRecovery(SimStore, SimReader);

impl Recovery for SimRecovery {
    fn head(&mut self) -> Result<CheckpointHead, OpenError> {
        Ok(self.0.disk().checkpoint().clone())
    }

    fn live(&mut self, horizon: Wall, each: &mut dyn FnMut(LiveRow)) -> Result<(), OpenError> {
        let near = |row: &&LiveRow| row.parked_due.is_none_or(|due| due <= horizon);
        self.0.disk().live_rows().filter(near).cloned().for_each(each);
        Ok(())
    }

    fn live_runs(&mut self, after: Option<RunId>, limit: usize) -> Result<Vec<LiveRun>, OpenError> {
        let disk = self.0.disk();
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let rows = disk.runs.range((from, Bound::Unbounded)).filter(|(_, row)| row.ended.is_none());
        let rows = rows.map(|(id, row)| LiveRun { id: *id, bytes: row.bytes.clone() });
        Ok(page(rows, limit, |row| row.bytes.len()))
    }

    fn entities(
        &mut self,
        kind: EntityKind,
        after: Option<u128>,
        limit: usize,
    ) -> Result<Vec<EntityRow>, OpenError> {
        let disk = self.0.disk();
        let from = after.map_or(Bound::Included((kind, 0)), |after| Bound::Excluded((kind, after)));
        let rows = disk.entities.range((from, Bound::Included((kind, u128::MAX)))).map(|(_, row)| row);
        let rows = rows.filter(|row| row.ended.is_none()).cloned();
        Ok(page(rows, limit, |row| row.bytes.len() + row.fixed.as_ref().map_or(0, Vec::len)))
    }

    fn tables(&mut self) -> &mut dyn ReadTables {
        &mut self.1
    }

    fn tail(&mut self, after: Seq, each: TailVisit<'_>) -> Result<(), OpenError> {
        let records = self.0.disk().tail(after)?;
        records.into_iter().try_for_each(|record| each(record, &mut self.1))
    }
}

/// What stands in one page of recovery.
fn page<T>(rows: impl Iterator<Item = T>, limit: usize, bytes: impl Fn(&T) -> usize) -> Vec<T> {
    let mut held = 0;
    let fits = |row: &T| {
        let has_room = held < RECOVERY_PAGE_BYTES;
        held += bytes(row);
        has_room
    };
    rows.take(limit).take_while(fits).collect()
}

#[derive(Debug)]
pub struct SimReader(SimStore);

impl ReadMany for SimReader {
    fn ended_tasks(&mut self, ids: &[TaskId], each: &mut dyn FnMut(TaskId, &[u8])) -> Result<(), ReadError> {
        let disk = self.0.disk();
        ids.iter().filter_map(|id| disk.ended_row(*id)).for_each(|row| each(row.id, &row.bytes));
        Ok(())
    }

    fn stored_runs(&mut self, ids: &[RunId], each: &mut dyn FnMut(RunId, &[u8])) -> Result<(), ReadError> {
        let disk = self.0.disk();
        ids.iter().filter_map(|id| disk.runs.get(id)).for_each(|row| each(row.id, &row.bytes));
        Ok(())
    }

    fn stored_versions(
        &mut self,
        wanted: &[(JobKey, u32)],
        each: &mut dyn FnMut(VersionRow),
    ) -> Result<(), ReadError> {
        let disk = self.0.disk();
        wanted.iter().filter_map(|version| disk.versions.get(version)).cloned().for_each(each);
        Ok(())
    }
}

impl ReadTables for SimReader {
    fn keys(&mut self, scopes: &[KeyScope]) -> Result<Vec<Option<KeyBinding>>, ReadError> {
        let disk = self.0.disk();
        Ok(scopes.iter().map(|scope| disk.key(*scope).map(|row| row.binding)).collect())
    }

    fn tasks(&mut self, ids: &[TaskId]) -> Result<Vec<Option<StoredTask>>, ReadError> {
        let disk = self.0.disk();
        Ok(ids.iter().map(|id| disk.task(*id)).collect())
    }

    fn parked(&mut self, from: ParkedFrom, limit: usize) -> Result<Vec<LiveRow>, ReadError> {
        Ok(self.0.disk().parked(from, limit))
    }

    fn ids(&mut self, from: TaskId, through: TaskId, limit: usize) -> Result<Vec<TaskId>, ReadError> {
        let disk = self.0.disk();
        let ended = disk.history.values().map(|row| row.id).filter(|id| (from..=through).contains(id));
        let live = disk.live_ids(from, through);
        let all: std::collections::BTreeSet<TaskId> = live.into_iter().chain(ended).collect();
        Ok(all.into_iter().take(limit).collect())
    }

    fn history(&mut self, query: &HistoryQuery) -> Result<HistoryPage, ReadError> {
        let disk = self.0.disk();
        let after = query.after.map_or((u32::MAX, TaskId::from_bits(u128::MAX)), |at| (at.day, at.id));
        let mut rows = disk.history.range(..after).rev().map(|(_, row)| row).filter(|row| query.wants(row));
        let page: Vec<HistoryRow> = rows.by_ref().take(query.limit.min(PAGE_MAX)).cloned().collect();
        let more = rows.next().is_some();
        let next = page.last().filter(|_| more).map(|row| HistoryCursor { day: row.ended.day(), id: row.id });
        Ok(HistoryPage { rows: page, next, looked_until: None })
    }

    fn run(&mut self, id: RunId) -> Result<Option<RunRow>, ReadError> {
        Ok(self.0.disk().runs.get(&id).cloned())
    }

    fn runs(&mut self, query: &RunQuery) -> Result<RunPage, ReadError> {
        let disk = self.0.disk();
        let mut wanted = disk.runs.values().rev().filter(|row| query.wants(row));
        let rows: Vec<RunRow> = wanted.by_ref().take(query.limit.min(PAGE_MAX)).cloned().collect();
        let next = wanted.next().and(rows.last()).map(|row| row.id);
        Ok(RunPage { rows, next, looked_until: None })
    }

    fn version(&mut self, key: &JobKey, version: u32) -> Result<Option<VersionRow>, ReadError> {
        Ok(self.0.disk().versions.get(&(key.clone(), version)).cloned())
    }

    fn versions(&mut self, key: &JobKey, before: u32, limit: usize) -> Result<Vec<VersionRow>, ReadError> {
        let disk = self.0.disk();
        let range = (key.clone(), 0)..(key.clone(), before);
        let newest = disk.versions.range(range).rev().map(|(_, row)| row.clone());
        Ok(newest.take(limit.min(PAGE_MAX)).collect())
    }

    fn windows(
        &mut self,
        schedule: ScheduleId,
        before: Option<WindowCursor>,
        limit: usize,
    ) -> Result<Vec<WindowRow>, ReadError> {
        let before = before.unwrap_or(WindowCursor { first: Wall::from_millis(u64::MAX), kind: u8::MAX });
        let first = WindowCursor { first: Wall::ZERO, kind: 0 };
        let disk = self.0.disk();
        let newest = disk.windows.range((schedule, first)..(schedule, before)).rev();
        Ok(newest.take(limit.min(PAGE_MAX)).map(|(_, row)| *row).collect())
    }

    fn entity(&mut self, kind: EntityKind, id: u128) -> Result<Option<EntityRow>, ReadError> {
        Ok(self.0.disk().entity_row(kind, id).cloned())
    }

    fn entities(&mut self, query: &EntityQuery) -> Result<Vec<EntityRow>, ReadError> {
        let disk = self.0.disk();
        let wanted = disk.entities.values().rev().filter(|row| query.wants(row));
        Ok(wanted.take(query.limit.min(PAGE_MAX)).cloned().collect())
    }

    fn another(&self) -> Result<Self, ReadError> {
        Ok(Self(self.0.clone()))
    }
}
