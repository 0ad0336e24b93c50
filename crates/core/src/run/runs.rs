//! Jobs and runs of a shard, and which runs and versions changed since the last cut.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::pace::{Pace, Releases};
use super::state::Run;
use super::table::RunTable;
use crate::collections::Soft;
use crate::job::{Definition, JobKey, JobTable, Lanes};
use crate::values::{Elapsed, RunId, RunIndex, RunStatus, Seq, Wall};

#[derive(Debug, Default)]
pub struct JobRuns {
    pub(crate) jobs: JobTable,
    pub(crate) runs: RunTable,
    /// Runs that wait for a success of a job.
    pub(crate) awaiting: Soft<BTreeMap<JobKey, BTreeSet<RunIndex>>>,
    dirty_runs: Vec<RunIndex>,
    versions: Vec<NewVersion>,
}

/// A version stored since the last cut.
#[derive(Clone, PartialEq, Debug)]
pub struct NewVersion {
    pub key: Arc<JobKey>,
    pub version: u32,
    pub definition: Definition,
    pub at: Wall,
}

/// What a cut must write of runs and versions.
#[derive(Debug, Default)]
pub struct DirtyRuns {
    pub runs: Vec<RunIndex>,
    pub versions: Vec<NewVersion>,
}

impl JobRuns {
    pub fn jobs(&self) -> &JobTable {
        &self.jobs
    }

    pub fn runs(&self) -> &RunTable {
        &self.runs
    }

    /// Jobs that runs wait for.
    pub fn awaiting_jobs(&self) -> impl Iterator<Item = &JobKey> {
        self.awaiting.keys()
    }

    pub fn run(&self, id: RunId) -> Option<&Run> {
        self.runs.by_id(id)
    }

    /// For whoever loads rows or takes what changed.
    pub fn jobs_mut(&mut self) -> &mut JobTable {
        &mut self.jobs
    }

    /// Puts a run into memory that the tables hold; [`JobRuns::derive`] follows when all are there.
    pub fn load_run(&mut self, run: Box<Run>) -> RunIndex {
        self.runs.insert(run)
    }

    pub fn unload_run(&mut self, index: RunIndex) -> Option<Box<Run>> {
        self.runs.remove(index)
    }

    pub(crate) fn touch(&mut self, index: RunIndex, seq: Seq, cut: Seq, now: Wall) {
        let run = self.runs.get_mut(index).expect("EV-1: a touched run is in memory");
        if run.touched <= cut {
            self.dirty_runs.push(index);
        }
        run.touched = seq;
        run.changed = now;
    }

    pub(crate) fn add(&mut self, run: Run) -> RunIndex {
        let index = self.runs.insert(Box::new(run));
        self.dirty_runs.push(index);
        index
    }

    pub(crate) fn add_version(&mut self, version: NewVersion) {
        self.versions.push(version);
    }

    pub fn take_dirty(&mut self) -> DirtyRuns {
        DirtyRuns { runs: std::mem::take(&mut self.dirty_runs), versions: std::mem::take(&mut self.versions) }
    }

    pub fn dirty_len(&self) -> usize {
        self.dirty_runs.len() + self.jobs.dirty_len() + self.versions.len()
    }

    /// Runs that wait for a place and could have one, from what runs and jobs say alone.
    pub(crate) fn startable(&self) -> Vec<RunIndex> {
        let queued = || self.runs.iter().filter(|(_, run)| run.status == RunStatus::Queued);
        if queued().next().is_none() {
            return Vec::new();
        }
        let mut active: BTreeMap<&JobKey, Lanes> = BTreeMap::new();
        for (_, run) in self.runs.iter().filter(|(_, run)| run.status == RunStatus::Running) {
            active.entry(&run.job).or_default().begin(run.is_backfill());
        }
        let none = Lanes::default();
        let has_room = |run: &Run| {
            let lanes = active.get(&*run.job).unwrap_or(&none);
            let job = self.jobs.get(&run.job).filter(|job| !job.paused);
            let max = job.map(|job| job.definition.plan.bounds.active_runs_max);
            max.is_some_and(|max| lanes.has_room(max, run.is_backfill()))
        };
        queued().filter(|(_, run)| has_room(run)).map(|(index, _)| index).collect()
    }

    /// After loading and replaying: everything soft, from scratch (RN-2). Whatever is owed is listed by who pays it.
    pub fn derive(&mut self, now: Elapsed) {
        self.awaiting.clear();
        for job in self.jobs.iter_soft_mut() {
            job.lanes = Soft::default();
        }
        let mut queued: Vec<(RunId, RunIndex)> = Vec::new();
        let indices: Vec<RunIndex> = self.runs.iter().map(|(index, _)| index).collect();
        for index in indices {
            let Some(run) = self.runs.get_mut(index) else { continue };
            run.derive();
            run.soft.lists.releases = Releases { pace: Pace::after_restart(now), turn: None };
            let held: Vec<u32> = run.holds.keys().copied().collect();
            let (id, key, status, is_backfill) = (run.id, run.job.clone(), run.status, run.is_backfill());
            for node in held {
                self.await_jobs(id, node);
            }
            match status {
                RunStatus::Queued => queued.push((id, index)),
                RunStatus::Running => {
                    if let Some(job) = self.jobs.get_mut(&key) {
                        job.lanes.begin(is_backfill);
                    }
                }
                RunStatus::Succeeded | RunStatus::Failed | RunStatus::Cancelled => {}
            }
        }
        // Ids begin with the time they were minted at, so this is about the order in which the runs came.
        queued.sort_unstable();
        for (_, index) in queued {
            let Some(run) = self.runs.get(index) else { continue };
            let (key, is_backfill) = (run.job.clone(), run.is_backfill());
            if let Some(job) = self.jobs.get_mut(&key) {
                job.lanes.join(index, is_backfill);
            }
        }
    }
}
