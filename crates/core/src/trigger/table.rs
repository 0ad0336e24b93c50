//! The triggers of a shard, what each has seen, and what of them changed since the last cut.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index::TriggerIndex;
use super::ledger::Ledger;
use super::spec::{TriggerKey, TriggerSpec};
use crate::values::{CloudEvent, Name, RunId, Seq, TriggerId, Wall};

/// A trigger as it is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Trigger {
    pub id: TriggerId,
    pub key: Arc<TriggerKey>,
    pub spec: Arc<TriggerSpec>,
    pub deleted: Option<Wall>,
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
    pub soft: TriggerSoft,
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

impl PartialEq for TriggerSoft {
    fn eq(&self, _: &Self) -> bool {
        true
    }
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
    /// By id, which counts from 0; none ever leaves.
    list: Vec<Option<Box<Trigger>>>,
    by_key: BTreeMap<Arc<TriggerKey>, TriggerId>,
    index: TriggerIndex,
    dirty: Vec<TriggerId>,
}

impl Triggers {
    pub fn get(&self, id: TriggerId) -> Option<&Trigger> {
        self.list.get(id.index())?.as_deref()
    }

    pub(super) fn get_mut(&mut self, id: TriggerId) -> Option<&mut Trigger> {
        self.list.get_mut(id.index())?.as_deref_mut()
    }

    pub fn find(&self, key: &TriggerKey) -> Option<&Trigger> {
        self.get(*self.by_key.get(key)?)
    }

    /// The id that the next new trigger gets.
    pub fn next_id(&self) -> TriggerId {
        TriggerId::from_index(self.list.len())
    }

    /// How many were ever stored.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// By id; deleted ones too.
    pub fn iter(&self) -> impl Iterator<Item = &Trigger> {
        self.list.iter().filter_map(|hook| hook.as_deref())
    }

    /// By tenant, job and name, after this one.
    pub fn after(&self, key: Option<&TriggerKey>) -> impl Iterator<Item = &Trigger> {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = key.map_or(Unbounded, Excluded);
        self.by_key.range::<TriggerKey, _>((from, Unbounded)).filter_map(|(_, id)| self.get(*id))
    }

    /// Those of a job, deleted ones too.
    pub fn of_job<'a>(&'a self, tenant: &'a Name, job: &'a Name) -> impl Iterator<Item = &'a Trigger> {
        let first = TriggerKey { tenant: tenant.clone(), job: job.clone(), name: Name::default() };
        let from_here = self.by_key.range::<TriggerKey, _>(first..);
        let of_job = from_here.take_while(move |(key, _)| key.tenant == *tenant && key.job == *job);
        of_job.filter_map(|(_, id)| self.get(*id))
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

    /// Puts a trigger into memory that the tables hold.
    pub fn load(&mut self, hook: Trigger) {
        let index = hook.id.index();
        if self.list.len() <= index {
            self.list.resize_with(index + 1, || None);
        }
        if hook.deleted.is_none() {
            self.index.add(&hook.key.tenant, &hook.spec.on, hook.id);
        }
        self.by_key.insert(hook.key.clone(), hook.id);
        self.list[index] = Some(Box::new(hook));
    }

    pub(super) fn add(&mut self, hook: Trigger) {
        self.dirty.push(hook.id);
        self.load(hook);
    }

    pub(super) fn touch(&mut self, id: TriggerId, seq: Seq, cut: Seq) -> &mut Trigger {
        let hook = self.list.get_mut(id.index()).and_then(Option::as_deref_mut);
        let hook = hook.expect("EV-1: the trigger of an event is in memory");
        if hook.touched <= cut {
            self.dirty.push(id);
        }
        hook.touched = seq;
        hook
    }

    /// What it listens for changes: `None` for nothing any more.
    pub(super) fn listen(&mut self, id: TriggerId, spec: Option<&Arc<TriggerSpec>>) {
        let Some(hook) = self.list.get(id.index()).and_then(Option::as_deref) else { return };
        if hook.deleted.is_none() {
            self.index.remove(&hook.key.tenant, &hook.spec.on, id);
        }
        if let Some(spec) = spec {
            self.index.add(&hook.key.tenant, &spec.on, id);
        }
    }

    pub(super) fn forget_soft(&mut self) {
        for hook in self.list.iter_mut().flatten() {
            hook.soft = TriggerSoft::default();
        }
    }

    pub fn take_dirty(&mut self) -> Vec<TriggerId> {
        std::mem::take(&mut self.dirty)
    }

    pub fn dirty_len(&self) -> usize {
        self.dirty.len()
    }
}
