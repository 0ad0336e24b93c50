//! Storing, pausing and deleting jobs. Each is idempotent by nature.

use std::sync::Arc;

use super::table::{Definition, JobKey};
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::run::decide::RunAnswer;
use crate::run::{JobApplied, RunEvent, RunRefusal};
use crate::schedule::{ScheduleHome, Spec};
use crate::trigger::TriggerSpec;
use crate::values::Name;

/// What a job file names beside its plan.
pub(crate) struct Beside {
    pub(crate) schedules: Vec<(Name, Spec, ScheduleHome)>,
    pub(crate) triggers: Vec<(Name, TriggerSpec)>,
}

pub(crate) fn apply(
    view: &View<'_>,
    key: JobKey,
    (definition, beside): (Definition, Beside),
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    crate::task::decide::submit::check_pressure(view.pressure, crate::values::Band::P1)?;
    let Beside { schedules, triggers } = beside;
    let jobs = view.state.job_runs().jobs();
    let old = jobs.get(&key);
    if let Some(job) = old
        && job.definition.hash == definition.hash
        && job.deleted.is_none()
    {
        let version = job.version;
        // Somebody may have changed or deleted a schedule of the file since; one that is as it says gives no event.
        crate::schedule::decide::of_file(view, &key, schedules, out)?;
        crate::trigger::decide::of_file(view, &key, triggers, out)?;
        return Ok(RunAnswer::JobApplied { version, changed: false });
    }
    let (held, max) = (jobs.len(), view.limits.jobs_max);
    if old.is_none() && held >= max {
        return Err(RunRefusal::TooManyJobs { held, max }.into());
    }
    if old.is_none() && jobs.by_id(key.id()).is_some() {
        return Err(Rejection::Internal { what: "another job has the id of this one (JB-1)" });
    }
    let version = old.map_or(0, |job| job.version) + 1;
    let key = old.map_or_else(|| Arc::new(key), |job| job.key.clone());
    let applied = JobApplied { key: key.clone(), version, definition };
    out.push(Event::Run(RunEvent::JobApplied(Box::new(applied))));
    crate::schedule::decide::of_file(view, &key, schedules, out)?;
    crate::trigger::decide::of_file(view, &key, triggers, out)?;
    Ok(RunAnswer::JobApplied { version, changed: true })
}

pub(crate) fn pause(
    view: &View<'_>,
    key: &JobKey,
    paused: bool,
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    let job = view.job(key)?;
    if job.paused != paused {
        out.push(Event::Run(RunEvent::JobPaused { key: job.key.clone(), paused }));
    }
    Ok(RunAnswer::Done)
}

pub(crate) fn delete(view: &View<'_>, key: &JobKey, out: &mut Out<'_>) -> Result<RunAnswer, Rejection> {
    let job = view.job(key)?;
    out.push(Event::Run(RunEvent::JobDeleted { key: job.key.clone() }));
    Ok(RunAnswer::Done)
}
