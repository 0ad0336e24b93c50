//! A node whose work is a run of another job.

use super::advance::NESTING_MAX;
use crate::event::Event;
use crate::job::JobKey;
use crate::run::{Evaluate, Origin, Run, RunCreated, RunEvent, StartedBy};
use crate::state::State;
use crate::task::Payload;
use crate::values::{InRun, Name, NodeInstance};

/// The event that begins it, or why it cannot begin.
pub(crate) fn child(
    state: &State,
    run: &Run,
    place: NodeInstance,
    job: &Name,
    given: &Payload,
    evaluate: &dyn Evaluate,
) -> Result<Event, String> {
    let key = JobKey { tenant: run.job.tenant.clone(), name: job.clone() };
    let job = state.job_runs.jobs.get(&key).filter(|job| job.deleted.is_none());
    let job = job.ok_or_else(|| format!("there is no job `{}`", key.name))?;
    let (mut depth, mut above) = (1, run.origin.parent);
    while let Some(origin) = above {
        depth += 1;
        above = state.job_runs.run(origin.run).and_then(|run| run.origin.parent);
    }
    if depth >= NESTING_MAX {
        return Err(format!("runs are nested {NESTING_MAX} deep"));
    }
    let parameters = evaluate.parameters(&job.definition, given)?;
    if let Some(why) = evaluate.shows_secrets(run, &job.definition, &parameters) {
        return Err(why);
    }
    let (id, parent) = (run.id.child(place), Some(InRun { run: run.id, place }));
    let origin = Origin { parent, ..Origin::of(StartedBy::Parent) };
    Ok(Event::Run(RunEvent::RunCreated(Box::new(RunCreated {
        priority: run.priority,
        labels: run.labels.clone(),
        ..RunCreated::new(id, job.key.clone(), job.version, parameters, origin)
    }))))
}
