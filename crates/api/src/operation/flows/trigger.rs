//! A new run of a job: its parameters are checked here, once, against the version that will run.

use mainspring_core::job::JobKey;
use mainspring_core::key::{KeyClaim, KeyFact};
use mainspring_core::run::StartedBy;
use mainspring_core::run::decide::{RunAnswer, RunCommand, TriggerRun};
use mainspring_core::task::{Labels, Payload};
use mainspring_core::values::RunId;

use super::warnings::warnings;
use super::{jobs, send, shown, unexpected};
use crate::edge::Edge;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::problem::Problem;
use crate::wire::{OverrideBody, TriggerBody, name, request_hash, request_key};

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
    let checked = definition.check_parameters(given.unwrap_or("{}").as_bytes());
    checked.map(Payload::from).map_err(|mistakes| Problem::ParametersInvalid { mistakes })
}

/// A `run_key` is the job's own; a key in the header is the caller's, as for any other request.
fn claim(
    edge: &Edge,
    key: &JobKey,
    body: &TriggerBody,
    caller: &Caller<'_>,
    parameters: &Payload,
) -> Result<Option<KeyClaim>, Problem> {
    let (operation, text, request): (String, &str, u128) = match (&body.run_key, caller.keys.key) {
        (Some(run_key), _) => (format!("run key of {}", key.name), run_key, request_hash(&[parameters])),
        (None, Some(header)) => {
            let [query, bytes] = caller.request;
            ("trigger".to_owned(), header, request_hash(&[key.name.as_bytes(), query, bytes]))
        }
        (None, None) => return Ok(None),
    };
    let scope = request_key(&key.tenant, &operation, text)?;
    let (expires, group) = (edge.key_expires(), edge.gateway.home(&key.tenant).group());
    Ok(Some(KeyClaim { scope, request, expires, group }))
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
