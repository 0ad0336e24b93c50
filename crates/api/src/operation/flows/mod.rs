//! What the edges do with jobs and runs. One file a group of verbs.

mod apply;
mod audit;
mod definitions;
mod diagnose;
mod filter;
mod jobs;
mod runs;
mod trigger;
mod warnings;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::JobKey;
use mainspring_core::run::decide::{RunAnswer, RunCommand};
use mainspring_core::values::{Bucket, Name, RunId};

pub(crate) use self::{
    apply::{Apply, apply},
    definitions::Definitions,
    diagnose::diagnose_run,
    filter::{RunFilterBody, task_page},
    jobs::{JobFilter, delete_job, job, jobs, pause_job, version, versions},
    runs::{cancel_run, cancel_runs, clear_run, force_run, list_runs, pause_run, reevaluate_run, rerun, run},
    trigger::trigger,
};
pub(in crate::operation) use self::{audit::Change, filter::page_length};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{Keys, TENANT_DEFAULT, name};

/// What is no id names no run.
pub(crate) fn run_id(text: &str) -> Result<RunId, Problem> {
    text.parse().map_err(|_| Problem::NoSuchRun { id: text.chars().take(100).collect() })
}

fn job_key(tenant: &str, job: &str) -> Result<JobKey, Problem> {
    let filled = |field, text: &str| -> Result<Name, Problem> {
        if text.is_empty() {
            return Err(Problem::field(field, "it may not be empty"));
        }
        name(field, text)
    };
    Ok(JobKey { tenant: filled("tenant", tenant)?, name: filled("job", job)? })
}

/// The job that a caller names; a tenant with the name goes before the one that came with the request.
pub(crate) fn named_job(tenant: Option<&str>, keys: Keys<'_>, job: &str) -> Result<JobKey, Problem> {
    job_key(tenant.or(keys.tenant).unwrap_or(TENANT_DEFAULT), job)
}

fn shown(key: &JobKey) -> String {
    format!("{}/{}", key.tenant, key.name)
}

/// A job's slot, and that of its runs.
pub(in crate::operation) fn bucket_of(key: &JobKey) -> Bucket {
    let hash = blake3::hash(format!("{}\u{1}{}", key.tenant, key.name).as_bytes());
    let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    Bucket::from_hash(u64::from_le_bytes(*first))
}

async fn ask(edge: &Edge, bucket: Bucket, command: RunCommand) -> Result<RunAnswer, Problem> {
    send(edge, bucket, Command::Run(Box::new(command))).await
}

async fn send(edge: &Edge, bucket: Bucket, command: Command) -> Result<RunAnswer, Problem> {
    match edge.gateway.ask(bucket, command).await? {
        Answer::Run(answer) => Ok(answer),
        _ => Err(unexpected()),
    }
}

fn unexpected() -> Problem {
    Rejection::Internal { what: "a command on jobs or runs was answered with something else" }.into()
}
