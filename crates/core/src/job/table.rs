//! Jobs: named, versioned definitions. All of them are in memory; old versions are in the tables.
//! - JB-1 no two jobs have the same id; a job never leaves, so that its versions never begin again

use std::collections::VecDeque;
use std::sync::Arc;

use super::plan::Plan;
use crate::collections::{Entity, EntityTable, Soft, Table};
use crate::values::{
    EntityKind, JobId, Millis, Name, Note, Revision, RunId, RunIndex, RunStatus, Seq, Stamp, Wall,
};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobKey {
    pub tenant: Name,
    pub name: Name,
}

impl JobKey {
    pub fn id(&self) -> JobId {
        JobId::of(&self.tenant, &self.name)
    }
}

/// What a version is made of. `source` is the definition as it is shown to people.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    pub plan: Arc<Plan>,
    pub source: Arc<[u8]>,
    /// Of the content; equal content is no new version.
    pub hash: u128,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// That of its key.
    pub id: JobId,
    pub key: Arc<JobKey>,
    /// Counts from 1.
    pub version: u32,
    pub definition: Definition,
    /// Starts no runs by itself, and lets none start that waits.
    pub paused: bool,
    /// When it was deleted; its runs and history stay.
    pub deleted: Option<Wall>,
    pub created: Wall,
    /// See [`Job::revision`].
    pub changed: Wall,
    pub last: Option<LastRun>,
    /// The newest runs that have ended, in the order of their ends; at most [`RECENT_MAX`].
    pub recent: Vec<RecentRun>,
    /// When a run of it last succeeded.
    pub succeeded: Option<Wall>,
    /// Who changed it and why, as far as they said; at most `NOTES_MAX`.
    pub notes: Vec<Note>,
    /// The record that touched it last.
    pub touched: Seq,
    pub lanes: Soft<Lanes>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastRun {
    pub id: RunId,
    pub status: RunStatus,
    pub at: Wall,
}

/// Ended runs that a job remembers: lists of jobs tell of them without looking at history.
pub const RECENT_MAX: usize = 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecentRun {
    pub id: RunId,
    pub status: RunStatus,
    /// Of the job.
    pub version: u32,
    /// From being made to its end.
    pub took: Millis,
}

/// Derived from the runs in memory: how many are at work, and which wait for a place.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    pub active: u32,
    /// Of those, the ones of backfills.
    pub backfill_active: u32,
    /// Those of backfills last.
    pub waiting: VecDeque<RunIndex>,
    backfill_waiting: usize,
}

impl Lanes {
    /// Whether a run of this kind may begin now. Backfills leave one place to what is live, if there are two.
    pub fn has_room(&self, active_max: u32, is_backfill: bool) -> bool {
        let for_backfills = active_max.saturating_sub(1).max(1);
        self.active < active_max && (!is_backfill || self.backfill_active < for_backfills)
    }

    pub(crate) fn join(&mut self, index: RunIndex, is_backfill: bool) {
        if is_backfill {
            self.backfill_waiting += 1;
            self.waiting.push_back(index);
        } else {
            self.waiting.insert(self.waiting.len() - self.backfill_waiting, index);
        }
    }

    pub(crate) fn leave(&mut self, index: RunIndex, is_backfill: bool) {
        let before = self.waiting.len();
        // Nearly always the first in line.
        if self.waiting.front() == Some(&index) {
            self.waiting.pop_front();
        } else {
            self.waiting.retain(|waiting| *waiting != index);
        }
        self.backfill_waiting -= usize::from(is_backfill && self.waiting.len() < before);
    }

    pub(crate) fn begin(&mut self, is_backfill: bool) {
        self.active += 1;
        self.backfill_active += u32::from(is_backfill);
    }

    /// The same runs, whatever their order.
    pub(crate) fn holds_the_same(&self, other: &Self) -> bool {
        let sorted = |lanes: &Self| {
            let mut waiting: Vec<RunIndex> = lanes.waiting.iter().copied().collect();
            waiting.sort_unstable();
            waiting
        };
        let counts = |lanes: &Self| (lanes.active, lanes.backfill_active, lanes.backfill_waiting);
        counts(self) == counts(other) && sorted(self) == sorted(other)
    }

    pub(crate) fn end(&mut self, is_backfill: bool) {
        self.active -= 1;
        self.backfill_active -= u32::from(is_backfill);
    }
}

impl Job {
    /// One that was opened again and has ended another time counts once, as it ended last.
    pub(crate) fn remember(&mut self, run: RecentRun) {
        self.recent.retain(|known| known.id != run.id);
        if self.recent.len() >= RECENT_MAX {
            self.recent.remove(0);
        }
        self.recent.push(run);
    }

    /// Of its content, and of whether it is paused or deleted.
    pub fn revision(&self) -> Revision {
        if self.deleted.is_some() { Revision::NONE } else { self.changed.into() }
    }
}

impl Entity for Job {
    const KIND: EntityKind = EntityKind::Job;
    type Id = JobId;
    type Key = Arc<JobKey>;

    fn id(&self) -> JobId {
        self.id
    }

    fn key(&self) -> Arc<JobKey> {
        self.key.clone()
    }

    /// It is its own parent: its row can be found by its name.
    fn scope(&self) -> (Name, Name) {
        (self.key.tenant.clone(), self.key.name.clone())
    }

    /// Deleted ones stay too: stored again, a job goes on counting its versions.
    fn ended(&self) -> Option<Wall> {
        None
    }

    fn touched(&self) -> Seq {
        self.touched
    }

    fn set_touched(&mut self, seq: Seq) {
        self.touched = seq;
    }
}

#[derive(Debug, Default)]
pub struct JobTable {
    jobs: Table<Job>,
}

impl EntityTable for JobTable {
    type Row = Job;

    fn rows(&self) -> &Table<Job> {
        &self.jobs
    }

    fn rows_mut(&mut self) -> &mut Table<Job> {
        &mut self.jobs
    }
}

impl JobTable {
    pub fn get(&self, key: &JobKey) -> Option<&Job> {
        self.jobs.find(key)
    }

    pub fn by_id(&self, id: JobId) -> Option<&Job> {
        self.jobs.get(id)
    }

    /// For soft fields only.
    pub(crate) fn get_mut(&mut self, key: &JobKey) -> Option<&mut Job> {
        self.jobs.soft_find_mut(key)
    }

    pub(crate) fn add(&mut self, job: Job, at: Stamp) {
        self.jobs.insert(job, at);
    }

    /// For `apply`; `None`: there is no such job.
    pub(crate) fn change(&mut self, key: &JobKey, at: Stamp) -> Option<&mut Job> {
        let id = self.get(key)?.id;
        Some(self.jobs.change(id, at))
    }

    /// By tenant and name, after this one.
    pub fn after(&self, key: Option<&JobKey>) -> impl Iterator<Item = &Job> {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = key.map_or(Unbounded, Excluded);
        self.jobs.range::<JobKey>((from, Unbounded))
    }

    pub(crate) fn iter_soft_mut(&mut self) -> impl Iterator<Item = &mut Job> {
        self.jobs.iter_soft_mut()
    }

    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    pub fn dirty_len(&self) -> usize {
        self.jobs.dirty_len()
    }
}
