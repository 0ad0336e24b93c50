//! Commands on jobs and runs: one call each.

use std::sync::Arc;

use crate::decision::{Out, Rejection, View};
use crate::job::decide as job;
use crate::run::Subject;
use crate::run::decide::signed::note;
use crate::run::decide::{RunAnswer, RunCommand, Signed, approve, clear, operate, rerun, trigger};

pub(super) fn decide(
    view: &View<'_>,
    command: RunCommand,
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    Ok(match command {
        RunCommand::ApplyJobs(jobs) => job::apply(view, None, jobs, out)?,
        RunCommand::PauseJob { key, paused, seen } => job::pause(view, &key, (paused, seen), out)?,
        RunCommand::DeleteJob { key, seen } => job::delete(view, &key, seen, out)?,
        RunCommand::ReadJob { key } => {
            RunAnswer::Job(view.state.job_runs().jobs().get(&key).cloned().map(Box::new))
        }
        RunCommand::ListJobs { after, tenant, limit } => {
            let jobs = view.state.job_runs().jobs().after(after.as_ref());
            let wanted = jobs.filter(|job| tenant.as_ref().is_none_or(|tenant| *tenant == job.key.tenant));
            RunAnswer::Jobs(wanted.take(limit).cloned().collect())
        }
        RunCommand::Trigger(trigger) => trigger::decide(view, *trigger, out)?,
        RunCommand::Rerun(rerun) => rerun::decide(view, *rerun, out)?,
        RunCommand::Clear(clear) => clear::decide(view, *clear, out)?,
        RunCommand::Approve(wanted) => approve::decide(view, &wanted, out)?,
        RunCommand::CancelRun { id } => operate::cancel(view, id, out)?,
        RunCommand::PauseRun { id, paused } => operate::pause(view, id, paused, out)?,
        RunCommand::ForceRun { id, status, over } => operate::force(view, id, status, over, out)?,
        RunCommand::ReevaluateRun { id, over } => operate::reevaluate(view, id, over, out)?,
        RunCommand::ReadRun { id } => {
            RunAnswer::Found(view.state.job_runs().run(id).map(|run| Arc::new(run.clone())))
        }
        RunCommand::Signed(signed) => signed_by(view, *signed, out)?,
    })
}

fn signed_by(view: &View<'_>, signed: Signed, out: &mut Out<'_>) -> Result<RunAnswer, Rejection> {
    let Signed { over, command } = signed;
    if let RunCommand::ApplyJobs(jobs) = command {
        return job::apply(view, Some(&over), jobs, out);
    }
    let (told, before) = (told(&command), out.len());
    let answer = decide(view, command, out)?;
    if let Some((of, what)) = told
        && out.len() > before
    {
        out.push(note(of, over, what.into()));
    }
    Ok(answer)
}

/// `None`: it changes nothing, or it says who is behind it by itself.
fn told(command: &RunCommand) -> Option<(Subject, &'static str)> {
    let paused = |paused: &bool| if *paused { "paused" } else { "resumed" };
    let job = |key: &crate::job::JobKey| Subject::Job(Arc::new(key.clone()));
    Some(match command {
        RunCommand::PauseJob { key, paused: on, .. } => (job(key), paused(on)),
        RunCommand::DeleteJob { key, .. } => (job(key), "deleted"),
        RunCommand::CancelRun { id } => (Subject::Run(*id), "cancelled"),
        RunCommand::PauseRun { id, paused: on } => (Subject::Run(*id), paused(on)),
        RunCommand::Trigger(trigger) => (Subject::Run(trigger.id), "triggered"),
        RunCommand::ApplyJobs(_)
        | RunCommand::ReadJob { .. }
        | RunCommand::ListJobs { .. }
        | RunCommand::ReadRun { .. }
        | RunCommand::Rerun(_)
        | RunCommand::Clear(_)
        | RunCommand::Approve(_)
        | RunCommand::ForceRun { .. }
        | RunCommand::ReevaluateRun { .. }
        | RunCommand::Signed(_) => return None,
    })
}
