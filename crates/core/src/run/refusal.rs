//! Why a wish about jobs or runs was refused.

use std::fmt;

use crate::job::JobKey;
use crate::values::{Name, Revision, RunId, RunStatus, TaskId};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunRefusal {
    JobNotFound {
        key: JobKey,
    },
    RunNotFound {
        id: RunId,
    },
    RunAlreadyEnded {
        id: RunId,
        status: RunStatus,
    },
    RunNotEnded {
        id: RunId,
        status: RunStatus,
    },
    /// The run has no task of this name.
    NoSuchNode {
        run: RunId,
        name: Name,
    },
    /// The task is not mapped, or its list is not known yet.
    NoItems {
        run: RunId,
        name: Name,
    },
    NoSuchItem {
        run: RunId,
        name: Name,
        item: u32,
        count: u32,
    },
    /// None of the tasks named has failed.
    NothingFailed {
        run: RunId,
    },
    /// The task belongs to a run, which decides over it.
    TaskOfRun {
        id: TaskId,
        run: RunId,
    },
    /// It cannot be forced, amended or run now.
    WaitsForApproval {
        id: TaskId,
        run: RunId,
    },
    /// `task`: as people see it, with its item.
    ApprovalAlreadyDecided {
        run: RunId,
        task: String,
        approved: bool,
        by: Name,
    },
    ApproverNotAllowed {
        task: String,
        actor: Name,
        by: String,
    },
    NoApprovalOpen {
        run: RunId,
        task: Option<String>,
    },
    SeveralApprovalsOpen {
        run: RunId,
        tasks: String,
    },
    /// The task is mapped, and it is not said which item is meant.
    ItemNotNamed {
        run: RunId,
        name: Name,
    },
    RunStateNotForcible {
        status: RunStatus,
    },
    /// The job has a run for this instant, with other parameters.
    LogicalTimeReused {
        existing: RunId,
    },
    TooManyRuns {
        held: usize,
        max: usize,
    },
    TooManyJobs {
        held: usize,
        max: usize,
    },
    /// It has another revision than the caller has seen.
    JobChanged {
        key: JobKey,
        seen: Revision,
        revision: Revision,
    },
}

impl RunRefusal {
    pub fn code(&self) -> &'static str {
        match self {
            Self::JobNotFound { .. } => "JOB_NOT_FOUND",
            Self::RunNotFound { .. } => "RUN_NOT_FOUND",
            Self::RunAlreadyEnded { .. } => "RUN_ALREADY_ENDED",
            Self::RunNotEnded { .. } => "RUN_NOT_ENDED",
            Self::NoSuchNode { .. } => "RUN_HAS_NO_SUCH_TASK",
            Self::NoItems { .. } => "TASK_HAS_NO_ITEMS",
            Self::NoSuchItem { .. } => "TASK_HAS_NO_SUCH_ITEM",
            Self::NothingFailed { .. } => "NOTHING_FAILED",
            Self::TaskOfRun { .. } => "TASK_OF_RUN",
            Self::WaitsForApproval { .. } => "WAITS_FOR_APPROVAL",
            Self::ApprovalAlreadyDecided { .. } => "APPROVAL_ALREADY_DECIDED",
            Self::ApproverNotAllowed { .. } => "APPROVER_NOT_ALLOWED",
            Self::NoApprovalOpen { .. } => "NO_APPROVAL_OPEN",
            Self::SeveralApprovalsOpen { .. } => "SEVERAL_APPROVALS_OPEN",
            Self::ItemNotNamed { .. } => "ITEM_NOT_NAMED",
            Self::RunStateNotForcible { .. } => "RUN_STATE_NOT_FORCIBLE",
            Self::LogicalTimeReused { .. } => "LOGICAL_TIME_REUSED",
            Self::TooManyRuns { .. } => "TOO_MANY_RUNS",
            Self::TooManyJobs { .. } => "TOO_MANY_JOBS",
            Self::JobChanged { .. } => "REVISION_MISMATCH",
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::JobNotFound { key } => {
                format!("apply a job file that names it, or check tenant `{}`", key.tenant)
            }
            Self::RunNotFound { .. } => "check the id; ended runs are kept as long as history is".into(),
            Self::RunAlreadyEnded { .. } => "clear tasks of it, or run it again".into(),
            Self::RunNotEnded { .. } => "wait until it has ended, or cancel it".into(),
            Self::NoSuchNode { run, .. } => format!("read {run} for the names of its tasks"),
            Self::NoItems { .. } => "clear the whole task, without naming items".into(),
            Self::NoSuchItem { count, .. } => format!("name items from 0 to {}", count.saturating_sub(1)),
            Self::NothingFailed { .. } => "name the items or tasks that are to run again".into(),
            Self::TaskOfRun { run, .. } => {
                format!("clear the task in {run}, so that what follows from it runs again too")
            }
            Self::WaitsForApproval { run, .. } => {
                format!("approve or reject it (`mainspring run approve {run}`), or cancel it")
            }
            Self::ApprovalAlreadyDecided { run, .. } => {
                format!("clear the task in {run} so that it asks again")
            }
            Self::ApproverNotAllowed { by, .. } => {
                format!("let {by} decide; who you are is what `actor` says")
            }
            Self::NoApprovalOpen { run, .. } => {
                format!("read {run}: `approvals` names the tasks that wait for approval")
            }
            Self::SeveralApprovalsOpen { .. } => "name the one that is meant in `task` and `item`".into(),
            Self::ItemNotNamed { .. } => "name the item that is meant".into(),
            Self::RunStateNotForcible { .. } => "force one of succeeded, failed, cancelled".into(),
            Self::LogicalTimeReused { existing } => {
                format!("read {existing}; to repeat it with other parameters, rerun it")
            }
            Self::TooManyRuns { .. } => "wait until runs have ended, or raise `limits.runs_max`".into(),
            Self::TooManyJobs { .. } => "delete jobs that are not used, or raise `limits.jobs_max`".into(),
            Self::JobChanged { .. } => "read the job again, and change what it is now".into(),
        }
    }
}

impl fmt::Display for RunRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::JobNotFound { key } => {
                write!(f, "there is no job `{}` (tenant `{}`)", key.name, key.tenant)
            }
            Self::RunNotFound { id } => write!(f, "there is no run `{id}`"),
            Self::RunAlreadyEnded { id, status } => {
                write!(f, "run `{id}` has already ended: `{}`", status.label())
            }
            Self::RunNotEnded { id, status } => write!(f, "run `{id}` has not ended: `{}`", status.label()),
            Self::NoSuchNode { run, name } => write!(f, "run `{run}` has no task `{name}`"),
            Self::NoItems { run, name } => write!(f, "task `{name}` of run `{run}` has no items"),
            Self::NoSuchItem { run, name, item, count } => {
                write!(f, "task `{name}` of run `{run}` has {count} items, none of them is number {item}")
            }
            Self::NothingFailed { run } => write!(f, "nothing that was meant in run `{run}` has failed"),
            Self::TaskOfRun { id, run } => write!(f, "task `{id}` belongs to run `{run}`"),
            Self::WaitsForApproval { id, .. } => write!(f, "task `{id}` waits for approval"),
            Self::ApprovalAlreadyDecided { run, task, approved, by } => {
                let verb = if *approved { "approved" } else { "rejected" };
                write!(f, "task {task} of run `{run}` was {verb} by `{by}`")
            }
            Self::ApproverNotAllowed { task, actor, by } => {
                write!(f, "task {task} waits for approval by {by}, not by `{actor}`")
            }
            Self::NoApprovalOpen { run, task: Some(task) } => {
                write!(f, "task {task} of run `{run}` does not wait for approval")
            }
            Self::NoApprovalOpen { run, task: None } => {
                write!(f, "no task of run `{run}` waits for approval")
            }
            Self::SeveralApprovalsOpen { run, tasks } => {
                write!(f, "several tasks of run `{run}` wait for approval: {tasks}")
            }
            Self::ItemNotNamed { run, name } => {
                write!(f, "task `{name}` of run `{run}` has items, and no item is named")
            }
            Self::RunStateNotForcible { status } => {
                write!(f, "a run cannot be forced to `{}`", status.label())
            }
            Self::LogicalTimeReused { existing } => {
                write!(f, "the job has a run for this logical time, with other parameters: `{existing}`")
            }
            Self::TooManyRuns { held, max } => write!(f, "{held} of {max} unfinished runs are held"),
            Self::TooManyJobs { held, max } => write!(f, "{held} of {max} jobs are stored"),
            Self::JobChanged { key, seen, revision: Revision::NONE } => {
                write!(f, "job `{}` is not there, and revision {seen} was seen", key.name)
            }
            Self::JobChanged { key, seen, revision } => {
                write!(f, "job `{}` has revision {revision}, not {seen}", key.name)
            }
        }
    }
}
