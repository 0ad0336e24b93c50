//! What survives: the journal, the tables, and which epoch owns them.
//! - DS-1 a record is taken only at the next sequence and only from the newest epoch; the same record again
//!   is the same record
//! - DS-2 a cut is taken whole or not at all

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::job::JobKey;
use mainspring_core::key::KeyScope;
use mainspring_core::schedule::WindowRow;
use mainspring_core::values::{EntityKind, Epoch, RunId, ScheduleId, Seq, TaskId, Wall};
use mainspring_store::{
    AppendError, CheckpointHead, Cut, CutError, EntityRow, HistoryRow, KeyRow, LiveRow, OpenError,
    ParkedFrom, Record, RunRow, StoredTask, VersionRow, WindowCursor,
};

/// What a record costs beside its body.
const FRAME_BYTES: u64 = 64;

#[derive(Debug)]
pub struct Disk {
    /// The newest epoch that was handed out.
    newest: Epoch,
    /// Off only in a break mode.
    epoch_locked: bool,
    records: BTreeMap<Seq, Record>,
    last: Seq,
    bytes: u64,
    pub(super) head: CheckpointHead,
    pub(super) live: BTreeMap<TaskId, LiveRow>,
    parked: BTreeSet<(Wall, TaskId)>,
    pub(super) history: BTreeMap<(u32, TaskId), HistoryRow>,
    days: BTreeMap<TaskId, u32>,
    keys: BTreeMap<KeyScope, KeyRow>,
    pub(super) versions: BTreeMap<(JobKey, u32), VersionRow>,
    pub(super) runs: BTreeMap<RunId, RunRow>,
    pub(super) windows: BTreeMap<(ScheduleId, WindowCursor), WindowRow>,
    pub(super) entities: BTreeMap<(EntityKind, u128), EntityRow>,
}

impl Disk {
    pub fn new(epoch_locked: bool) -> Self {
        Self {
            newest: Epoch::ZERO,
            epoch_locked,
            records: BTreeMap::new(),
            last: Seq::ZERO,
            bytes: 0,
            head: CheckpointHead::default(),
            live: BTreeMap::new(),
            parked: BTreeSet::new(),
            history: BTreeMap::new(),
            days: BTreeMap::new(),
            keys: BTreeMap::new(),
            versions: BTreeMap::new(),
            runs: BTreeMap::new(),
            windows: BTreeMap::new(),
            entities: BTreeMap::new(),
        }
    }

    /// Fences every earlier owner.
    pub fn next_epoch(&mut self) -> Epoch {
        self.newest = self.newest.next();
        self.newest
    }

    /// The next epoch for an owner that has not been replaced.
    pub fn renew(&mut self, ours: Epoch) -> Result<Epoch, AppendError> {
        if ours == self.newest { Ok(self.next_epoch()) } else { Err(self.refused(ours)) }
    }

    pub fn newest(&self) -> Epoch {
        self.newest
    }

    pub fn last(&self) -> Seq {
        self.last
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// True if the record was not there before.
    pub fn append(&mut self, record: &Record) -> Result<bool, AppendError> {
        if self.records.get(&record.seq) == Some(record) {
            return if record.epoch == self.newest { Ok(false) } else { Err(self.refused(record.epoch)) };
        }
        let fenced = record.epoch != self.newest;
        if fenced && self.epoch_locked {
            return Err(self.refused(record.epoch));
        }
        // Without the lock an old owner writes where it believes the end to be, over whatever is there.
        if record.seq != self.last.next() && !fenced {
            return Err(AppendError::OutOfOrder { last: self.last, offered: record.seq });
        }
        self.bytes += record.body.len() as u64 + FRAME_BYTES;
        self.last = self.last.max(record.seq);
        self.records.insert(record.seq, record.clone());
        Ok(true)
    }

    fn refused(&self, ours: Epoch) -> AppendError {
        AppendError::Refused { ours, newest: self.newest }
    }

    pub fn trim(&mut self, through: Seq) {
        let through = through.min(self.head.seq);
        let kept = self.records.split_off(&through.next());
        let dropped = std::mem::replace(&mut self.records, kept);
        self.bytes -= dropped.values().map(|record| record.body.len() as u64 + FRAME_BYTES).sum::<u64>();
    }

    pub fn tail(&self, after: Seq) -> Result<Vec<Record>, OpenError> {
        let records: Vec<Record> =
            self.records.range(after.next()..).map(|(_, record)| record.clone()).collect();
        match records.first() {
            Some(first) if first.seq != after.next() => {
                Err(OpenError::Gap { checkpoint: after, first: first.seq })
            }
            Some(_) | None => Ok(records),
        }
    }

    pub fn cut(&mut self, cut: &Cut) -> Result<(), CutError> {
        if cut.epoch != self.newest && self.epoch_locked {
            return Err(CutError::Refused { ours: cut.epoch, newest: self.newest });
        }
        if cut.through < self.head.seq {
            return Err(CutError::OutOfOrder { last: self.head.seq, offered: cut.through });
        }
        for id in cut.revived.iter().chain(cut.ended.iter().map(|row| &row.id)) {
            self.remove_ended(*id);
        }
        for row in &cut.live {
            self.remove_live(row.id);
            self.parked.extend(row.parked_due.map(|due| (due, row.id)));
            self.live.insert(row.id, row.clone());
        }
        for id in &cut.gone {
            self.remove_live(*id);
        }
        for row in &cut.ended {
            self.days.insert(row.id, row.ended.day());
            self.history.insert((row.ended.day(), row.id), row.clone());
        }
        self.keys.extend(cut.keys.iter().map(|row| (row.scope, *row)));
        self.versions.extend(cut.versions.iter().map(|row| ((row.key.clone(), row.version), row.clone())));
        self.runs.extend(cut.runs.iter().map(|row| (row.id, row.clone())));
        let place = |row: &WindowRow| (row.schedule, WindowCursor::of(row));
        self.windows.extend(cut.windows.iter().map(|row| (place(row), *row)));
        for row in &cut.entities {
            let place = (row.kind, row.id);
            let old = self.entities.remove(&place).and_then(|old| old.fixed);
            let fixed = row.fixed.clone().or(old);
            self.entities.insert(place, EntityRow { fixed, ..row.clone() });
        }
        self.head =
            CheckpointHead { seq: cut.through, epoch: cut.epoch, now: cut.now, meta: cut.meta.clone() };
        Ok(())
    }

    fn remove_live(&mut self, id: TaskId) {
        if let Some(LiveRow { parked_due: Some(due), .. }) = self.live.remove(&id) {
            self.parked.remove(&(due, id));
        }
    }

    fn remove_ended(&mut self, id: TaskId) {
        if let Some(day) = self.days.remove(&id) {
            self.history.remove(&(day, id));
        }
    }

    pub fn drop_before(&mut self, day: u32, now: Wall) {
        self.history.retain(|(ended, _), _| *ended >= day);
        self.days.retain(|_, ended| *ended >= day);
        let (live, runs) = (&self.live, &self.runs);
        let lives = |id: TaskId| {
            let run = runs.get(&RunId::from_bits(id.bits()));
            live.contains_key(&id) || run.is_some_and(|run| run.ended.is_none())
        };
        self.keys.retain(|_, row| row.expires >= now || lives(row.binding.task));
        self.runs.retain(|_, row| row.ended.is_none_or(|ended| ended.day() >= day));
        self.entities.retain(|_, row| row.ended.is_none_or(|ended| ended.day() >= day));
        self.windows.retain(|_, row| row.at.day() >= day);
    }

    pub fn checkpoint(&self) -> &CheckpointHead {
        &self.head
    }

    pub fn live_row(&self, id: TaskId) -> Option<&LiveRow> {
        self.live.get(&id)
    }

    pub fn live_rows(&self) -> impl Iterator<Item = &LiveRow> {
        self.live.values()
    }

    pub fn ended_row(&self, id: TaskId) -> Option<&HistoryRow> {
        self.days.get(&id).and_then(|day| self.history.get(&(*day, id)))
    }

    pub fn ended_rows(&self) -> usize {
        self.history.len()
    }

    pub fn version_row(&self, key: &JobKey, version: u32) -> Option<&VersionRow> {
        self.versions.get(&(key.clone(), version))
    }

    pub fn run_row(&self, id: RunId) -> Option<&RunRow> {
        self.runs.get(&id)
    }

    pub fn window_row(&self, like: &WindowRow) -> Option<&WindowRow> {
        self.windows.get(&(like.schedule, WindowCursor::of(like)))
    }

    pub fn window_rows(&self) -> usize {
        self.windows.len()
    }

    pub fn entity_row(&self, kind: EntityKind, id: u128) -> Option<&EntityRow> {
        self.entities.get(&(kind, id))
    }

    pub fn key(&self, scope: KeyScope) -> Option<&KeyRow> {
        self.keys.get(&scope)
    }

    pub fn task(&self, id: TaskId) -> Option<StoredTask> {
        let live = self.live_row(id).cloned().map(StoredTask::Live);
        live.or_else(|| self.ended_row(id).cloned().map(StoredTask::Ended))
    }

    pub fn live_ids(&self, from: TaskId, through: TaskId) -> Vec<TaskId> {
        self.live.range(from..=through).map(|(id, _)| *id).collect()
    }

    pub fn parked(&self, from: ParkedFrom, limit: usize) -> Vec<LiveRow> {
        match from {
            ParkedFrom::Due { after, until } => {
                let next = (after.0, TaskId::from_bits(after.1.bits().saturating_add(1)));
                // After the highest id there is none of the same due time.
                let next =
                    if after.1.bits() == u128::MAX { (after.0 + ONE_MS, TaskId::from_bits(0)) } else { next };
                let due = self.parked.range(next..).take_while(|(due, _)| *due <= until);
                due.take(limit).filter_map(|(_, id)| self.live.get(id).cloned()).collect()
            }
            ParkedFrom::Id { after } => {
                let next = TaskId::from_bits(after.bits().saturating_add(1));
                let rows = self.live.range(next..).map(|(_, row)| row).filter(|row| row.parked_due.is_some());
                rows.take(limit).cloned().collect()
            }
        }
    }
}

const ONE_MS: mainspring_core::values::Millis = mainspring_core::values::Millis::new(1);
