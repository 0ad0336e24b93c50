//! What survives: the journal and the tables, in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::job::JobKey;
use mainspring_core::key::{KeyBinding, KeyScope};
use mainspring_core::schedule::WindowRow;
use mainspring_core::values::{EntityKind, RunId, ScheduleId, Seq, TaskId, Wall};
use mainspring_store::tables::ReadError;
use mainspring_store::{
    CheckpointHead, Cut, EntityQuery, EntityRow, HistoryPage, HistoryQuery, HistoryRow, LiveRow, LiveRun,
    OpenError, ParkedFrom, ReadMany, ReadTables, Record, Recovery, RunPage, RunQuery, RunRow, StoredTask,
    TailVisit, VersionRow, WindowCursor,
};

#[derive(Clone, Default)]
pub(super) struct Disk {
    pub(super) records: Vec<Arc<Record>>,
    pub(super) head: CheckpointHead,
    pub(super) live: BTreeMap<TaskId, LiveRow>,
    pub(super) history: BTreeMap<TaskId, HistoryRow>,
    pub(super) versions: BTreeMap<(JobKey, u32), VersionRow>,
    pub(super) runs: BTreeMap<RunId, RunRow>,
    /// Every row that was written, also those that came twice.
    pub(super) windows: Vec<WindowRow>,
    pub(super) entities: BTreeMap<(EntityKind, u128), EntityRow>,
    /// For how many threads recovery has readers.
    pub(super) readers: usize,
}

impl Disk {
    pub(super) fn write(&mut self, cut: &Cut) {
        self.head =
            CheckpointHead { seq: cut.through, epoch: cut.epoch, now: cut.now, meta: cut.meta.clone() };
        self.live.extend(cut.live.iter().map(|row| (row.id, row.clone())));
        for id in &cut.gone {
            self.live.remove(id);
        }
        for id in &cut.revived {
            self.history.remove(id);
        }
        self.history.extend(cut.ended.iter().map(|row| (row.id, row.clone())));
        self.versions.extend(cut.versions.iter().map(|row| ((row.key.clone(), row.version), row.clone())));
        self.runs.extend(cut.runs.iter().map(|row| (row.id, row.clone())));
        self.windows.extend(&cut.windows);
        for row in &cut.entities {
            let old = self.entities.remove(&(row.kind, row.id)).and_then(|old| old.fixed);
            let fixed = row.fixed.clone().or(old);
            self.entities.insert((row.kind, row.id), EntityRow { fixed, ..row.clone() });
        }
    }

    pub(super) fn find(&self, id: TaskId) -> Option<StoredTask> {
        let live = self.live.get(&id).cloned().map(StoredTask::Live);
        live.or_else(|| self.history.get(&id).cloned().map(StoredTask::Ended))
    }
}

impl Recovery for Disk {
    fn head(&mut self) -> Result<CheckpointHead, OpenError> {
        Ok(self.head.clone())
    }

    fn live(&mut self, horizon: Wall, each: &mut dyn FnMut(LiveRow)) -> Result<(), OpenError> {
        let wanted = |row: &&LiveRow| row.parked_due.is_none_or(|due| due <= horizon);
        self.live.values().filter(wanted).cloned().for_each(each);
        Ok(())
    }

    fn live_runs(&mut self, after: Option<RunId>, limit: usize) -> Result<Vec<LiveRun>, OpenError> {
        let behind = |row: &&RunRow| row.ended.is_none() && after.is_none_or(|after| row.id > after);
        let run = |row: &RunRow| LiveRun { id: row.id, bytes: row.bytes.clone() };
        Ok(self.runs.values().filter(behind).take(limit).map(run).collect())
    }

    fn entities(
        &mut self,
        kind: EntityKind,
        after: Option<u128>,
        limit: usize,
    ) -> Result<Vec<EntityRow>, OpenError> {
        let behind = |row: &&EntityRow| row.kind == kind && after.is_none_or(|after| row.id > after);
        let live = self.entities.values().filter(behind).filter(|row| row.ended.is_none());
        Ok(live.take(limit).cloned().collect())
    }

    fn tables(&mut self) -> &mut dyn ReadTables {
        self
    }

    fn readers(&mut self) -> Result<Vec<Box<dyn ReadMany + Send>>, OpenError> {
        Ok((0..self.readers).map(|_| Box::new(self.clone()) as Box<dyn ReadMany + Send>).collect())
    }

    fn tail(&mut self, after: Seq, each: TailVisit<'_>) -> Result<(), OpenError> {
        let records = self.records.clone();
        let mut tail = records.iter().filter(|record| record.seq > after);
        tail.try_for_each(|record| each((**record).clone(), self))
    }
}

impl ReadMany for Disk {
    fn ended_tasks(&mut self, ids: &[TaskId], each: &mut dyn FnMut(TaskId, &[u8])) -> Result<(), ReadError> {
        ids.iter().filter_map(|id| self.history.get(id)).for_each(|row| each(row.id, &row.bytes));
        Ok(())
    }

    fn stored_runs(&mut self, ids: &[RunId], each: &mut dyn FnMut(RunId, &[u8])) -> Result<(), ReadError> {
        ids.iter().filter_map(|id| self.runs.get(id)).for_each(|row| each(row.id, &row.bytes));
        Ok(())
    }

    fn stored_versions(
        &mut self,
        wanted: &[(JobKey, u32)],
        each: &mut dyn FnMut(VersionRow),
    ) -> Result<(), ReadError> {
        wanted.iter().filter_map(|version| self.versions.get(version)).cloned().for_each(each);
        Ok(())
    }
}

/// Only what recovery and the loads of these tests ask for.
impl ReadTables for Disk {
    fn keys(&mut self, _: &[KeyScope]) -> Result<Vec<Option<KeyBinding>>, ReadError> {
        unreachable!("keys come with the commands here")
    }

    fn tasks(&mut self, ids: &[TaskId]) -> Result<Vec<Option<StoredTask>>, ReadError> {
        Ok(ids.iter().map(|id| self.find(*id)).collect())
    }

    fn parked(&mut self, _: ParkedFrom, _: usize) -> Result<Vec<LiveRow>, ReadError> {
        unreachable!("the rig pages by itself")
    }

    fn ids(&mut self, _: TaskId, _: TaskId, _: usize) -> Result<Vec<TaskId>, ReadError> {
        unreachable!("nobody lists here")
    }

    fn history(&mut self, _: &HistoryQuery) -> Result<HistoryPage, ReadError> {
        unreachable!("nobody lists here")
    }

    fn run(&mut self, id: RunId) -> Result<Option<RunRow>, ReadError> {
        Ok(self.runs.get(&id).cloned())
    }

    fn runs(&mut self, _: &RunQuery) -> Result<RunPage, ReadError> {
        unreachable!("nobody lists here")
    }

    fn version(&mut self, key: &JobKey, version: u32) -> Result<Option<VersionRow>, ReadError> {
        Ok(self.versions.get(&(key.clone(), version)).cloned())
    }

    fn versions(&mut self, _: &JobKey, _: u32, _: usize) -> Result<Vec<VersionRow>, ReadError> {
        unreachable!("nobody lists here")
    }

    fn windows(
        &mut self,
        _: ScheduleId,
        _: Option<WindowCursor>,
        _: usize,
    ) -> Result<Vec<WindowRow>, ReadError> {
        unreachable!("nobody lists here")
    }

    fn entity(&mut self, kind: EntityKind, id: u128) -> Result<Option<EntityRow>, ReadError> {
        Ok(self.entities.get(&(kind, id)).cloned())
    }

    fn entities(&mut self, query: &EntityQuery) -> Result<Vec<EntityRow>, ReadError> {
        Ok(self.entities.values().rev().filter(|row| query.wants(row)).take(query.limit).cloned().collect())
    }

    fn another(&self) -> Result<Self, ReadError> {
        unreachable!("one reader is enough")
    }
}
