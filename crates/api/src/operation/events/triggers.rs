//! Triggers by tenant, job and name.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::Question;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::trigger::{Trigger, TriggerKey};

use crate::edge::Edge;
use crate::gateway::Route;
use crate::operation::flows::page_length;
use crate::problem::{EventProblem, Problem};
use crate::wire::{Keys, TENANT_DEFAULT, name};

/// The trigger that a caller names; a tenant with the name goes before the one that came with the request.
pub(crate) fn named_trigger(
    tenant: Option<&str>,
    keys: Keys<'_>,
    job: &str,
    trigger: &str,
) -> Result<TriggerKey, Problem> {
    Ok(TriggerKey {
        tenant: name("tenant", tenant.or(keys.tenant).unwrap_or(TENANT_DEFAULT))?,
        job: name("job", job)?,
        name: name("name", trigger)?,
    })
}

pub(crate) async fn trigger(edge: &Edge, key: TriggerKey) -> Result<Trigger, Problem> {
    let route = edge.gateway.tenant(&key.tenant);
    let found = ask(edge, route, Question::Trigger { key: Box::new(key.clone()) }).await?.pop();
    let missing = || EventProblem::TriggerNotFound { job: key.job.to_string(), name: key.name.to_string() };
    found.ok_or_else(|| missing().into())
}

/// With where the next page begins.
pub(crate) async fn triggers(
    edge: &Edge,
    (tenant, job): (Option<&str>, Option<&str>),
    cursor: Option<&str>,
    limit: Option<usize>,
) -> Result<(Vec<Trigger>, Option<String>), Problem> {
    let limit = page_length(limit)?;
    let tenant = tenant.map(|text| name("tenant", text)).transpose()?;
    let job = job.map(|text| name("job", text)).transpose()?;
    let after = cursor.map(parse_cursor).transpose()?.map(Box::new);
    let route = edge.gateway.tenant_or_all(tenant.as_ref());
    let mut found = ask(edge, route, Question::Triggers { after, tenant, job, limit: limit + 1 }).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| more).map(|hook| &hook.key);
    let next = last.map(|key| format!("{}/{}/{}", key.tenant, key.job, key.name));
    Ok((found, next))
}

async fn ask(edge: &Edge, route: Route, question: Question) -> Result<Vec<Trigger>, Problem> {
    match edge.gateway.ask(route, Command::Ask(question)).await? {
        Answer::Triggers(found) => Ok(found),
        _ => {
            Err(Rejection::Internal { what: "a question on triggers was answered with something else" }
                .into())
        }
    }
}

/// Only a tenant can have a slash in it.
fn parse_cursor(text: &str) -> Result<TriggerKey, Problem> {
    let mut parts = text.rsplitn(3, '/');
    let (Some(trigger), Some(job), Some(tenant)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(Problem::query("cursor", "not one that an answer gave"));
    };
    Ok(TriggerKey {
        tenant: name("cursor", tenant)?,
        job: name("cursor", job)?,
        name: name("cursor", trigger)?,
    })
}
