//! `/v1/dead-letters`: tasks that failed for good or were quarantined. One or many can be queued again, or discarded:
//! then they are `SKIPPED`, with all their attempts, and are on this list no more.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::TaskId;
use mainspring_core::task::{Override, Status};
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::Call;
use super::tasks::list::{self, Filter};
use super::tasks::{OverrideBody, id};
use super::{body, json};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::server::RequestId;
use crate::wire::status_word;

/// Dead letters acted on with one request.
const IDS_MAX: usize = 1_000;
/// Of those, sent to the shard together; each may have to be read from the tables first.
const AT_ONCE: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Requeue,
    Discard,
}

pub(super) async fn list(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let mut filter = Filter::parse(request.uri(), &list::PARAMETERS)?;
    filter.statuses.retain(|status| is_dead(*status));
    if filter.statuses.is_empty() {
        filter.statuses = vec![Status::Failed, Status::Quarantined];
    }
    list::answer(&edge, &filter).await
}

fn is_dead(status: Status) -> bool {
    matches!(status, Status::Failed | Status::Quarantined)
}

/// `POST /v1/dead-letters/{id}:requeue` and `:discard`.
pub(super) async fn one(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let path = request.uri().path().chars().take(200).collect();
    let (text, verb) = match text.split_once(':') {
        Some((text, "requeue")) => (text, Verb::Requeue),
        Some((text, "discard")) => (text, Verb::Discard),
        Some(_) => return Err(Problem::RouteNotFound { path }),
        None => return Err(Problem::MethodNotAllowed { method: "POST".into() }),
    };
    let id = id(text)?;
    let call = Call::read(&edge, request).await?;
    let over = body::parse_optional::<OverrideBody>(&call.bytes)?.checked()?;
    Ok(json(StatusCode::OK, &verb.act(&edge, &call, id, over).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManyBody {
    ids: Vec<String>,
    actor: Option<String>,
    reason: Option<String>,
}

pub(super) async fn requeue_many(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    many(&edge, Verb::Requeue, request).await
}

pub(super) async fn discard_many(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    many(&edge, Verb::Discard, request).await
}

/// A result for each, in the order asked; 207 tells that some were refused.
async fn many(edge: &Edge, verb: Verb, request: Request) -> Result<Response, Problem> {
    let request_id = request.extensions().get::<RequestId>().cloned().unwrap_or_default();
    let call = Call::read(edge, request).await?;
    let ManyBody { ids, actor, reason } = body::parse(&call.bytes)?;
    if ids.is_empty() {
        return Err(Problem::field("ids", "name at least one"));
    }
    if ids.len() > IDS_MAX {
        return Err(Problem::TooManyEntries { field: "ids", count: ids.len(), max: IDS_MAX });
    }
    let over = OverrideBody { actor, reason }.checked()?;
    let mut results = Vec::with_capacity(ids.len());
    for some in ids.chunks(AT_ONCE) {
        let acts = some.iter().map(async |text| verb.act(edge, &call, id(text)?, over.clone()).await);
        results.extend(together(acts).await);
    }
    let refused = results.iter().filter(|result| result.is_err()).count();
    let body = json!({
        "results": results
            .into_iter()
            .map(|result| result.unwrap_or_else(|problem| json!(problem.body(request_id.as_str()))))
            .collect::<Vec<Value>>(),
        "done": ids.len() - refused,
        "refused": refused,
    });
    Ok(json(if refused == 0 { StatusCode::OK } else { StatusCode::MULTI_STATUS }, &body))
}

/// Awaits all of them at once; their outcomes in order.
async fn together<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut open = false;
        for (future, outcome) in &mut futures {
            if outcome.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *outcome = Some(value),
                    std::task::Poll::Pending => open = true,
                }
            }
        }
        if open { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    futures.into_iter().filter_map(|(_, outcome)| outcome).collect()
}

impl Verb {
    async fn act(self, edge: &Edge, call: &Call, id: TaskId, over: Override) -> Result<Value, Problem> {
        let (operation, command, done) = match self {
            Self::Requeue => {
                let command = Command::Revive { id, fact: None, over, dead_only: true };
                ("requeue", command, "the task is queued again")
            }
            Self::Discard => {
                ("discard", Command::Discard { id, fact: None, over }, "the task is no dead letter any more")
            }
        };
        let text = id.to_string();
        // With many ids under one key each has a key of its own, so that a call that broke off can be repeated.
        let command = call.keyed(edge, &format!("{operation} {text}"), &text, command)?;
        match edge.gateway.ask(id.slot(), command).await? {
            Answer::Now { status, .. } => {
                Ok(json!({"task_id": text, "status": status_word(status), "message": done}))
            }
            _ => Err(Rejection::Internal { what: "a dead letter was answered with something else" }.into()),
        }
    }
}
