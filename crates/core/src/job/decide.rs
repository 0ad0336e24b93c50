//! Storing, pausing and deleting jobs. Each is idempotent by nature.
//! - JB-2 jobs that are applied together are one record: all of them are stored, or none
//! - JB-3 who says which revision was seen changes that one, or nothing

use std::collections::BTreeSet;
use std::sync::Arc;

use super::table::{Job, JobKey};
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::run::decide::signed::note;
use crate::run::decide::{ApplyJob, RunAnswer, StoredJob};
use crate::run::{JobApplied, RunEvent, RunRefusal, Subject};
use crate::values::{Actor, Revision};

/// Entities that earlier jobs of the same record are the first to name.
#[derive(Default)]
struct New {
    jobs: usize,
    schedules: usize,
    triggers: usize,
}

/// `over`: who is behind it, and why, if they said so.
pub(crate) fn apply(
    view: &View<'_>,
    over: Option<&Actor>,
    wanted: Vec<ApplyJob>,
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    crate::task::decide::submit::check_pressure(view.pressure, crate::values::Band::P1)?;
    let (mut new, mut ids) = (New::default(), BTreeSet::new());
    let mut stored = Vec::with_capacity(wanted.len());
    for job in wanted {
        if !ids.insert(job.key.id()) {
            return Err(Rejection::Internal { what: "a job is applied twice in one command" });
        }
        let (key, before) = (job.key.clone(), out.len());
        let done = match store(view, job, &mut new, out) {
            Err(_) if view.breaks.apply_in_parts && !stored.is_empty() => break,
            done => done?,
        };
        if let Some(over) = over.filter(|_| out.len() > before) {
            let what = format!("applied as version {}", done.version);
            out.push(note(Subject::Job(Arc::new(key)), over.clone(), what.into()));
        }
        stored.push(done);
    }
    Ok(RunAnswer::JobsApplied(stored))
}

fn store(
    view: &View<'_>,
    wanted: ApplyJob,
    new: &mut New,
    out: &mut Out<'_>,
) -> Result<StoredJob, Rejection> {
    let ApplyJob { key, definition, schedules, triggers, seen } = wanted;
    let jobs = view.state.job_runs().jobs();
    let old = jobs.get(&key);
    let revision = old.map_or(Revision::NONE, Job::revision);
    check(view, &key, revision, seen)?;
    let same = old.filter(|job| job.definition.hash == definition.hash && job.deleted.is_none());
    let stored = if let Some(job) = same {
        // Somebody may have changed or deleted a schedule of the file since; one that is as it says gives no event.
        StoredJob { version: job.version, changed: false, revision }
    } else {
        let (held, max) = (jobs.len() + new.jobs, view.limits.jobs_max);
        if old.is_none() && held >= max {
            return Err(RunRefusal::TooManyJobs { held, max }.into());
        }
        if old.is_none() && jobs.by_id(key.id()).is_some() {
            return Err(Rejection::Internal { what: "another job has the id of this one (JB-1)" });
        }
        new.jobs += usize::from(old.is_none());
        let version = old.map_or(0, |job| job.version) + 1;
        let shared = old.map_or_else(|| Arc::new(key.clone()), |job| job.key.clone());
        out.push(Event::Run(RunEvent::JobApplied(Box::new(JobApplied { key: shared, version, definition }))));
        let now = view.state.now.wall;
        let changed = old.map_or(now, |job| Revision::next(job.changed, now));
        StoredJob { version, changed: true, revision: changed.into() }
    };
    crate::schedule::decide::of_file(view, &key, schedules, &mut new.schedules, out)?;
    crate::trigger::decide::of_file(view, &key, triggers, &mut new.triggers, out)?;
    Ok(stored)
}

fn check(view: &View<'_>, key: &JobKey, revision: Revision, seen: Option<Revision>) -> Result<(), Rejection> {
    match seen {
        Some(seen) if seen != revision && !view.breaks.revision_ignored => {
            Err(RunRefusal::JobChanged { key: key.clone(), seen, revision }.into())
        }
        _ => Ok(()),
    }
}

pub(crate) fn pause(
    view: &View<'_>,
    key: &JobKey,
    (paused, seen): (bool, Option<Revision>),
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    let job = view.job(key)?;
    check(view, key, job.revision(), seen)?;
    if job.paused != paused {
        out.push(Event::Run(RunEvent::JobPaused { key: job.key.clone(), paused }));
    }
    Ok(RunAnswer::Done)
}

pub(crate) fn delete(
    view: &View<'_>,
    key: &JobKey,
    seen: Option<Revision>,
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    let job = view.job(key)?;
    check(view, key, job.revision(), seen)?;
    out.push(Event::Run(RunEvent::JobDeleted { key: job.key.clone() }));
    Ok(RunAnswer::Done)
}
