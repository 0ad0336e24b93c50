//! Who works, how full they are; cordon, drain and uncordon.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{Question, WorkerView};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::WorkerId;
use mainspring_core::worker::Availability;
use mainspring_core::worker::decide::SetCordon;

use super::{Caller, Change};
use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::{OverrideBody, WorkerBody, name};

/// Every worker; `write` sees them before they are let go of.
const STATES: [&str; 6] = ["healthy", "cordoned", "draining", "drained", "unhealthy", "disconnected"];

/// Which are wanted; what is not set is all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkerFilter<'a> {
    pub pool: Option<&'a str>,
    pub state: Option<&'a str>,
}

pub(crate) async fn workers<T>(
    edge: &Edge,
    wanted: WorkerFilter<'_>,
    write: impl FnOnce(Vec<WorkerBody<'_>>) -> T,
) -> Result<T, Problem> {
    if wanted.state.is_some_and(|state| !STATES.contains(&state)) {
        return Err(Problem::query("state", format!("one of {}", STATES.join(", "))));
    }
    if let Some(pool) = wanted.pool {
        name("pool", pool)?;
    }
    let workers = ask(edge, None).await?;
    let all = workers.iter().map(|worker| body(edge, worker));
    let of_pool = all.filter(|worker| wanted.pool.is_none_or(|pool| worker.pool == pool));
    Ok(write(of_pool.filter(|worker| wanted.state.is_none_or(|state| worker.state == state)).collect()))
}

pub(crate) async fn worker<T>(
    edge: &Edge,
    text: &str,
    write: impl FnOnce(WorkerBody<'_>) -> T,
) -> Result<T, Problem> {
    let workers = ask(edge, Some(parse(text)?)).await?;
    let worker = workers.first().ok_or_else(|| not_found(text))?;
    Ok(write(body(edge, worker)))
}

/// A cordoned or draining worker finishes what it has and gets nothing new. It holds until lifted, over restarts of the worker
/// and of the server.
pub(crate) async fn cordon<T>(
    edge: &Edge,
    (text, to): (&str, Availability),
    over: &OverrideBody,
    caller: &Caller<'_>,
    write: impl FnOnce(WorkerBody<'_>) -> T,
) -> Result<T, Problem> {
    let (operation, what) = match to {
        Availability::Cordoned => ("cordon", "a worker was cordoned"),
        Availability::Draining => ("drain", "a worker is drained"),
        Availability::Open => ("uncordon", "a worker was uncordoned"),
    };
    let (worker, by) = (parse(text)?, Change::by(what, over, caller)?);
    // A worker may have left since the first request under this key.
    let repeated = caller.first_answer(edge, Route::All, (operation, text)).await?.is_some();
    if !repeated && ask(edge, Some(worker)).await?.is_empty() {
        return Err(not_found(text));
    }
    let set = Command::Cordon(Box::new(SetCordon { worker, to, by: by.actor() }));
    edge.gateway.ask(Route::All, caller.keyed(edge, Route::All, (operation, text), set)?).await?;
    by.done(worker);
    // One that is away is forgotten with its cordon.
    let after = ask(edge, Some(worker)).await?.pop();
    let after = after.unwrap_or_else(|| WorkerView::away(worker, None));
    Ok(write(body(edge, &after)))
}

pub(super) async fn ask(edge: &Edge, only: Option<WorkerId>) -> Result<Vec<WorkerView>, Problem> {
    match edge.gateway.ask(Route::All, Command::Ask(Question::Workers { only })).await? {
        Answer::Workers(workers) => Ok(workers),
        _ => Err(Rejection::Internal { what: "workers were answered with something else" }.into()),
    }
}

fn body<'a>(edge: &Edge, worker: &'a WorkerView) -> WorkerBody<'a> {
    WorkerBody::of(worker, edge.sessions.about(worker.id), edge.config.heartbeat)
}

fn parse(text: &str) -> Result<WorkerId, Problem> {
    text.parse().map_err(|_| not_found(text))
}

fn not_found(text: &str) -> Problem {
    Problem::WorkerNotFound { id: text.chars().take(100).collect() }
}
