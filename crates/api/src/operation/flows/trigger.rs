//! A new run of a job: its parameters are checked here, once, against the version that will run.

use mainspring_core::job::JobKey;
use mainspring_core::key::{KeyClaim, KeyFact};
use mainspring_core::run::StartedBy;
use mainspring_core::run::decide::{RunAnswer, RunCommand, TriggerRun};
use mainspring_core::task::{Labels, Payload};
use mainspring_core::values::{Millis, RunId, Wall};

use super::warnings::warnings;
use super::{jobs, send, shown, unexpected};
use crate::edge::Edge;
use crate::gateway::now;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::problem::Problem;
use crate::wire::{OverrideBody, TriggerBody, name, request_hash, request_key, too_deep};

#[derive(Clone, Debug)]
pub(crate) struct Triggered {
    pub(crate) id: RunId,
    /// The same request came before.
    pub(crate) duplicate: bool,
    /// Why no known worker could ever run some of its tasks; empty for a duplicate.
    pub(crate) warnings: Vec<String>,
}

impl Triggered {
    pub(super) const fn before(id: RunId) -> Self {
        Self { id, duplicate: true, warnings: Vec::new() }
    }
}

pub(crate) async fn trigger(
    edge: &Edge,
    key: JobKey,
    body: &TriggerBody,
    caller: &Caller<'_>,
) -> Result<Triggered, Problem> {
    let over = OverrideBody { actor: body.actor.clone(), reason: body.reason.clone() };
    let by = Change::by("a job was triggered", &over, caller)?;
    let job = jobs::job(edge, key.clone()).await?;
    let parameters = parameters(edge, &job, body.parameters.as_ref().map(|given| given.get()))?;
    let claim = claim(edge, &key, body, caller, &parameters)?;
    let route = edge.gateway.tenant(&key.tenant);
    let id = RunId::from_bits(edge.gateway.mint(&key.tenant).bits());
    let command = RunCommand::Trigger(Box::new(TriggerRun {
        id,
        job: key,
        parameters,
        priority: body.priority.map(|priority| priority.0),
        labels: labels(body)?,
        key: claim.map(|claim| (claim, KeyFact::Absent)),
        trigger: StartedBy::Manual,
        logical_time: body.logical_time.map(|time| time.0),
    }));
    let command = by.sign(command);
    match send(edge, route, mainspring_core::engine::Command::Run(Box::new(command))).await? {
        RunAnswer::Run { id, .. } => {
            by.done(format_args!("{} as {id}", shown(&job.key)));
            let nodes = job.definition.plan.nodes().iter();
            let warnings = warnings(edge, route, nodes.map(|node| &**node)).await;
            Ok(Triggered { id, duplicate: false, warnings })
        }
        RunAnswer::AlreadyTriggered { id } => Ok(Triggered::before(id)),
        _ => Err(unexpected()),
    }
}

/// Checked, and with the job's defaults.
pub(super) fn parameters(
    edge: &Edge,
    job: &mainspring_core::job::Job,
    given: Option<&str>,
) -> Result<Payload, Problem> {
    let definition = edge.definitions.of(job)?;
    let given = given.unwrap_or("{}");
    if let Some(what) = too_deep(given) {
        return Err(Problem::field("parameters", what));
    }
    let checked = definition.check_parameters(given.as_bytes());
    checked.map(Payload::from).map_err(|mistakes| Problem::ParametersInvalid { mistakes })
}

/// A `run_key` and a logical time are the job's own; a key in the header is the caller's, as for any other request.
fn claim(
    edge: &Edge,
    key: &JobKey,
    body: &TriggerBody,
    caller: &Caller<'_>,
    parameters: &Payload,
) -> Result<Option<KeyClaim>, Problem> {
    let for_job = |what: &str| format!("{what} of {}", key.name);
    let of_parameters = request_hash(&[parameters]);
    let (operation, text, request) = match (&body.run_key, body.logical_time, caller.keys.key) {
        (Some(_), Some(_), _) => {
            let what = "a run has one or the other: leave out `run_key`, or `logical_time`";
            return Err(Problem::field("run_key", what));
        }
        (Some(run_key), None, _) => (for_job("run key"), run_key.clone(), of_parameters),
        (None, Some(time), _) => (for_job("logical time"), time.0.millis().to_string(), of_parameters),
        (None, None, Some(header)) => {
            let [query, bytes] = caller.request;
            ("trigger".to_owned(), header.to_owned(), request_hash(&[key.name.as_bytes(), query, bytes]))
        }
        (None, None, None) => return Ok(None),
    };
    let scope = request_key(&key.tenant, &operation, &text)?;
    let expires = if body.logical_time.is_some() { with_history(edge) } else { edge.key_expires() };
    let group = edge.gateway.home(&key.tenant).group();
    Ok(Some(KeyClaim { scope, request, expires, group }))
}

/// A run is known for the days of history after its end; its key is kept for one day more than these.
fn with_history(edge: &Edge) -> Wall {
    let days = u64::from(edge.config.history_days) + 1;
    edge.key_expires().max(now() + Millis::from_secs(86_400 * days))
}

fn labels(body: &TriggerBody) -> Result<Option<Labels>, Problem> {
    let max = mainspring_core::values::LABELS_MAX;
    if body.labels.len() > max {
        return Err(Problem::TooManyEntries { field: "labels", count: body.labels.len(), max });
    }
    let pairs = body.labels.iter().map(|(key, value)| Ok((name("labels", key)?, name("labels", value)?)));
    let labels: Vec<_> = pairs.collect::<Result<_, Problem>>()?;
    Ok((!labels.is_empty()).then(|| labels.into()))
}
