//! What is done with tasks that failed for good or were quarantined: one or many are queued again, or discarded. Then
//! they are skipped, with all their attempts, and are dead letters no more; a run keeps what it made of the failure.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::task::Poll;

use mainspring_core::decision::{Rejection, Repaired};
use mainspring_core::engine::{ByActor, Command};
use mainspring_core::operation::is_repaired;
use mainspring_core::run::{Run, RunRefusal};
use mainspring_core::task::{Status, Task};
use mainspring_core::values::{Actor, InRun, Name, NodeInstance, RunId, RunStatus, TaskId};

use super::cursor::Cursor;
use super::filter::{Filter, only_dead};
use super::list::{Listed, list};
use super::{Caller, Change, Changed, change, flows, read, task_id};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{ClearBody, OverrideBody};

/// Dead letters acted on with one request.
pub(super) const IDS_MAX: usize = 1_000;
/// Of those, sent to the shard together; each may have to be read from the tables first.
const AT_ONCE: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeadLetterVerb {
    Requeue,
    Discard,
}

impl DeadLetterVerb {
    fn done(self) -> &'static str {
        match self {
            Self::Requeue => "a dead letter was queued again",
            Self::Discard => "a dead letter was discarded",
        }
    }
}

pub(crate) async fn settle(
    edge: &Edge,
    verb: DeadLetterVerb,
    id: TaskId,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<Status, Problem> {
    let by = Change::by(verb.done(), over, caller)?;
    let status = act(edge, verb, id, by.actor(), caller).await?;
    by.done(id);
    Ok(status)
}

/// A result for each, in the order asked. With many ids under one key each has a key of its own, so that a call that
/// broke off can be repeated.
pub(crate) async fn settle_many(
    edge: &Edge,
    verb: DeadLetterVerb,
    ids: &[String],
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<Vec<Result<(TaskId, Status), Problem>>, Problem> {
    if ids.is_empty() {
        return Err(Problem::field("ids", "name at least one"));
    }
    if ids.len() > IDS_MAX {
        return Err(Problem::TooManyEntries { field: "ids", count: ids.len(), max: IDS_MAX });
    }
    let by = Change::by(verb.done(), over, caller)?;
    let operation = match verb {
        DeadLetterVerb::Requeue => "requeue many",
        DeadLetterVerb::Discard => "discard many",
    };
    caller.claim(edge, operation).await?;
    let mut results = Vec::with_capacity(ids.len());
    for some in ids.chunks(AT_ONCE) {
        let acts = some.iter().map(async |text| {
            let id = task_id(text)?;
            Ok((id, act(edge, verb, id, by.actor(), caller).await?))
        });
        results.extend(together(acts).await);
    }
    for (id, _) in results.iter().flatten() {
        by.done(id);
    }
    Ok(results)
}

async fn act(
    edge: &Edge,
    verb: DeadLetterVerb,
    id: TaskId,
    over: Actor,
    caller: &Caller<'_>,
) -> Result<Status, Problem> {
    let by = over.clone();
    let (operation, command) = match verb {
        DeadLetterVerb::Requeue => ("requeue", Command::Revive { id, fact: None, over, dead_only: true }),
        DeadLetterVerb::Discard => ("discard", Command::Discard { id, fact: None, over }),
    };
    let command = Command::ByActor(Box::new(ByActor { over: by.clone(), command }));
    match change(edge, (id, &format!("{operation} {id}")), command, caller).await {
        Err(problem) if verb == DeadLetterVerb::Requeue && is_of_run(&problem) => {
            clear_in_run(edge, id, &by, (caller, problem)).await
        }
        Err(problem) => Err(problem),
        Ok(Changed::Now(status)) => Ok(status),
        Ok(Changed::Stopping) => {
            Err(Rejection::Internal { what: "a dead letter was answered with something else" }.into())
        }
    }
}

fn is_of_run(problem: &Problem) -> bool {
    let Problem::Rejected(Rejection::Run(refusal)) = problem else { return false };
    matches!(**refusal, RunRefusal::TaskOfRun { .. })
}

/// A task of a run runs again by clearing it there, with all that follows from it; an item of a mapped task without the
/// other items. What undoes a task does not run again by itself.
async fn clear_in_run(
    edge: &Edge,
    id: TaskId,
    by: &Actor,
    (caller, refusal): (&Caller<'_>, Problem),
) -> Result<Status, Problem> {
    let task = read(edge, id).await?;
    let status = task.status();
    let Some(place) = task.in_run.as_deref() else { return Err(refusal) };
    let run = flows::run(edge, place.run).await?;
    let repaired = match (status, is_repaired(&run, place.place)) {
        (Status::Failed | Status::Quarantined, false) => None,
        (Status::Failed | Status::Quarantined, true) if run.status == RunStatus::Succeeded => {
            Some(Some(Repaired::Succeeded { run: run.id }))
        }
        (Status::Failed | Status::Quarantined, true) => Some(Some(Repaired::Replaced { run: run.id })),
        _ => Some(None),
    };
    if let Some(repaired) = repaired {
        return Err(Rejection::NotADeadLetter { id, status, repaired }.into());
    }
    let name = &run.plan.node(place.place.node).name;
    let items = match place.place.index {
        NodeInstance::UNDO => return Err(refusal),
        NodeInstance::WHOLE => Vec::new(),
        item => vec![item],
    };
    let text = |name: &Name| Some(name.to_string()).filter(|name| !name.is_empty());
    let body = ClearBody {
        tasks: vec![name.to_string()],
        items,
        only_failed: false,
        actor: text(&by.actor),
        reason: text(&by.reason),
    };
    flows::clear_run(edge, run.id, &body, caller).await?;
    Ok(Status::Queued)
}

/// Tasks that failed for good or were quarantined, without those of runs that were repaired since.
pub(crate) async fn dead_letters(edge: &Edge, filter: Filter) -> Result<Listed<Task, Cursor>, Problem> {
    let page = list(edge, &only_dead(filter)).await?;
    let mut runs: BTreeMap<RunId, Option<Arc<Run>>> = BTreeMap::new();
    let mut dead = Vec::with_capacity(page.rows.len());
    for task in page.rows {
        let Some(InRun { run: id, place }) = task.in_run.as_deref().copied() else {
            dead.push(task);
            continue;
        };
        let run = match runs.entry(id) {
            Entry::Occupied(found) => found.into_mut(),
            // One that history has forgotten repairs nothing.
            Entry::Vacant(new) => new.insert(flows::run(edge, id).await.ok()),
        };
        if !run.as_ref().is_some_and(|run| is_repaired(run, place)) {
            dead.push(task);
        }
    }
    Ok(Listed { rows: dead, ..page })
}

/// Awaits all of them at once; their outcomes in order.
pub(super) async fn together<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut open = false;
        for (future, outcome) in &mut futures {
            if outcome.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *outcome = Some(value),
                    Poll::Pending => open = true,
                }
            }
        }
        if open { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    futures.into_iter().filter_map(|(_, outcome)| outcome).collect()
}
