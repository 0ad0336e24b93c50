//! What the edges do with jobs and runs. One file a group of verbs.

mod apply;
mod definitions;
mod diagnose;
mod filter;
mod items;
mod jobs;
mod owners;
mod pictures;
mod runs;
mod stats;
mod tasks;
mod timeline;
mod trigger;
mod warnings;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::JobKey;
use mainspring_core::run::decide::{RunAnswer, RunCommand};
use mainspring_core::values::{Name, RunId};

pub(in crate::operation) use self::filter::page_length;
pub(crate) use self::{
    apply::{Apply, apply},
    definitions::Definitions,
    diagnose::diagnose_run,
    filter::{RunFilterBody, task_page},
    items::{ItemFilter, items},
    jobs::{JobFilter, delete_job, job, jobs, pause_job, version, versions},
    owners::{Owners, owner},
    pictures::{Drawn, graph, grid, run_graph},
    runs::{
        approve_run, cancel_run, cancel_runs, clear_run, force_run, list_runs, pause_run, reevaluate_run,
        rerun, run, seen_run, whole_run,
    },
    stats::job_stats,
    tasks::{run_of, tasks_of_run},
    timeline::timeline,
    trigger::trigger,
};
use crate::edge::Edge;
use crate::gateway::Route;
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

async fn ask(edge: &Edge, route: Route, command: RunCommand) -> Result<RunAnswer, Problem> {
    send(edge, route, Command::Run(Box::new(command))).await
}

async fn send(edge: &Edge, route: Route, command: Command) -> Result<RunAnswer, Problem> {
    match edge.gateway.ask(route, command).await? {
        Answer::Run(answer) => Ok(answer),
        _ => Err(unexpected()),
    }
}

fn unexpected() -> Problem {
    Rejection::Internal { what: "a command on jobs or runs was answered with something else" }.into()
}
