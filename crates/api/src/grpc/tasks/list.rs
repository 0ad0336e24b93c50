//! `TaskService.List`, and the pages of `DeadLetterService.List`.

use mainspring_core::task::Task;
use mainspring_core::values::Wall;
use mainspring_proto::v1;
use prost_types::Timestamp;

use super::super::time::{instant, timestamp};
use super::{parse_status, view};
use crate::edge::Edge;
use crate::operation::flows::{self, ItemFilter};
use crate::operation::{self, Cursor, Filter, FilterBody, Listed};
use crate::problem::Problem;

pub(super) async fn list(
    edge: &Edge,
    request: &v1::ListTasksRequest,
) -> Result<v1::ListTasksResponse, Problem> {
    match (request.id_prefix.as_deref(), request.run_id.as_deref()) {
        (Some(prefix), _) => with_prefix(edge, prefix, request).await,
        (None, Some(run)) => of_run(edge, run, request).await,
        (None, None) => Ok(page(&operation::list(edge, &filter(request)?).await?)),
    }
}

async fn of_run(
    edge: &Edge,
    run: &str,
    request: &v1::ListTasksRequest,
) -> Result<v1::ListTasksResponse, Problem> {
    let v1::ListTasksRequest { run_id, states, limit, cursor, .. } = request.clone();
    let only = v1::ListTasksRequest { run_id, states, limit, cursor, ..v1::ListTasksRequest::default() };
    if *request != only {
        let what = "it goes with `state`, `limit` and `cursor` and nothing else";
        return Err(Problem::query("run_id", what));
    }
    let state = |number: &i32| parse_status(*number).ok_or_else(|| Problem::query("state", "unknown state"));
    let filter = ItemFilter {
        states: request.states.iter().map(state).collect::<Result<_, _>>()?,
        limit: request.limit.map(|limit| limit as usize),
        cursor: request.cursor.as_deref(),
    };
    let found = flows::tasks_of_run(edge, flows::run_id(run)?, &filter).await?;
    let tasks = found.tasks.iter().map(|task| view::task(task, false, Some(&found.run))).collect();
    Ok(v1::ListTasksResponse { tasks, next_cursor: found.next_cursor, looked_until: None })
}

async fn with_prefix(
    edge: &Edge,
    prefix: &str,
    request: &v1::ListTasksRequest,
) -> Result<v1::ListTasksResponse, Problem> {
    let (id_prefix, tenant, limit) = (request.id_prefix.clone(), request.tenant.clone(), request.limit);
    if *request != (v1::ListTasksRequest { id_prefix, tenant, limit, ..v1::ListTasksRequest::default() }) {
        return Err(Problem::query("id_prefix", "it goes with `tenant` and `limit` and nothing else"));
    }
    let limit = limit.map(|limit| limit as usize);
    let tasks = operation::with_prefix(edge, (prefix, request.tenant.as_deref()), limit).await?;
    let tasks = tasks.iter().map(|task| view::task(task, false, None)).collect();
    Ok(v1::ListTasksResponse { tasks, next_cursor: None, looked_until: None })
}

pub(in crate::grpc) fn page(page: &Listed<Task, Cursor>) -> v1::ListTasksResponse {
    v1::ListTasksResponse {
        tasks: page.rows.iter().map(|task| view::task(task, false, None)).collect(),
        next_cursor: page.next.map(|cursor| cursor.to_string()),
        looked_until: page.looked_until.map(timestamp),
    }
}

/// An instant of a filter.
pub(in crate::grpc) fn at(parameter: &str, at: Option<&Timestamp>) -> Result<Option<Wall>, Problem> {
    at.map(|at| instant(at).map(|at| at.0).map_err(|what| Problem::query(parameter, what))).transpose()
}

pub(in crate::grpc) fn filter(request: &v1::ListTasksRequest) -> Result<Filter, Problem> {
    let status = |number: &i32| parse_status(*number).ok_or_else(|| Problem::query("state", "unknown state"));
    let body = FilterBody {
        tenant: request.tenant.as_deref(),
        job: request.job.as_deref(),
        statuses: request.states.iter().map(status).collect::<Result<_, _>>()?,
        worker: request.worker.as_deref(),
        label: request.label.as_deref(),
        pool: request.pool.as_deref(),
        reason: request.reason.as_deref(),
        limit_name: request.limit_name.as_deref(),
        created_from: at("created_from", request.created_from.as_ref())?,
        created_before: at("created_before", request.created_before.as_ref())?,
        ended_from: at("ended_from", request.ended_from.as_ref())?,
        ended_before: at("ended_before", request.ended_before.as_ref())?,
        limit: request.limit.map(|limit| limit as usize),
        cursor: request.cursor.as_deref(),
        older: request.older,
    };
    body.checked()
}
