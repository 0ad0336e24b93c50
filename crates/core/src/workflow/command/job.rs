//! Storing, pausing and deleting jobs. Each is idempotent by nature.

use std::sync::Arc;

use super::{FlowAnswer, FlowRefusal};
use crate::command::{Rejection, View};
use crate::event::Event;
use crate::name::Name;
use crate::schedule::{Own, Spec};
use crate::trigger::TriggerSpec;
use crate::workflow::event::{FlowEvent, JobApplied};
use crate::workflow::job::{Definition, Job, JobKey};

/// What a job file names beside its plan.
pub(super) struct Beside {
    pub(super) schedules: Vec<(Name, Spec, Own)>,
    pub(super) triggers: Vec<(Name, TriggerSpec)>,
}

pub(super) fn apply(
    view: &View<'_>,
    key: JobKey,
    (definition, beside): (Definition, Beside),
    out: &mut Vec<Event>,
) -> Result<FlowAnswer, Rejection> {
    crate::command::submit::check_pressure(view.pressure, crate::priority::Band::P1)?;
    let Beside { schedules, triggers } = beside;
    let jobs = view.state.flows().jobs();
    let old = jobs.get(&key);
    if let Some(job) = old
        && job.definition.hash == definition.hash
        && job.deleted.is_none()
    {
        let version = job.version;
        // Somebody may have changed or deleted a schedule of the file since; one that is as it says gives no event.
        crate::schedule::command::of_file(view, &key, schedules, out)?;
        crate::trigger::command::of_file(view, &key, triggers, out)?;
        return Ok(FlowAnswer::JobApplied { version, changed: false });
    }
    let (held, max) = (jobs.len(), view.limits.jobs_max);
    if old.is_none() && held >= max {
        return Err(FlowRefusal::TooManyJobs { held, max }.into());
    }
    let version = old.map_or(0, |job| job.version) + 1;
    let key = old.map_or_else(|| Arc::new(key), |job| job.key.clone());
    let applied = JobApplied { key: key.clone(), version, definition };
    out.push(Event::Flow(FlowEvent::JobApplied(Box::new(applied))));
    crate::schedule::command::of_file(view, &key, schedules, out)?;
    crate::trigger::command::of_file(view, &key, triggers, out)?;
    Ok(FlowAnswer::JobApplied { version, changed: true })
}

pub(super) fn pause(
    view: &View<'_>,
    key: &JobKey,
    paused: bool,
    out: &mut Vec<Event>,
) -> Result<FlowAnswer, Rejection> {
    let job = existing(view, key)?;
    if job.paused != paused {
        out.push(Event::Flow(FlowEvent::JobPaused { key: job.key.clone(), paused }));
    }
    Ok(FlowAnswer::Done)
}

pub(super) fn delete(view: &View<'_>, key: &JobKey, out: &mut Vec<Event>) -> Result<FlowAnswer, Rejection> {
    let job = existing(view, key)?;
    out.push(Event::Flow(FlowEvent::JobDeleted { key: job.key.clone() }));
    Ok(FlowAnswer::Done)
}

/// A deleted job is not found, save by who reads it.
pub(super) fn existing<'a>(view: &View<'a>, key: &JobKey) -> Result<&'a Job, Rejection> {
    let job = view.state.flows().jobs().get(key).filter(|job| job.deleted.is_none());
    job.ok_or_else(|| FlowRefusal::JobNotFound { key: key.clone() }.into())
}
