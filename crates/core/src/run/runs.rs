//! Jobs and runs of a shard, which runs and versions changed since the last cut, and what is to be looked at.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::called::CalledJobs;
use super::owed::DECIDED_WITHIN;
use super::pace::{Pace, Releases};
use super::state::Run;
use super::table::RunTable;
use crate::job::{Definition, JobKey, JobTable, Lanes};
use crate::values::{Elapsed, RunId, RunIndex, RunStatus, Seq, Wall};

#[derive(Debug, Default)]
pub struct JobRuns {
    pub(crate) jobs: JobTable,
    pub(crate) runs: RunTable,
    /// Soft: runs in which something can be decided, in the order they were called.
    pub(crate) agenda: VecDeque<RunIndex>,
    /// Soft: jobs that may have room for another run.
    pub(crate) jobs_called: CalledJobs,
    /// Soft: runs that wait for a success of a job.
    pub(crate) awaiting: BTreeMap<JobKey, BTreeSet<RunIndex>>,
    /// Soft: how fast all runs together release tasks.
    pace: Pace,
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
    pub fn load_run(&mut self, run: Run) -> RunIndex {
        self.runs.insert(run)
    }

    pub fn unload_run(&mut self, index: RunIndex) -> Option<Box<Run>> {
        self.runs.remove(index)
    }

    /// Something may be decided in this run.
    pub(crate) fn call(&mut self, index: RunIndex) {
        if let Some(run) = self.runs.get_mut(index)
            && !run.soft.on_agenda
        {
            run.soft.on_agenda = true;
            self.agenda.push_back(index);
        }
    }

    /// The job of this run may have room for it.
    pub(crate) fn call_job(&mut self, index: RunIndex) {
        if let Some(run) = self.runs.get(index) {
            self.jobs_called.push(run.job.clone());
        }
    }

    pub(crate) fn touch(&mut self, index: RunIndex, seq: Seq, cut: Seq, now: Wall) {
        let run = self.runs.get_mut(index).expect("EV-1: a touched run is in memory");
        if run.touched <= cut {
            self.dirty_runs.push(index);
        }
        run.touched = seq;
        run.changed = now;
    }

    /// When this run may next release a task, if not now.
    pub(crate) fn release_at(&self, index: RunIndex, now: Elapsed, max: u32) -> Option<Elapsed> {
        let run = self.runs.get(index)?;
        let releases = run.soft.releases;
        let own = releases.pace.open_at(now, run.plan.bounds.release_per_second);
        let all = match releases.turn {
            Some(turn) => (turn > now).then_some(turn),
            None => self.pace.open_at(now, max),
        };
        own.max(all)
    }

    /// As [`JobRuns::release_at`]; a run that has to wait for the others gets a turn of its own.
    pub(crate) fn await_release(&mut self, index: RunIndex, now: Elapsed, max: u32) -> Option<Elapsed> {
        let at = self.release_at(index, now, max)?;
        if let Some(run) = self.runs.get_mut(index)
            && run.soft.releases.turn.is_none()
            && let Some(turn) = self.pace.open_at(now, max)
        {
            run.soft.releases.turn = Some(turn);
            self.pace.take(now, max);
        }
        Some(at.min(now + DECIDED_WITHIN))
    }

    pub(crate) fn count_release(&mut self, index: RunIndex, now: Elapsed, max: u32) {
        let Some(run) = self.runs.get_mut(index) else { return };
        run.soft.releases.pace.take(now, run.plan.bounds.release_per_second);
        if run.soft.releases.turn.take().is_none() {
            self.pace.take(now, max);
        }
    }

    pub(crate) fn add(&mut self, run: Run) -> RunIndex {
        let index = self.runs.insert(run);
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

    /// Whether the run will be looked at without anything more happening.
    pub(crate) fn is_called(&self, index: RunIndex) -> bool {
        self.agenda.contains(&index)
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

    /// Whether the job of this run will be looked at without anything more happening.
    pub(crate) fn is_job_called(&self, index: RunIndex) -> bool {
        self.runs.get(index).is_some_and(|run| self.jobs_called.contains(&run.job))
    }

    /// After loading and replaying: everything soft, from scratch (RN-2). Whatever is owed is called by who pays it.
    pub fn derive(&mut self, now: Elapsed) {
        self.pace = Pace::after_restart(now);
        self.agenda.clear();
        self.jobs_called.clear();
        self.awaiting.clear();
        for job in self.jobs.iter_soft_mut() {
            job.lanes = Lanes::default();
        }
        let mut queued: Vec<(RunId, RunIndex)> = Vec::new();
        let indices: Vec<RunIndex> = self.runs.iter().map(|(index, _)| index).collect();
        for index in indices {
            let Some(run) = self.runs.get_mut(index) else { continue };
            run.derive();
            run.soft.releases = Releases { pace: Pace::after_restart(now), turn: None };
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
