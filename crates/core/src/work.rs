//! What must be looked at without waiting for a timer. `apply` and fired timers add to it; the engine takes from it, one
//! item after the other, with a bound for each step.
//! - WL-1 an item is listed once; a run or a task that is being looked at is not listed again until that is done
//! - WL-2 in memory only: everything listed can be found from the state by who knows what it owes (`engine/owed`)

use std::sync::Arc;

use crate::collections::{KeyQueue, WorkQueue};
use crate::job::JobKey;
use crate::values::{BackfillId, RunIndex, ScheduleId, TaskIndex};

#[derive(Clone, Debug, Default)]
pub struct WorkList {
    /// Nobody takes from it.
    ignored: bool,
    runs: WorkQueue,
    jobs: KeyQueue<Arc<JobKey>>,
    arrivals: WorkQueue,
    schedules: KeyQueue<ScheduleId>,
    /// Their timers must follow.
    moved: Vec<ScheduleId>,
    backfills: KeyQueue<BackfillId>,
}

impl WorkList {
    /// Takes nothing in.
    pub(crate) fn ignored() -> Self {
        Self { ignored: true, ..Self::default() }
    }

    /// Something may be decided in this run.
    pub(crate) fn run(&mut self, run: RunIndex) {
        if !self.ignored {
            self.runs.push(run.0);
        }
    }

    pub(crate) fn take_run(&mut self) -> Option<RunIndex> {
        self.runs.take().map(RunIndex)
    }

    pub(crate) fn run_done(&mut self, run: RunIndex) {
        self.runs.done(run.0);
    }

    pub(crate) fn has_run(&self, run: RunIndex) -> bool {
        self.runs.contains(run.0)
    }

    /// The job may have room for another run.
    pub(crate) fn job(&mut self, job: Arc<JobKey>) {
        if !self.ignored {
            self.jobs.push(job);
        }
    }

    pub(crate) fn take_job(&mut self) -> Option<Arc<JobKey>> {
        self.jobs.take()
    }

    pub(crate) fn has_job(&self, job: &Arc<JobKey>) -> bool {
        self.jobs.contains(job)
    }

    /// The task is to begin waiting, or to have a deadline.
    pub(crate) fn arrival(&mut self, task: TaskIndex) {
        if !self.ignored {
            self.arrivals.push(task.0);
        }
    }

    pub(crate) fn take_arrival(&mut self) -> Option<TaskIndex> {
        self.arrivals.take().map(TaskIndex)
    }

    pub(crate) fn arrival_done(&mut self, task: TaskIndex) {
        self.arrivals.done(task.0);
    }

    pub(crate) fn has_arrival(&self, task: TaskIndex) -> bool {
        self.arrivals.contains(task.0)
    }

    pub(crate) fn has_arrivals(&self) -> bool {
        !self.arrivals.is_empty()
    }

    /// Something that this schedule waited for has ended, or it was changed.
    pub(crate) fn schedule(&mut self, id: ScheduleId) {
        if !self.ignored {
            self.schedules.push(id);
        }
    }

    pub(crate) fn take_schedule(&mut self) -> Option<ScheduleId> {
        self.schedules.take()
    }

    pub(crate) fn has_schedule(&self, id: ScheduleId) -> bool {
        self.schedules.contains(&id)
    }

    pub(crate) fn has_schedules(&self) -> bool {
        !self.schedules.is_empty()
    }

    /// Its next window may be another one.
    pub(crate) fn schedule_moved(&mut self, id: ScheduleId) {
        if !self.ignored {
            self.moved.push(id);
        }
    }

    pub(crate) fn take_moved(&mut self) -> Option<ScheduleId> {
        self.moved.pop()
    }

    /// This backfill may go on.
    pub(crate) fn backfill(&mut self, id: BackfillId) {
        if !self.ignored {
            self.backfills.push(id);
        }
    }

    pub(crate) fn take_backfill(&mut self) -> Option<BackfillId> {
        self.backfills.take()
    }

    pub(crate) fn has_backfill(&self, id: BackfillId) -> bool {
        self.backfills.contains(&id)
    }

    pub(crate) fn backfills(&self) -> usize {
        self.backfills.len()
    }

    /// Runs can be decided, or jobs may have room.
    pub(crate) fn has_runs(&self) -> bool {
        !self.runs.is_empty() || !self.jobs.is_empty()
    }
}
