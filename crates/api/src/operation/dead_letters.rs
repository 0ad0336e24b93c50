//! What is done with tasks that failed for good or were quarantined: one or many are queued again, or discarded. Then
//! they are skipped, with all their attempts, and are dead letters no more.

use std::task::Poll;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::Command;
use mainspring_core::task::Status;
use mainspring_core::values::{Actor, TaskId};

use super::{Caller, Change, Changed, change, task_id};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::OverrideBody;

/// Dead letters acted on with one request.
const IDS_MAX: usize = 1_000;
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
    let (operation, command) = match verb {
        DeadLetterVerb::Requeue => ("requeue", Command::Revive { id, fact: None, over, dead_only: true }),
        DeadLetterVerb::Discard => ("discard", Command::Discard { id, fact: None, over }),
    };
    match change(edge, (id, &format!("{operation} {id}")), command, caller).await? {
        Changed::Now(status) => Ok(status),
        Changed::Stopping => {
            Err(Rejection::Internal { what: "a dead letter was answered with something else" }.into())
        }
    }
}

/// Awaits all of them at once; their outcomes in order.
async fn together<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
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
