//! What people want of jobs and runs. One file a group of wishes.

pub(crate) mod advance;
pub(crate) mod approve;
mod awaits;
mod child;
pub(crate) mod clear;
mod finish;
pub(crate) mod grow;
pub(crate) mod operate;
pub(crate) mod rerun;
pub(crate) mod signed;
pub(crate) mod start;
pub(crate) mod stop;
pub(crate) mod trigger;

use std::sync::Arc;

pub use self::{
    advance::NESTING_MAX,
    approve::Approve,
    clear::{Clear, ClearItems},
    rerun::{Rerun, RerunFrom},
    signed::Signed,
    trigger::TriggerRun,
};
use super::refusal::RunRefusal;
use super::state::Run;
use crate::decision::{Out, Rejection, View};
use crate::job::{Definition, Job, JobKey};
use crate::key::{KeyClaim, KeyFact};
use crate::schedule::{ScheduleHome, Spec};
use crate::trigger::TriggerSpec;
use crate::values::{Actor, Name, Revision, RunId, RunStatus};

#[derive(Clone, PartialEq, Debug)]
pub enum RunCommand {
    /// Store jobs, or new content of them: all of them, or none.
    ApplyJobs(Vec<ApplyJob>),
    PauseJob {
        key: JobKey,
        paused: bool,
        seen: Option<Revision>,
    },
    DeleteJob {
        key: JobKey,
        seen: Option<Revision>,
    },
    ReadJob {
        key: JobKey,
    },
    ListJobs {
        after: Option<JobKey>,
        tenant: Option<Name>,
        limit: usize,
    },
    Trigger(Box<TriggerRun>),
    Rerun(Box<Rerun>),
    Clear(Box<Clear>),
    /// The word of a person on a task that waits for approval.
    Approve(Box<Approve>),
    CancelRun {
        id: RunId,
    },
    PauseRun {
        id: RunId,
        paused: bool,
    },
    ForceRun {
        id: RunId,
        status: RunStatus,
        over: Actor,
    },
    /// Have what can be decided in the run looked for again, whatever lists and timers believe.
    ReevaluateRun {
        id: RunId,
        over: Actor,
    },
    ReadRun {
        id: RunId,
    },
    /// By whom, and why.
    Signed(Box<Signed>),
}

impl RunCommand {
    /// The wish itself, whoever has it.
    pub(crate) fn unsigned(&self) -> &Self {
        match self {
            Self::Signed(signed) => &signed.command,
            command => command,
        }
    }

    /// The key it comes under, to be filled with what the tables know.
    pub(crate) fn key_mut(&mut self) -> Option<&mut (KeyClaim, KeyFact)> {
        match self {
            Self::Trigger(trigger) => trigger.key.as_mut(),
            Self::Signed(signed) => signed.command.key_mut(),
            _ => None,
        }
    }

    pub(crate) fn key(&self) -> Option<KeyClaim> {
        match self.unsigned() {
            Self::Trigger(trigger) => trigger.key.map(|(claim, _)| claim),
            _ => None,
        }
    }

    /// The run that must be looked up if memory does not hold it.
    pub fn run(&self) -> Option<RunId> {
        match self {
            Self::CancelRun { id }
            | Self::PauseRun { id, .. }
            | Self::ForceRun { id, .. }
            | Self::ReevaluateRun { id, .. }
            | Self::ReadRun { id } => Some(*id),
            Self::Signed(signed) => signed.command.run(),
            Self::Rerun(rerun) => rerun.fact.is_none().then_some(rerun.of),
            Self::Clear(clear) => clear.fact.is_none().then_some(clear.id),
            Self::Approve(approve) => approve.fact.is_none().then_some(approve.run),
            Self::ApplyJobs(_)
            | Self::PauseJob { .. }
            | Self::DeleteJob { .. }
            | Self::ReadJob { .. }
            | Self::ListJobs { .. }
            | Self::Trigger(_) => None,
        }
    }
}

/// A job, and what its file names beside its plan.
#[derive(Clone, PartialEq, Debug)]
pub struct ApplyJob {
    pub key: JobKey,
    pub definition: Definition,
    pub schedules: Vec<(Name, Spec, ScheduleHome)>,
    pub triggers: Vec<(Name, TriggerSpec)>,
    /// It is refused if the job has another revision.
    pub seen: Option<Revision>,
}

/// What became of a job that was applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredJob {
    pub version: u32,
    /// There is a new version.
    pub changed: bool,
    pub revision: Revision,
}

#[derive(Clone, PartialEq, Debug)]
pub enum RunAnswer {
    /// One for each job, in order. Of several that were applied before under this key, none is told.
    JobsApplied(Vec<StoredJob>),
    Job(Option<Box<Job>>),
    Jobs(Vec<Job>),
    /// A run was created, or did what was asked.
    Run {
        id: RunId,
        status: RunStatus,
    },
    /// The same request came before under this key.
    AlreadyTriggered {
        id: RunId,
    },
    /// The run as it is now, or `None` if memory does not hold it.
    Found(Option<Arc<Run>>),
    Done,
}

pub(crate) fn cancel_run(view: &View<'_>, id: RunId, out: &mut Out<'_>) -> Result<(), Rejection> {
    operate::cancel(view, id, out).map(drop)
}

fn run_of<'a>(view: &View<'a>, id: RunId) -> Result<&'a Run, Rejection> {
    view.state.job_runs().run(id).ok_or_else(|| RunRefusal::RunNotFound { id }.into())
}

/// Like [`run_of`], for runs that have not ended.
fn live_run<'a>(view: &View<'a>, id: RunId) -> Result<&'a Run, Rejection> {
    let run = run_of(view, id)?;
    if run.status.is_ended() {
        return Err(RunRefusal::RunAlreadyEnded { id, status: run.status }.into());
    }
    Ok(run)
}
