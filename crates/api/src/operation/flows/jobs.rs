//! Reading, pausing and deleting jobs.

use mainspring_core::engine::Command;
use mainspring_core::job::{Job, JobKey};
use mainspring_core::run::RunRefusal;
use mainspring_core::run::decide::{RunAnswer, RunCommand};
use mainspring_store::VersionRow;

use super::filter::page_length;
use super::{ask, send, shown, unexpected};
use crate::edge::Edge;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::problem::Problem;
use crate::wire::{OverrideBody, name};

pub(crate) async fn job(edge: &Edge, key: JobKey) -> Result<Box<Job>, Problem> {
    match ask(edge, edge.gateway.tenant(&key.tenant), RunCommand::ReadJob { key: key.clone() }).await? {
        RunAnswer::Job(Some(job)) => Ok(job),
        RunAnswer::Job(None) => Err(no_job(key)),
        _ => Err(unexpected()),
    }
}

fn no_job(key: JobKey) -> Problem {
    Problem::Rejected(RunRefusal::JobNotFound { key }.into())
}

/// Which jobs are wanted; what is not set is all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JobFilter<'a> {
    pub(crate) tenant: Option<&'a str>,
    pub(crate) tag: Option<&'a str>,
    pub(crate) owner: Option<&'a str>,
}

impl JobFilter<'_> {
    /// Tags and owner are in the definition. Deleted jobs have none.
    fn has(&self, edge: &Edge, job: &Job) -> Result<bool, Problem> {
        if self.tag.is_none() && self.owner.is_none() {
            return Ok(true);
        }
        if job.deleted.is_some() {
            return Ok(false);
        }
        let definition = edge.definitions.of(job)?;
        let tagged = self.tag.is_none_or(|tag| definition.tags.iter().any(|has| **has == *tag));
        Ok(tagged && self.owner.is_none_or(|owner| definition.owner == owner))
    }
}

/// By tenant and name, with where the next page begins. With a tag or an owner a page may be shorter than its limit.
pub(crate) async fn jobs(
    edge: &Edge,
    wanted: &JobFilter<'_>,
    cursor: Option<&str>,
    limit: Option<usize>,
) -> Result<(Vec<Job>, Option<String>), Problem> {
    let limit = page_length(limit)?;
    let tenant = wanted.tenant.map(|tenant| name("tenant", tenant)).transpose()?;
    wanted.tag.map(|tag| name("tag", tag)).transpose()?;
    wanted.owner.map(|owner| name("owner", owner)).transpose()?;
    let after = cursor.map(parse_cursor).transpose()?;
    let route = edge.gateway.tenant_or_all(tenant.as_ref());
    match ask(edge, route, RunCommand::ListJobs { after, tenant, limit: limit + 1 }).await? {
        RunAnswer::Jobs(mut jobs) => {
            let more = jobs.len() > limit;
            jobs.truncate(limit);
            let last = jobs.last().filter(|_| more).map(|job| &job.key);
            let next = last.map(|key| format!("{}/{}", key.tenant, key.name));
            let mut found = Vec::with_capacity(jobs.len());
            for job in jobs {
                if wanted.has(edge, &job)? {
                    found.push(job);
                }
            }
            Ok((found, next))
        }
        _ => Err(unexpected()),
    }
}

fn parse_cursor(text: &str) -> Result<JobKey, Problem> {
    let (tenant, job) =
        text.split_once('/').ok_or_else(|| Problem::query("cursor", "not one that an answer gave"))?;
    Ok(JobKey { tenant: name("cursor", tenant)?, name: name("cursor", job)? })
}

pub(crate) async fn pause_job(
    edge: &Edge,
    key: &JobKey,
    paused: bool,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<(), Problem> {
    let by = Change::by(if paused { "a job was paused" } else { "a job was resumed" }, over, caller)?;
    let command = by.sign(RunCommand::PauseJob { key: key.clone(), paused, seen: caller.seen });
    act(edge, (if paused { "pause job" } else { "resume job" }, key), command, caller).await?;
    by.done(shown(key));
    Ok(())
}

pub(crate) async fn delete_job(
    edge: &Edge,
    key: &JobKey,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<(), Problem> {
    let by = Change::by("a job was deleted", over, caller)?;
    let command = by.sign(RunCommand::DeleteJob { key: key.clone(), seen: caller.seen });
    act(edge, ("delete job", key), command, caller).await?;
    by.done(shown(key));
    Ok(())
}

async fn act(
    edge: &Edge,
    (operation, key): (&str, &JobKey),
    command: RunCommand,
    caller: &Caller<'_>,
) -> Result<(), Problem> {
    let (route, command) = (edge.gateway.tenant(&key.tenant), Command::Run(Box::new(command)));
    let command = caller.keyed(edge, route, (operation, &shown(key)), command)?;
    send(edge, route, command).await.map(drop)
}

/// Newest first.
pub(crate) async fn versions(
    edge: &Edge,
    key: JobKey,
    before: Option<u32>,
    limit: Option<usize>,
) -> Result<Vec<VersionRow>, Problem> {
    let limit = page_length(limit)?;
    job(edge, key.clone()).await?;
    edge.gateway.tables_follow(false).await?;
    edge.readers.read(move |tables| tables.versions(&key, before.unwrap_or(u32::MAX), limit)).await
}

pub(crate) async fn version(edge: &Edge, key: JobKey, number: u32) -> Result<VersionRow, Problem> {
    let wanted = key.clone();
    edge.gateway.tables_follow(false).await?;
    let row = edge.readers.read(move |tables| tables.version(&wanted, number)).await?;
    row.ok_or_else(|| no_job(key))
}
