//! The triggers of a shard, what each has seen, and what of them changed since the last cut.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::index::TriggerIndex;
use super::ledger::Ledger;
use super::spec::{TriggerKey, TriggerSpec};
use crate::collections::{Entity, EntityTable, Soft, Table};
use crate::run::{Run, StartedBy};
use crate::values::{Bucket, CloudEvent, EntityKind, Name, RunId, Seq, Stamp, TriggerId, Wall};

/// A trigger as it is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Trigger {
    pub id: TriggerId,
    pub key: Arc<TriggerKey>,
    pub spec: Arc<TriggerSpec>,
    pub deleted: Option<Wall>,
    /// It was deleted long ago, and nobody finds it by its name any more.
    pub forgotten: Option<Wall>,
    pub created: Wall,
    pub changed: Wall,
    pub fired: u64,
    pub skipped: u64,
    pub errors: u64,
    pub last_fired: Option<LastFired>,
    pub last_skip: Option<(Wall, Skip)>,
    pub last_error: Option<(Wall, Arc<str>)>,
    /// Of an `after` trigger.
    pub ledger: Ledger,
    pub touched: Seq,
    pub soft: Soft<TriggerSoft>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct LastFired {
    pub at: Wall,
    pub source: Arc<str>,
    pub event: Arc<str>,
    pub run: RunId,
}

/// Derived from runs after every recovery.
#[derive(Clone, Copy, Debug, Default)]
pub struct TriggerSoft {
    /// Runs that it began and that have not ended.
    pub active: u32,
}

/// Why an event that was meant began nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Skip {
    /// As many of its runs are at work as may.
    MaxActive = 0,
    /// Its job is paused.
    Paused = 1,
    /// The event began as many runs as one may.
    FanOut = 2,
    /// The condition says no; told only of a window, which is decided by it.
    Condition = 3,
}

impl Skip {
    pub const ALL: [Self; 4] = [Self::MaxActive, Self::Paused, Self::FanOut, Self::Condition];

    pub const fn label(self) -> &'static str {
        match self {
            Self::MaxActive => "max_active",
            Self::Paused => "paused",
            Self::FanOut => "fan_out",
            Self::Condition => "condition",
        }
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

#[derive(Debug, Default)]
pub struct Triggers {
    table: Table<Trigger>,
    index: TriggerIndex,
    /// Derived: those that are deleted and not forgotten, oldest first.
    deleted: BTreeSet<(Wall, TriggerId)>,
}

impl Entity for Trigger {
    const KIND: EntityKind = EntityKind::Trigger;
    type Id = TriggerId;
    type Key = Arc<TriggerKey>;

    fn id(&self) -> TriggerId {
        self.id
    }

    fn key(&self) -> Arc<TriggerKey> {
        self.key.clone()
    }

    fn scope(&self) -> (Name, Name) {
        (self.key.tenant.clone(), self.key.job.clone())
    }

    fn ended(&self) -> Option<Wall> {
        self.forgotten
    }

    fn touched(&self) -> Seq {
        self.touched
    }

    fn set_touched(&mut self, seq: Seq) {
        self.touched = seq;
    }

    fn number(&self) -> u64 {
        self.id.number()
    }
}

impl EntityTable for Triggers {
    type Row = Trigger;

    fn rows(&self) -> &Table<Trigger> {
        &self.table
    }

    fn rows_mut(&mut self) -> &mut Table<Trigger> {
        &mut self.table
    }

    fn load(&mut self, hook: Trigger) {
        self.derive_of(&hook);
        self.table.load(hook);
    }
}

impl Triggers {
    /// The trigger that began a run.
    pub(crate) fn of_run(&self, run: &Run) -> Option<TriggerId> {
        let cause = run.origin.cause.as_ref().filter(|_| run.origin.started_by == StartedBy::Event)?;
        let (tenant, job) = (run.job.tenant.clone(), run.job.name.clone());
        let key = TriggerKey { tenant, job, name: cause.trigger.clone() };
        self.find(&key).map(|trigger| trigger.id)
    }

    pub fn get(&self, id: TriggerId) -> Option<&Trigger> {
        self.table.get(id)
    }

    pub(super) fn get_mut(&mut self, id: TriggerId) -> Option<&mut Trigger> {
        self.table.soft_mut(id)
    }

    pub fn find(&self, key: &TriggerKey) -> Option<&Trigger> {
        self.table.find(key)
    }

    /// The id that a new trigger gets when `before` others get theirs first.
    pub fn next_id(&self, bucket: Bucket, before: u64) -> TriggerId {
        TriggerId::new(bucket, self.table.numbers() + 1 + before)
    }

    /// Numbers up to this one were given away.
    pub fn numbers(&self) -> u64 {
        self.table.numbers()
    }

    /// Deleted ones too, until they are forgotten and have left.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// By tenant, job and name; deleted ones too.
    pub fn iter(&self) -> impl Iterator<Item = &Trigger> {
        self.table.iter()
    }

    /// Some are deleted and not forgotten yet.
    pub(crate) fn any_deleted(&self) -> bool {
        !self.deleted.is_empty()
    }

    /// Those that were deleted before this instant, oldest first.
    pub(super) fn deleted_before(&self, before: Wall) -> impl Iterator<Item = &Trigger> {
        let old = self.deleted.iter().take_while(move |(at, _)| *at < before);
        old.filter_map(|(_, id)| self.get(*id))
    }

    /// By tenant, job and name, after this one.
    pub fn after(&self, key: Option<&TriggerKey>) -> impl Iterator<Item = &Trigger> {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = key.map_or(Unbounded, Excluded);
        self.table.range::<TriggerKey>((from, Unbounded))
    }

    /// Those of a job, deleted ones too.
    pub fn of_job<'a>(&'a self, tenant: &'a Name, job: &'a Name) -> impl Iterator<Item = &'a Trigger> {
        let first = TriggerKey { tenant: tenant.clone(), job: job.clone(), name: Name::default() };
        let from_here = self.table.range::<TriggerKey>(first..);
        from_here.take_while(move |hook| hook.key.tenant == *tenant && hook.key.job == *job)
    }

    /// Those that an event means, by id; their conditions are not asked yet.
    pub fn matching(&self, tenant: &Name, notice: &CloudEvent) -> Vec<TriggerId> {
        let meant = |id: &TriggerId| self.get(*id).is_some_and(|hook| hook.spec.on.takes(notice));
        let mut found = self.index.find(tenant, notice);
        found.retain(meant);
        found
    }

    /// Those that wait for a success of this job.
    pub fn after_job(&self, tenant: &Name, job: &Name) -> &[TriggerId] {
        self.index.after(tenant, job)
    }

    /// What is derived from a row that is new in memory.
    fn derive_of(&mut self, hook: &Trigger) {
        match hook.deleted {
            None => self.index.add(&hook.key.tenant, &hook.spec.on, hook.id),
            Some(at) => drop(self.deleted.insert((at, hook.id))),
        }
    }

    pub(super) fn add(&mut self, hook: Trigger, at: Stamp) {
        self.derive_of(&hook);
        self.table.insert(hook, at);
    }

    pub(super) fn touch(&mut self, id: TriggerId, at: Stamp) -> &mut Trigger {
        self.table.change(id, at)
    }

    /// What it listens for changes: `None` for nothing any more.
    pub(super) fn listen(&mut self, id: TriggerId, spec: Option<&Arc<TriggerSpec>>, now: Wall) {
        let Some(hook) = self.table.get(id) else { return };
        match hook.deleted {
            None => self.index.remove(&hook.key.tenant, &hook.spec.on, id),
            Some(at) => drop(self.deleted.remove(&(at, id))),
        }
        match spec {
            Some(spec) => self.index.add(&hook.key.tenant, &spec.on, id),
            None => drop(self.deleted.insert((now, id))),
        }
    }

    /// Its name is free again.
    pub(super) fn forget(&mut self, id: TriggerId, at: Stamp) {
        let hook = self.table.change(id, at);
        hook.forgotten = Some(at.now.wall);
        if let Some(deleted) = hook.deleted {
            self.deleted.remove(&(deleted, id));
        }
        self.table.unlist(id);
    }

    pub(super) fn forget_soft(&mut self) {
        for hook in self.table.iter_soft_mut() {
            hook.soft = Soft::default();
        }
    }

    pub fn dirty_len(&self) -> usize {
        self.table.dirty_len()
    }
}
