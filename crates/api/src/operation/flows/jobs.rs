//! Reading, pausing and deleting jobs.

use mainspring_core::name::Name;
use mainspring_core::workflow::{FlowAnswer, FlowCommand, FlowRefusal, Job, JobKey};
use mainspring_store::VersionRow;

use super::{ask, slot_of, unexpected};
use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) async fn job(edge: &Edge, key: JobKey) -> Result<Box<Job>, Problem> {
    match ask(edge, slot_of(&key), FlowCommand::ReadJob { key: key.clone() }).await? {
        FlowAnswer::Job(Some(job)) => Ok(job),
        FlowAnswer::Job(None) => Err(no_job(key)),
        _ => Err(unexpected()),
    }
}

fn no_job(key: JobKey) -> Problem {
    Problem::Rejected(FlowRefusal::JobNotFound { key }.into())
}

/// By tenant and name.
pub(crate) async fn jobs(
    edge: &Edge,
    tenant: Option<Name>,
    after: Option<JobKey>,
    limit: usize,
) -> Result<Vec<Job>, Problem> {
    let slot = mainspring_core::id::Slot::from_hash(0);
    match ask(edge, slot, FlowCommand::ListJobs { after, tenant, limit }).await? {
        FlowAnswer::Jobs(jobs) => Ok(jobs),
        _ => Err(unexpected()),
    }
}

pub(crate) async fn pause_job(edge: &Edge, key: JobKey, paused: bool) -> Result<(), Problem> {
    ask(edge, slot_of(&key), FlowCommand::PauseJob { key: key.clone(), paused }).await.map(drop)
}

pub(crate) async fn delete_job(edge: &Edge, key: JobKey) -> Result<(), Problem> {
    ask(edge, slot_of(&key), FlowCommand::DeleteJob { key: key.clone() }).await.map(drop)
}

/// Newest first.
pub(crate) async fn versions(
    edge: &Edge,
    key: JobKey,
    before: Option<u32>,
    limit: usize,
) -> Result<Vec<VersionRow>, Problem> {
    job(edge, key.clone()).await?;
    edge.gateway.tables_follow().await;
    edge.readers.read(move |tables| tables.versions(&key, before.unwrap_or(u32::MAX), limit)).await
}

pub(crate) async fn version(edge: &Edge, key: JobKey, number: u32) -> Result<VersionRow, Problem> {
    let wanted = key.clone();
    edge.gateway.tables_follow().await;
    let row = edge.readers.read(move |tables| tables.version(&wanted, number)).await?;
    row.ok_or_else(|| no_job(key))
}
