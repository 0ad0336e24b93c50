//! `/v1/dead-letters`: tasks that failed for good or were quarantined. One or many can be queued again, or discarded:
//! then they are `skipped`, with all their attempts, and are on this list no more.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::task::Status;
use mainspring_core::values::TaskId;

use super::call::Call;
use super::tasks::list;
use super::{body, json};
use crate::edge::Edge;
use crate::operation::flows::Owners;
use crate::operation::{self, DeadLetterVerb, FilterBody, task_id};
use crate::problem::Problem;
use crate::server::RequestId;
use crate::wire::{
    DeadLettersBody, GroupPage, GroupView, ManyResult, Moment, OverrideBody, SettledView, TaskChanged,
    TaskView, instant,
};

pub(super) async fn list(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let found = operation::dead_letters(&edge, list::filter(request.uri())?).await?;
    let mut owners = Owners::default();
    let mut tasks = Vec::with_capacity(found.rows.len());
    for task in &found.rows {
        let owner = owners.of(&edge, &task.profile.tenant, &task.profile.job).await;
        tasks.push(TaskView { owner, ..TaskView::of(task, false) });
    }
    Ok(list::answer(tasks, &found))
}

pub(super) async fn groups(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant", "job", "label", "ended_from", "ended_before"])?;
    let named = |name: &str| query.get(name).map(String::as_str);
    let at = |name: &str| named(name).map(|text| instant(name, text)).transpose();
    let (tenant, job, label) = (named("tenant"), named("job"), named("label"));
    let (ended_from, ended_before) = (at("ended_from")?, at("ended_before")?);
    let filter = FilterBody { tenant, job, label, ended_from, ended_before, ..FilterBody::default() };
    let (groups, more) = operation::dead_letter_groups(&edge, filter).await?;
    let view = |group: operation::Group| GroupView {
        fingerprint: group.fingerprint,
        tenant: group.tenant,
        job: group.job,
        owner: group.owner,
        class: group.class,
        code: group.code,
        message: group.message,
        count: group.count,
        in_runs: group.in_runs,
        first_at: Moment(group.first),
        last_at: Moment(group.last),
        sample_task_id: group.newest.to_string(),
    };
    Ok(json(StatusCode::OK, &GroupPage { groups: groups.into_iter().map(view).collect(), more }))
}

/// `POST /v1/dead-letters/{id}:requeue` and `:discard`.
pub(super) async fn one(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let path = request.uri().path().chars().take(200).collect();
    let (text, verb) = match text.split_once(':') {
        Some((text, "requeue")) => (text, DeadLetterVerb::Requeue),
        Some((text, "discard")) => (text, DeadLetterVerb::Discard),
        Some(_) => return Err(Problem::RouteNotFound { path }),
        None => return Err(Problem::MethodNotAllowed { method: "POST".into() }),
    };
    let id = task_id(text)?;
    let call = Call::read(&edge, request).await?;
    let over: OverrideBody = body::parse_optional(&call.bytes)?;
    let status = operation::settle(&edge, verb, id, &over, &call.caller()?).await?;
    Ok(json(StatusCode::OK, &settled(verb, id, status)))
}

pub(super) async fn requeue_many(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    many(&edge, DeadLetterVerb::Requeue, request).await
}

pub(super) async fn discard_many(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    many(&edge, DeadLetterVerb::Discard, request).await
}

/// 207 tells that some were refused.
async fn many(edge: &Edge, verb: DeadLetterVerb, request: Request) -> Result<Response, Problem> {
    let request_id = request.extensions().get::<RequestId>().cloned().unwrap_or_default();
    let call = Call::read(edge, request).await?;
    let DeadLettersBody { ids, fingerprint, actor, reason } = body::parse(&call.bytes)?;
    let ids = operation::ids_meant(edge, ids, fingerprint.as_deref()).await?;
    let over = OverrideBody { actor, reason };
    let results = operation::settle_many(edge, verb, &ids, &over, &call.caller()?).await?;
    let refused = results.iter().filter(|result| result.is_err()).count();
    let written = |result: Result<(TaskId, Status), Problem>| match result {
        Ok((id, status)) => SettledView::Done(settled(verb, id, status)),
        Err(problem) => SettledView::Refused(problem.body(request_id.as_str())),
    };
    let results = results.into_iter().map(written).collect();
    let body = ManyResult { results, done: ids.len() - refused, refused };
    Ok(json(if refused == 0 { StatusCode::OK } else { StatusCode::MULTI_STATUS }, &body))
}

fn settled(verb: DeadLetterVerb, id: TaskId, status: Status) -> TaskChanged {
    let done = match verb {
        DeadLetterVerb::Requeue => "the task is queued again",
        DeadLetterVerb::Discard => "the task is no dead letter any more",
    };
    TaskChanged::of(&id, Some(status), done)
}
