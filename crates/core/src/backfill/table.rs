//! The backfills of a shard, how far each has come, and what of them changed since the last cut.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::spec::BackfillSpec;
use super::windows::WindowWalk;
use crate::collections::{Entity, EntityTable, Soft, Table};
use crate::job::Plan;
use crate::values::{BackfillId, EntityKind, Name, RunId, ScheduleId, Seq, Stamp, Wall};

#[derive(Clone, PartialEq, Debug)]
pub struct Backfill {
    pub id: BackfillId,
    pub schedule: ScheduleId,
    pub spec: Arc<BackfillSpec>,
    /// Of its version.
    pub plan: Arc<Plan>,
    /// How many of its windows began something: the cursor.
    pub started: u32,
    pub succeeded: u32,
    /// Runs that ended otherwise.
    pub failed: u32,
    /// Runs that have not ended, oldest first.
    pub active: Vec<RunId>,
    pub paused: bool,
    pub halt: Option<Halt>,
    pub created: Wall,
    pub changed: Wall,
    pub ended: Option<Wall>,
    pub touched: Seq,
    /// A row has its spec.
    pub stored: Soft<bool>,
    pub soft: Soft<BackfillSoft>,
}

/// Why no further window is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Halt {
    /// What runs is cancelled too.
    pub stop_runs: bool,
}

/// Derived after every recovery.
#[derive(Clone, Debug)]
pub struct BackfillSoft {
    /// Stands at the window after the last that was started.
    pub walk: WindowWalk,
    /// There was no room for a window: when to try again.
    pub retry: Option<Wall>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackfillStatus {
    Running,
    Paused,
    /// Cancelled, and something of it still runs.
    Cancelling,
    Completed,
    Cancelled,
}

impl BackfillStatus {
    pub(crate) const fn from_index(index: u8) -> Option<Self> {
        match index {
            0 => Some(Self::Running),
            1 => Some(Self::Paused),
            2 => Some(Self::Cancelling),
            3 => Some(Self::Completed),
            4 => Some(Self::Cancelled),
            _ => None,
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Cancelling => "cancelling",
            Self::Completed => "ended",
            Self::Cancelled => "cancelled",
        }
    }
}

impl BackfillSoft {
    pub fn at(spec: &BackfillSpec, started: u32) -> Self {
        Self { walk: spec.windows.walk(started), retry: None }
    }
}

impl Backfill {
    pub fn status(&self) -> BackfillStatus {
        match (self.halt, self.ended, self.paused) {
            (Some(_), Some(_), _) => BackfillStatus::Cancelled,
            (Some(_), None, _) => BackfillStatus::Cancelling,
            (None, Some(_), _) => BackfillStatus::Completed,
            (None, None, true) => BackfillStatus::Paused,
            (None, None, false) => BackfillStatus::Running,
        }
    }

    /// The window that is started next.
    pub fn next(&self) -> Option<Wall> {
        self.soft.walk.at(&self.spec.windows)
    }

    /// Nothing is left to do, and nobody has said so.
    pub(crate) fn is_over(&self) -> bool {
        let done = self.halt.is_some() || self.started >= self.spec.windows.len();
        self.ended.is_none() && done && self.active.is_empty()
    }

    /// A window may be started now.
    pub(crate) fn may_start(&self) -> bool {
        let open = self.ended.is_none() && self.halt.is_none() && !self.paused;
        let free = (self.active.len() as u64) < u64::from(self.spec.max_active);
        open && free && self.started < self.spec.windows.len()
    }
}

/// Ended ones stay until a cut has stored them.
#[derive(Debug, Default)]
pub struct Backfills {
    table: Table<Backfill>,
    /// Those that have not ended.
    by_schedule: BTreeMap<ScheduleId, BackfillId>,
    /// When they try again.
    retries: Soft<BTreeSet<(Wall, BackfillId)>>,
}

impl Entity for Backfill {
    const KIND: EntityKind = EntityKind::Backfill;
    type Id = BackfillId;
    type Key = BackfillId;

    fn id(&self) -> BackfillId {
        self.id
    }

    fn key(&self) -> BackfillId {
        self.id
    }

    fn scope(&self) -> (Name, Name) {
        (self.spec.key.tenant.clone(), self.spec.key.job.clone())
    }

    fn ended(&self) -> Option<Wall> {
        self.ended
    }

    fn touched(&self) -> Seq {
        self.touched
    }

    fn set_touched(&mut self, seq: Seq) {
        self.touched = seq;
    }

    fn set_stored(&mut self) {
        self.stored = Soft(true);
    }
}

impl EntityTable for Backfills {
    type Row = Backfill;

    fn rows(&self) -> &Table<Backfill> {
        &self.table
    }

    fn rows_mut(&mut self) -> &mut Table<Backfill> {
        &mut self.table
    }

    fn load(&mut self, backfill: Backfill) {
        self.derive_of(&backfill);
        self.table.load(backfill);
    }
}

impl Backfills {
    pub fn get(&self, id: BackfillId) -> Option<&Backfill> {
        self.table.get(id)
    }

    /// The one of this schedule that has not ended.
    pub fn of_schedule(&self, schedule: ScheduleId) -> Option<&Backfill> {
        self.get(*self.by_schedule.get(&schedule)?)
    }

    /// By id; ended ones too, as long as they are here.
    pub fn iter(&self) -> impl Iterator<Item = &Backfill> {
        self.table.iter()
    }

    pub fn unfinished(&self) -> usize {
        self.by_schedule.len()
    }

    /// What is derived from a row that is new in memory.
    fn derive_of(&mut self, backfill: &Backfill) {
        if backfill.ended.is_none() {
            self.by_schedule.insert(backfill.schedule, backfill.id);
        }
    }

    /// It is looked at now, and need not try again.
    pub(crate) fn forget_retry(&mut self, id: BackfillId) {
        let retry = self.table.soft_mut(id).and_then(|backfill| backfill.soft.retry.take());
        if let Some(at) = retry {
            self.retries.remove(&(at, id));
        }
    }

    pub(crate) fn retry_at(&mut self, id: BackfillId, at: Wall) {
        let Some(backfill) = self.table.soft_mut(id) else { return };
        if let Some(before) = backfill.soft.retry.replace(at) {
            self.retries.remove(&(before, id));
        }
        self.retries.insert((at, id));
    }

    pub(crate) fn next_retry(&self) -> Option<Wall> {
        self.retries.first().map(|(at, _)| *at)
    }

    /// One whose time has come to try again.
    pub(crate) fn take_retry(&mut self, now: Wall) -> Option<BackfillId> {
        let (_, id) = self.retries.first().copied().filter(|(at, _)| *at <= now)?;
        self.forget_retry(id);
        Some(id)
    }

    /// After loading and replaying: everything soft is built up again.
    pub(crate) fn derive(&mut self) {
        self.retries.clear();
        for backfill in self.table.iter_soft_mut() {
            backfill.soft = Soft(BackfillSoft::at(&backfill.spec, backfill.started));
        }
    }

    /// A break mode: as if nothing had been started.
    pub(crate) fn forget_cursors(&mut self) {
        for backfill in self.table.iter_soft_mut().filter(|one| one.ended.is_none()) {
            backfill.started = 0;
        }
    }

    pub(crate) fn add(&mut self, backfill: Backfill, at: Stamp) {
        self.derive_of(&backfill);
        self.table.insert(backfill, at);
    }

    pub(crate) fn touch(&mut self, id: BackfillId, at: Stamp) -> &mut Backfill {
        self.table.change(id, at)
    }

    pub(crate) fn ended(&mut self, id: BackfillId) {
        self.by_schedule.retain(|_, live| *live != id);
    }

    pub fn dirty_len(&self) -> usize {
        self.table.dirty_len()
    }
}
