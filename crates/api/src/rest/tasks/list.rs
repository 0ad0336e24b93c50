//! `GET /v1/tasks`: a page of tasks by filter, or with `id_prefix` the few tasks whose id begins so.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use mainspring_core::task::{Status, Task};

use super::super::{body, json};
use crate::edge::Edge;
use crate::operation::flows::{self, ItemFilter};
use crate::operation::{self, Cursor, Filter, FilterBody, Listed};
use crate::problem::Problem;
use crate::wire::{Moment, TaskListPage, TaskView, instant, parse_status};

const PARAMETERS: [&str; 16] = [
    "tenant",
    "job",
    "state",
    "worker",
    "label",
    "created_from",
    "created_before",
    "ended_from",
    "ended_before",
    "limit",
    "cursor",
    "status",
    "older",
    "pool",
    "reason",
    "limit_name",
];

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    if has(request.uri(), "id_prefix") {
        return with_prefix(&edge, request.uri()).await;
    }
    if has(request.uri(), "run_id") {
        return of_run(&edge, request.uri()).await;
    }
    Ok(page(&operation::list(&edge, &filter(request.uri())?).await?))
}

fn has(uri: &Uri, parameter: &str) -> bool {
    let mut names = uri.query().unwrap_or_default().split('&').map(|pair| pair.split('=').next());
    names.any(|name| name == Some(parameter))
}

async fn with_prefix(edge: &Edge, uri: &Uri) -> Result<Response, Problem> {
    let query = body::query(uri, &["id_prefix", "tenant", "limit"])?;
    let prefix = query.get("id_prefix").map_or("", String::as_str);
    let tenant = query.get("tenant").map(String::as_str);
    let rows = operation::with_prefix(edge, (prefix, tenant), limit(&query)?).await?;
    Ok(page(&Listed { rows, next: None, looked_until: None }))
}

async fn of_run(edge: &Edge, uri: &Uri) -> Result<Response, Problem> {
    let query = body::query(uri, &["run_id", "state", "status", "limit", "cursor"])?;
    let run = flows::run_id(query.get("run_id").map_or("", String::as_str))?;
    let cursor = query.get("cursor").map(String::as_str);
    let filter = ItemFilter { states: statuses(&query)?, limit: limit(&query)?, cursor };
    let found = flows::tasks_of_run(edge, run, &filter).await?;
    let tasks = found.tasks.iter().map(|task| TaskView::of(task, false).named(Some(&found.run))).collect();
    let page = TaskListPage { tasks, next_cursor: found.next_cursor, looked_until: None };
    Ok(json(StatusCode::OK, &page))
}

pub(in crate::rest) fn page(page: &Listed<Task, Cursor>) -> Response {
    answer(page.rows.iter().map(|task| TaskView::of(task, false)).collect(), page)
}

/// These views of the rows of a page.
pub(in crate::rest) fn answer(tasks: Vec<TaskView<'_>>, page: &Listed<Task, Cursor>) -> Response {
    let next_cursor = page.next.map(|cursor| cursor.to_string());
    let looked_until = page.looked_until.map(Moment);
    json(StatusCode::OK, &TaskListPage { tasks, next_cursor, looked_until })
}

pub(in crate::rest) fn filter(uri: &Uri) -> Result<Filter, Problem> {
    let query = body::query(uri, &PARAMETERS)?;
    let text = |key: &str| query.get(key).map(String::as_str);
    let at = |key: &str| text(key).map(|text| instant(key, text)).transpose();
    let body = FilterBody {
        tenant: text("tenant"),
        job: text("job"),
        statuses: statuses(&query)?,
        worker: text("worker"),
        label: text("label"),
        pool: text("pool"),
        reason: text("reason"),
        limit_name: text("limit_name"),
        created_from: at("created_from")?,
        created_before: at("created_before")?,
        ended_from: at("ended_from")?,
        ended_before: at("ended_before")?,
        limit: limit(&query)?,
        cursor: text("cursor"),
        older: body::flag(&query, "older")?,
    };
    body.checked()
}

fn limit(query: &BTreeMap<String, String>) -> Result<Option<usize>, Problem> {
    let parse = |text: &String| text.parse().map_err(|_| Problem::query("limit", "not a number"));
    query.get("limit").map(parse).transpose()
}

/// `state` goes before `status`, and both are checked.
fn statuses(query: &BTreeMap<String, String>) -> Result<Vec<Status>, Problem> {
    let (states, same) = (parse_statuses(query, "state")?, parse_statuses(query, "status")?);
    Ok(if query.contains_key("state") { states } else { same })
}

/// One or several, with commas.
fn parse_statuses(query: &BTreeMap<String, String>, field: &'static str) -> Result<Vec<Status>, Problem> {
    let words = query.get(field).map(|text| text.split(',')).into_iter().flatten();
    let parse = |word: &str| parse_status(word.trim()).ok_or_else(|| Problem::query(field, "unknown state"));
    words.filter(|word| !word.is_empty()).map(parse).collect()
}
