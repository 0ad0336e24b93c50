//! What a decision may look at.

use super::rejection::Rejection;
use crate::dispatch::Dispatcher;
use crate::job::{Job, JobKey};
use crate::run::{Evaluate, RunRefusal};
use crate::schedule::{Schedule, Target};
use crate::state::State;
use crate::task::Task;
use crate::values::{Breaks, Limits, Millis, Pressure, TaskId};
use crate::wait::WaitIndex;

/// What a decision may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub state: &'a State,
    pub dispatcher: &'a Dispatcher,
    /// Who waits for what.
    pub(crate) wait_index: &'a WaitIndex,
    pub limits: &'a Limits,
    pub pressure: Pressure,
    /// How long ago the record being built, and with it `state.now`, was begun.
    pub late: Millis,
    pub breaks: Breaks,
    /// Who understands the texts of plans, triggers and waits.
    pub evaluate: &'a dyn Evaluate,
}

impl<'a> View<'a> {
    pub(crate) fn task(&self, id: TaskId) -> Result<&'a Task, Rejection> {
        self.state.tasks().by_id(id).ok_or(Rejection::TaskNotFound { id })
    }

    /// Whether a window may begin something now.
    pub(crate) fn has_room_for_window(&self) -> bool {
        let (limits, state) = (self.limits, self.state);
        state.job_runs.runs.len() < limits.runs_max
            && (state.tasks.len() as u64) < limits.tasks_max
            && state.payload_bytes() < limits.payload_bytes_held_max
    }

    /// The schedule is on, and so is its job.
    pub(crate) fn is_watched(&self, schedule: &Schedule) -> bool {
        schedule.is_on() && self.is_job_on(schedule)
    }

    fn is_job_on(&self, schedule: &Schedule) -> bool {
        let Target::Run { .. } = schedule.spec.target else { return true };
        let job = self.state.job_runs.jobs.get(&schedule.job_key());
        job.is_some_and(|job| !job.paused && job.deleted.is_none())
    }

    /// A deleted job is not found, save by who reads it.
    pub(crate) fn job(&self, key: &JobKey) -> Result<&'a Job, Rejection> {
        let job = self.state.job_runs().jobs().get(key).filter(|job| job.deleted.is_none());
        job.ok_or_else(|| RunRefusal::JobNotFound { key: key.clone() }.into())
    }
}
