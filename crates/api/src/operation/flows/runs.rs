//! Reading runs and acting on them.

use std::sync::Arc;
use std::time::Duration;

use mainspring_core::engine::question::{Question, Released};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::run::decide::{Approve, Clear, ClearItems, Rerun, RerunFrom, RunAnswer, RunCommand};
use mainspring_core::run::{Run, RunRefusal};
use mainspring_core::task::Payload;
use mainspring_core::values::{Bucket, Name, RunId, RunStatus};
use mainspring_definition::{MASK, masked_run};
use mainspring_runtime::load_runs;
use mainspring_store::{ReadError, ReadTables};
use serde_json::{Map, Value};

use super::filter::RunFilterBody;
use super::trigger::Triggered;
use super::warnings::warnings;
use super::{ask, jobs, send, trigger, unexpected};
use crate::edge::Edge;
use crate::operation::audit::Change;
use crate::operation::{self, Caller, Listed};
use crate::problem::Problem;
use crate::wire::{
    ApproveBody, BulkBody, ClearBody, OperationView, OverrideBody, RerunBody, RunSelectorBody, SeenRun, name,
};

/// How long a bulk cancel is awaited before it is answered as still running.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// As it may be shown: with what is sensitive masked.
pub(crate) async fn run(edge: &Edge, id: RunId) -> Result<Arc<Run>, Problem> {
    whole_run(edge, id).await.map(masked_run)
}

/// From memory, or as the tables have it. Not to be shown.
pub(crate) async fn whole_run(edge: &Edge, id: RunId) -> Result<Arc<Run>, Problem> {
    match ask(edge, id.into(), RunCommand::ReadRun { id }).await? {
        RunAnswer::Found(Some(run)) => Ok(run),
        RunAnswer::Found(None) => Err(Problem::Rejected(RunRefusal::RunNotFound { id }.into())),
        _ => Err(unexpected()),
    }
}

/// As [`run`], with the states of what it has out.
pub(crate) async fn seen_run(edge: &Edge, id: RunId) -> Result<SeenRun, Problem> {
    // The states first: what the run releases in between is queued, which is what no state means.
    let states = Command::Ask(Question::Released { run: id, items: None });
    let Answer::Released(released) = edge.gateway.ask(id, states).await? else { return Err(unexpected()) };
    Ok(SeenRun { run: run(edge, id).await?, released })
}

/// Newest first, with where the next page begins.
pub(crate) async fn list_runs(
    edge: &Edge,
    filter: RunFilterBody<'_>,
) -> Result<Listed<SeenRun, RunId>, Problem> {
    let (is_paged, older) = (filter.id_prefix.is_none(), filter.older);
    let filter = filter.checked()?;
    // So that a run is in the list as soon as its caller knows of it.
    edge.gateway.tables_follow(older).await?;
    let read = move |tables: &mut dyn ReadTables| {
        let mut page = tables.runs(&filter)?;
        let ids: Vec<RunId> = page.rows.iter().map(|row| row.id).collect();
        page.rows.retain(|row| row.ended.is_some());
        let ended = load_runs(tables, &page.rows).map_err(|error| ReadError { what: error.to_string() })?;
        Ok((ids, ended, page))
    };
    let (ids, ended, page) = edge.readers.read(read).await?;
    let mut ended = ended.into_iter().peekable();
    let mut runs = Vec::with_capacity(ids.len());
    for id in ids {
        match ended.next_if(|run| run.id == id) {
            Some(run) => {
                runs.push(SeenRun { run: masked_run(Arc::from(run)), released: Released::default() });
            }
            // What has not ended may have gone on since its row was written.
            None => runs.extend(seen_run(edge, id).await.ok()),
        }
    }
    Ok(Listed { rows: runs, next: page.next.filter(|_| is_paged), looked_until: page.looked_until })
}

pub(crate) async fn cancel_run(
    edge: &Edge,
    id: RunId,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<RunStatus, Problem> {
    let by = Change::by("a run was cancelled", over, caller)?;
    let status = act(edge, ("cancel run", id), by.sign(RunCommand::CancelRun { id }), caller).await?;
    by.done(id);
    Ok(status)
}

/// Cancels what matches and has not ended, in steps that go on after the answer if there are very many.
pub(crate) async fn cancel_runs(
    edge: &Edge,
    wanted: &RunSelectorBody,
    caller: &Caller<'_>,
) -> Result<OperationView, Problem> {
    let label = wanted.label.as_deref().map(label).transpose()?;
    if wanted.tenant.is_none() && wanted.job.is_none() && label.is_none() {
        return Err(Problem::field("body", "name a tenant, a job or a label"));
    }
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (tenant, job) = (filled(&wanted.tenant), filled(&wanted.job));
    let bulk = BulkBody {
        verb: "cancel_runs".into(),
        all: tenant.is_none() && job.is_none() && label.is_none(),
        tenant,
        job,
        labels: label.into_iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
        dry_run: wanted.dry_run,
        actor: wanted.actor.clone(),
        reason: wanted.reason.clone(),
        ..BulkBody::default()
    };
    let begun = operation::bulk(edge, &bulk, caller).await?;
    if wanted.dry_run { Ok(begun) } else { ended_soon(edge, begun).await }
}

/// Most calls mean few runs: their caller is told how many.
async fn ended_soon(edge: &Edge, begun: OperationView) -> Result<OperationView, Problem> {
    let id = begun.operation_id.to_string();
    let until = tokio::time::Instant::now() + ANSWER_WITHIN;
    let mut seen = begun;
    while seen.state == "running" && tokio::time::Instant::now() < until {
        tokio::time::sleep(LOOK_EVERY).await;
        seen = operation::operation(edge, &id).await?;
    }
    Ok(seen)
}

fn label(text: &str) -> Result<(Name, Name), Problem> {
    let (key, value) =
        text.split_once('=').ok_or_else(|| Problem::field("label", "write it as key=value"))?;
    Ok((name("label", key)?, name("label", value)?))
}

pub(crate) async fn pause_run(
    edge: &Edge,
    id: RunId,
    paused: bool,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<RunStatus, Problem> {
    let by = Change::by(if paused { "a run was paused" } else { "a run was resumed" }, over, caller)?;
    let operation = if paused { "pause run" } else { "resume run" };
    let status = act(edge, (operation, id), by.sign(RunCommand::PauseRun { id, paused }), caller).await?;
    by.done(id);
    Ok(status)
}

pub(crate) async fn force_run(
    edge: &Edge,
    id: RunId,
    status: RunStatus,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<RunStatus, Problem> {
    let by = Change::by("a run was forced to an end", over, caller)?;
    let command = RunCommand::ForceRun { id, status, over: by.actor() };
    let status = act(edge, ("force run", id), command, caller).await?;
    by.done(id);
    Ok(status)
}

pub(crate) async fn reevaluate_run(
    edge: &Edge,
    id: RunId,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<RunStatus, Problem> {
    let by = Change::by("a run was looked at again", over, caller)?;
    let command = RunCommand::ReevaluateRun { id, over: by.actor() };
    let status = act(edge, ("reevaluate run", id), command, caller).await?;
    by.done(id);
    Ok(status)
}

/// Approves or rejects a task that waits for it.
pub(crate) async fn approve_run(
    edge: &Edge,
    id: RunId,
    approved: bool,
    body: &ApproveBody,
    caller: &Caller<'_>,
) -> Result<RunStatus, Problem> {
    let over = OverrideBody { actor: body.actor.clone(), reason: body.reason.clone() };
    let what = if approved { "a task of a run was approved" } else { "a task of a run was rejected" };
    let by = Change::by(what, &over, caller)?;
    let task = body.task.as_deref().map(|task| name("task", task)).transpose()?;
    if body.item.is_some() && task.is_none() {
        return Err(Problem::field("item", "name the task in `task` that it is an item of"));
    }
    let of = task.as_ref().map_or_else(|| id.to_string(), |task| format!("{id} {task}"));
    let approve = Approve { run: id, task, item: body.item, approved, over: by.actor(), fact: None };
    let operation = if approved { "approve run" } else { "reject run" };
    let status = act(edge, (operation, id), RunCommand::Approve(Box::new(approve)), caller).await?;
    by.done(of);
    Ok(status)
}

pub(crate) async fn clear_run(
    edge: &Edge,
    id: RunId,
    body: &ClearBody,
    caller: &Caller<'_>,
) -> Result<RunStatus, Problem> {
    let max = mainspring_store::PAGE_MAX;
    for (field, count) in [("tasks", body.tasks.len()), ("items", body.items.len())] {
        if count > max {
            return Err(Problem::TooManyEntries { field, count, max });
        }
    }
    let items = cleared_items(body)?;
    let over = OverrideBody { actor: body.actor.clone(), reason: body.reason.clone() };
    let by = Change::by("tasks of a run were cleared", &over, caller)?;
    let nodes = body.tasks.iter().map(|task| name("tasks", task)).collect::<Result<_, _>>()?;
    let clear = Clear { id, nodes, items, over: by.actor(), fact: None };
    let status = act(edge, ("clear run", id), RunCommand::Clear(Box::new(clear)), caller).await?;
    by.done(id);
    Ok(status)
}

fn cleared_items(body: &ClearBody) -> Result<ClearItems, Problem> {
    match (body.only_failed, &*body.items) {
        (false, []) => Ok(ClearItems::All),
        (true, []) => Ok(ClearItems::Failed),
        (true, _) => Err(Problem::field("only_failed", "give it or `items`, not both")),
        (false, _) if body.tasks.len() != 1 => {
            Err(Problem::field("items", "name the one task in `tasks` that they are items of"))
        }
        (false, items) => Ok(ClearItems::Named(items.to_vec())),
    }
}

pub(crate) async fn rerun(
    edge: &Edge,
    of: RunId,
    body: &RerunBody,
    caller: &Caller<'_>,
) -> Result<Triggered, Problem> {
    let from = match body.from.as_deref() {
        None | Some("start") => RerunFrom::Start,
        Some("failure") => RerunFrom::Failure,
        Some(text) => match text.strip_prefix("task:") {
            Some(task) => RerunFrom::Task(name("from", task)?),
            None => return Err(Problem::field("from", "say `start`, `failure` or `task:NAME`")),
        },
    };
    let newest = match body.version.as_deref() {
        None | Some("same") => false,
        Some("newest") => true,
        Some(_) => return Err(Problem::field("version", "say `same` or `newest`")),
    };
    let parameters = edited(edge, of, body).await?;
    let over = OverrideBody { actor: body.actor.clone(), reason: body.reason.clone() };
    let by = Change::by("a run was started again", &over, caller)?;
    let id = RunId::from_bits(edge.gateway.mint_in(Bucket::home(of.bucket().group())).bits());
    let rerun = Rerun { of, id, from, parameters, newest, over: by.over(), fact: None };
    let command = Command::Run(Box::new(RunCommand::Rerun(Box::new(rerun))));
    let command = caller.keyed(edge, of.into(), ("rerun", &of.to_string()), command)?;
    match send(edge, of.into(), command).await? {
        RunAnswer::Run { id, .. } => {
            by.done(format_args!("{of} as {id}"));
            Ok(Triggered { id, duplicate: false, warnings: warnings_of(edge, id).await })
        }
        RunAnswer::AlreadyTriggered { id } => Ok(Triggered::before(id)),
        _ => Err(unexpected()),
    }
}

/// What was taken over from the old run is not warned of.
async fn warnings_of(edge: &Edge, id: RunId) -> Vec<String> {
    let Ok(run) = run(edge, id).await else { return Vec::new() };
    let open = (0..run.plan.len()).filter(|node| run.node(*node).status.end().is_none());
    warnings(edge, id.into(), open.map(|node| run.plan.node(node))).await
}

/// Edited parameters are checked against the job as it is now.
async fn edited(edge: &Edge, of: RunId, body: &RerunBody) -> Result<Option<Payload>, Problem> {
    let Some(given) = &body.parameters else { return Ok(None) };
    let old = whole_run(edge, of).await?;
    let job = jobs::job(edge, (*old.job).clone()).await?;
    let given = unmasked(given.get(), &old);
    trigger::parameters(edge, &job, Some(&given)).map(Some)
}

/// What was shown as masked, and comes back so, is as it was.
fn unmasked(given: &str, old: &Run) -> String {
    let parsed = || {
        let mut given: Map<String, Value> = serde_json::from_str(given).ok()?;
        let whole: Map<String, Value> = serde_json::from_slice(&old.parameters).ok()?;
        for name in &*old.plan.sensitive {
            if let (Some(shown), Some(real)) = (given.get_mut(name.as_str()), whole.get(name.as_str()))
                && shown == MASK
            {
                *shown = real.clone();
            }
        }
        Some(Value::Object(given).to_string())
    };
    if old.plan.sensitive.is_empty() {
        given.to_owned()
    } else {
        parsed().unwrap_or_else(|| given.to_owned())
    }
}

async fn act(
    edge: &Edge,
    (operation, id): (&str, RunId),
    command: RunCommand,
    caller: &Caller<'_>,
) -> Result<RunStatus, Problem> {
    let command = Command::Run(Box::new(command));
    let command = caller.keyed(edge, id.into(), (operation, &id.to_string()), command)?;
    match send(edge, id.into(), command).await? {
        RunAnswer::Run { status, .. } => Ok(status),
        _ => Err(unexpected()),
    }
}
