//! A new run of a job.

use super::RunAnswer;
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::job::JobKey;
use crate::key::{KeyClaim, KeyFact, KeyHolder};
use crate::run::{Origin, RunCreated, RunEvent, RunRefusal, StartedBy};
use crate::task::{Labels, Payload};
use crate::values::{Priority, RunId, RunStatus, Wall};

#[derive(Clone, PartialEq, Debug)]
pub struct TriggerRun {
    pub id: RunId,
    pub job: JobKey,
    /// Checked by the edge against the job's declarations, with its defaults.
    pub parameters: Payload,
    /// `None`: as each task has it.
    pub priority: Option<Priority>,
    pub labels: Option<Labels>,
    /// With what the tables knew of the key before the command came here.
    pub key: Option<(KeyClaim, KeyFact)>,
    pub trigger: StartedBy,
    /// The instant for which it is. The key is made of it then, so that there is one run for each.
    pub logical_time: Option<Wall>,
}

pub(crate) fn decide(
    view: &View<'_>,
    trigger: TriggerRun,
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    if let Some(id) = known(view, &trigger)? {
        return Ok(RunAnswer::AlreadyTriggered { id });
    }
    let job = view.job(&trigger.job)?;
    let band = trigger.priority.unwrap_or_default().band;
    crate::task::decide::submit::check_pressure(view.pressure, band)?;
    check_room(view)?;
    let (bytes, max) = (trigger.parameters.len(), view.limits.payload_bytes_max);
    if bytes > max {
        return Err(Rejection::PayloadTooLarge { bytes, max });
    }
    let id = trigger.id;
    let origin = Origin { logical_time: trigger.logical_time, ..Origin::of(trigger.trigger) };
    out.push(Event::Run(RunEvent::RunCreated(Box::new(RunCreated {
        priority: trigger.priority,
        labels: trigger.labels,
        key: trigger.key.map(|(claim, _)| claim),
        ..RunCreated::new(id, job.key.clone(), job.version, trigger.parameters, origin)
    }))));
    Ok(RunAnswer::Run { id, status: RunStatus::Queued })
}

pub(crate) fn check_room(view: &View<'_>) -> Result<(), Rejection> {
    let (held, max) = (view.state.job_runs().runs().len(), view.limits.runs_max);
    if held >= max { Err(RunRefusal::TooManyRuns { held, max }.into()) } else { Ok(()) }
}

fn known(view: &View<'_>, trigger: &TriggerRun) -> Result<Option<RunId>, Rejection> {
    if let Some((claim, fact)) = &trigger.key
        && let Some(binding) = view.state.keys().known(claim.scope, *fact)
    {
        let existing = RunId::from_bits(binding.task.bits());
        return match trigger.logical_time {
            _ if binding.request == claim.request => Ok(Some(existing)),
            Some(_) => Err(RunRefusal::LogicalTimeReused { existing }.into()),
            None => Err(Rejection::KeyReused { existing: KeyHolder::Run(existing) }),
        };
    }
    Ok(view.state.job_runs().run(trigger.id).map(|run| run.id))
}
