//! Bulk work that a caller asked for: one verb for everything that a selector matched when the call came.
//! - BW-1 what came, or changed its state, after the call is not meant: a step that is repeated finds nothing twice

use std::sync::Arc;

use super::select::{RunSelector, Selector};
use super::{Cursor, EndedPlace};
use crate::job::JobKey;
use crate::run::Run;
use crate::schedule::ScheduleKey;
use crate::task::{Status, Task, TaskState};
use crate::values::{Actor, Name, Priority, RunStatus, Wall, WorkerId};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bulk {
    pub verb: BulkVerb,
    pub of: Selection,
    /// When the call came.
    pub before: Wall,
    /// Who wants it and why, if somebody said so.
    pub over: Option<Actor>,
    /// How many matched when the call came, if they were counted to the end.
    pub total: Option<u64>,
    /// The selector as its caller wrote it, for people.
    pub words: Arc<str>,
}

/// What is done with each. Frozen numbers: the journal holds them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BulkVerb {
    CancelTasks {
        stop_running: bool,
    },
    RunTasksNow,
    SetPriority(Priority),
    /// Queue failed and quarantined tasks again; those of runs by clearing them there.
    RetryTasks,
    DiscardTasks,
    CancelRuns,
    PauseRuns,
    ResumeRuns,
    /// Run what failed of ended runs again.
    RetryRuns,
    PauseJobs,
    ResumeJobs,
    DeleteJobs,
    PauseSchedules,
    ResumeSchedules,
    CordonWorkers,
    DrainWorkers,
    UncordonWorkers,
}

/// What it is done with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    Tasks(Box<Selector>),
    Runs(Box<RunSelector>),
    /// Named one by one by whoever asked, as the next two.
    Jobs(Vec<JobKey>),
    Schedules(Vec<ScheduleKey>),
    Workers(Vec<WorkerId>),
}

/// Jobs, schedules or workers that one operation names.
pub const LISTED_MAX: usize = 20_000;

impl BulkVerb {
    pub const fn label(self) -> &'static str {
        match self {
            Self::CancelTasks { .. } => "cancel_tasks",
            Self::RunTasksNow => "run_tasks_now",
            Self::SetPriority(_) => "set_task_priority",
            Self::RetryTasks => "retry_tasks",
            Self::DiscardTasks => "discard_tasks",
            Self::CancelRuns => "cancel_runs",
            Self::PauseRuns => "pause_runs",
            Self::ResumeRuns => "resume_runs",
            Self::RetryRuns => "retry_runs",
            Self::PauseJobs => "pause_jobs",
            Self::ResumeJobs => "resume_jobs",
            Self::DeleteJobs => "delete_jobs",
            Self::PauseSchedules => "pause_schedules",
            Self::ResumeSchedules => "resume_schedules",
            Self::CordonWorkers => "cordon_workers",
            Self::DrainWorkers => "drain_workers",
            Self::UncordonWorkers => "uncordon_workers",
        }
    }

    /// It is about work that has ended, which the tables hold.
    pub const fn is_about_ended(self) -> bool {
        matches!(self, Self::RetryTasks | Self::DiscardTasks | Self::RetryRuns)
    }
}

impl Bulk {
    /// Where it begins.
    pub(crate) fn start(&self) -> Cursor {
        match (&self.of, self.verb.is_about_ended()) {
            (Selection::Tasks(_), true) => Cursor::Ended(EndedPlace::START),
            (Selection::Runs(_), true) => Cursor::EndedRuns(None),
            (Selection::Tasks(_) | Selection::Runs(_), false) => Cursor::Memory(0),
            (Selection::Jobs(_) | Selection::Schedules(_) | Selection::Workers(_), _) => Cursor::Listed(0),
        }
    }

    /// Tenant and job that it is limited to; empty if to none.
    pub(crate) fn scope(&self) -> (Name, Name) {
        match &self.of {
            Selection::Tasks(selector) => (selector.tenant.clone(), selector.job.clone()),
            Selection::Runs(selector) => (selector.tenant.clone(), selector.job.clone()),
            Selection::Jobs(_) | Selection::Schedules(_) | Selection::Workers(_) => Default::default(),
        }
    }

    /// BW-1: it matches, was there when the call came and is still in a state that the verb is for. What must not be done
    /// twice is not done to a task that changed since: the place of a step may begin anew.
    pub fn means(&self, task: &Task) -> bool {
        let Selection::Tasks(selector) = &self.of else { return false };
        if task.submitted > self.before {
            return false;
        }
        let (status, unchanged) = (task.status(), task.changed <= self.before);
        let fits = match self.verb {
            BulkVerb::CancelTasks { .. } => !status.is_ended(),
            BulkVerb::RunTasksNow => match task.state {
                TaskState::Pending { .. } => true,
                TaskState::RetryWait { .. } => unchanged,
                _ => false,
            },
            BulkVerb::SetPriority(priority) => {
                !status.is_ended() && task.lease().is_none() && task.priority != priority
            }
            BulkVerb::RetryTasks => {
                let named = matches!(status, Status::Cancelled | Status::Skipped);
                unchanged && (status.is_dead() || named && selector.statuses.contains(&status))
            }
            BulkVerb::DiscardTasks => unchanged && status.is_dead(),
            _ => false,
        };
        fits && selector.matches(task)
    }

    /// As [`Self::means`].
    pub fn means_run(&self, run: &Run) -> bool {
        let Selection::Runs(selector) = &self.of else { return false };
        let fits = match self.verb {
            BulkVerb::RetryRuns => {
                let cancelled = run.status == RunStatus::Cancelled && selector.statuses.contains(&run.status);
                run.ended <= self.before && (run.status == RunStatus::Failed || cancelled)
            }
            BulkVerb::PauseRuns => !run.status.is_ended() && run.pause.is_none(),
            BulkVerb::ResumeRuns => !run.status.is_ended() && run.pause.is_some(),
            _ => !run.status.is_ended(),
        };
        fits && run.created <= self.before && selector.matches(run)
    }
}
