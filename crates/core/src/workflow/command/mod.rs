//! What people want of jobs and runs. One file a group of wishes.

mod clear;
mod job;
mod refusal;
mod rerun;
mod run;
mod signed;
mod trigger;

use std::sync::Arc;

pub use self::{
    clear::Clear,
    refusal::FlowRefusal,
    rerun::{Rerun, RerunFrom},
    signed::Signed,
    trigger::TriggerRun,
};
use super::job::{Definition, Job, JobKey};
use super::run::{Run, RunStatus};
use crate::command::{Answer, Rejection, View};
use crate::event::Event;
use crate::id::RunId;
use crate::name::Name;
use crate::schedule::{Own, Spec};
use crate::task::Override;
use crate::trigger::TriggerSpec;

#[derive(Clone, PartialEq, Debug)]
pub enum FlowCommand {
    /// Store a job, or new content of it.
    ApplyJob {
        key: JobKey,
        definition: Definition,
        /// Those that the file names.
        schedules: Vec<(Name, Spec, Own)>,
        triggers: Vec<(Name, TriggerSpec)>,
    },
    PauseJob {
        key: JobKey,
        paused: bool,
    },
    DeleteJob {
        key: JobKey,
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
        over: Override,
    },
    /// Have what can be decided in the run looked for again, whatever lists and timers believe.
    ReevaluateRun {
        id: RunId,
        over: Override,
    },
    ReadRun {
        id: RunId,
    },
    /// By whom, and why.
    Signed(Box<Signed>),
}

impl FlowCommand {
    /// The wish itself, whoever has it.
    pub(crate) fn unsigned(&self) -> &Self {
        match self {
            Self::Signed(signed) => &signed.command,
            command => command,
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
            Self::ApplyJob { .. }
            | Self::PauseJob { .. }
            | Self::DeleteJob { .. }
            | Self::ReadJob { .. }
            | Self::ListJobs { .. }
            | Self::Trigger(_) => None,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum FlowAnswer {
    /// `changed`: there is a new version.
    JobApplied {
        version: u32,
        changed: bool,
    },
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

pub(crate) fn decide(
    view: &View<'_>,
    command: FlowCommand,
    out: &mut Vec<Event>,
) -> Result<Answer, Rejection> {
    answer(view, command, out).map(Answer::Flow)
}

fn answer(view: &View<'_>, command: FlowCommand, out: &mut Vec<Event>) -> Result<FlowAnswer, Rejection> {
    Ok(match command {
        FlowCommand::ApplyJob { key, definition, schedules, triggers } => {
            job::apply(view, key, (definition, job::Beside { schedules, triggers }), out)?
        }
        FlowCommand::PauseJob { key, paused } => job::pause(view, &key, paused, out)?,
        FlowCommand::DeleteJob { key } => job::delete(view, &key, out)?,
        FlowCommand::ReadJob { key } => {
            FlowAnswer::Job(view.state.flows().jobs().get(&key).cloned().map(Box::new))
        }
        FlowCommand::ListJobs { after, tenant, limit } => {
            let jobs = view.state.flows().jobs().after(after.as_ref());
            let wanted = jobs.filter(|job| tenant.as_ref().is_none_or(|tenant| *tenant == job.key.tenant));
            FlowAnswer::Jobs(wanted.take(limit).cloned().collect())
        }
        FlowCommand::Trigger(trigger) => trigger::decide(view, *trigger, out)?,
        FlowCommand::Rerun(rerun) => rerun::decide(view, *rerun, out)?,
        FlowCommand::Clear(clear) => clear::decide(view, *clear, out)?,
        FlowCommand::CancelRun { id } => run::cancel(view, id, out)?,
        FlowCommand::PauseRun { id, paused } => run::pause(view, id, paused, out)?,
        FlowCommand::ForceRun { id, status, over } => run::force(view, id, status, over, out)?,
        FlowCommand::ReevaluateRun { id, over } => run::reevaluate(view, id, over, out)?,
        FlowCommand::ReadRun { id } => {
            FlowAnswer::Found(view.state.flows().run(id).map(|run| Arc::new(run.clone())))
        }
        FlowCommand::Signed(signed) => signed::decide(view, *signed, out)?,
    })
}

pub(crate) fn existing_job<'a>(view: &View<'a>, key: &JobKey) -> Result<&'a Job, Rejection> {
    job::existing(view, key)
}

pub(crate) fn cancel_run(view: &View<'_>, id: RunId, out: &mut Vec<Event>) -> Result<(), Rejection> {
    run::cancel(view, id, out).map(drop)
}

fn run_of<'a>(view: &View<'a>, id: RunId) -> Result<&'a Run, Rejection> {
    view.state.flows().run(id).ok_or_else(|| FlowRefusal::RunNotFound { id }.into())
}

/// Like [`run_of`], for runs that have not ended.
fn live_run<'a>(view: &View<'a>, id: RunId) -> Result<&'a Run, Rejection> {
    let run = run_of(view, id)?;
    if run.status.is_ended() {
        return Err(FlowRefusal::RunAlreadyEnded { id, status: run.status }.into());
    }
    Ok(run)
}
