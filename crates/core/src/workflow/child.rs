//! A node whose work is a run of another job.

use super::advance::NESTING_MAX;
use super::event::{FlowEvent, RunCreated};
use super::job::JobKey;
use super::run::{Origin, Run, Trigger};
use super::scope::Evaluate;
use crate::event::Event;
use crate::id::Place;
use crate::name::Name;
use crate::shard::ShardState;
use crate::task::Payload;

/// The event that begins it, or why it cannot begin.
pub(super) fn child(
    state: &ShardState,
    run: &Run,
    place: Place,
    job: &Name,
    given: &Payload,
    evaluate: &dyn Evaluate,
) -> Result<Event, String> {
    let key = JobKey { tenant: run.job.tenant.clone(), name: job.clone() };
    let job = state.flows.jobs.get(&key).filter(|job| job.deleted.is_none());
    let job = job.ok_or_else(|| format!("there is no job `{}`", key.name))?;
    let (mut depth, mut above) = (1, run.parent);
    while let Some(origin) = above {
        depth += 1;
        above = state.flows.run(origin.run).and_then(|run| run.parent);
    }
    if depth >= NESTING_MAX {
        return Err(format!("runs are nested {NESTING_MAX} deep"));
    }
    let parameters = evaluate.parameters(&job.definition, given)?;
    Ok(Event::Flow(FlowEvent::RunCreated(Box::new(RunCreated {
        id: run.id.child(place),
        job: job.key.clone(),
        version: job.version,
        plan: None,
        parameters,
        priority: run.priority,
        labels: run.labels.clone(),
        key: None,
        trigger: Trigger::Parent,
        parent: Some(Origin { run: run.id, place }),
        rerun_of: None,
        occasion: None,
        cause: None,
        reused: Vec::new(),
    }))))
}
