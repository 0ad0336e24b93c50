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
use crate::operation::{self, Filter, FilterBody};
use crate::problem::Problem;
use crate::wire::{TaskListPage, TaskView, instant, parse_status};

const PARAMETERS: [&str; 12] = [
    "tenant",
    "job",
    "state",
    "worker",
    "label",
    "created_from",
    "ended_from",
    "ended_before",
    "limit",
    "cursor",
    "status",
    "older",
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
    let (tasks, next) = operation::list(&edge, &filter(request.uri())?).await?;
    Ok(page(&tasks, next.map(|cursor| cursor.to_string())))
}

fn has(uri: &Uri, parameter: &str) -> bool {
    let mut names = uri.query().unwrap_or_default().split('&').map(|pair| pair.split('=').next());
    names.any(|name| name == Some(parameter))
}

async fn with_prefix(edge: &Edge, uri: &Uri) -> Result<Response, Problem> {
    let query = body::query(uri, &["id_prefix", "tenant", "limit"])?;
    let prefix = query.get("id_prefix").map_or("", String::as_str);
    let tenant = query.get("tenant").map(String::as_str);
    Ok(page(&operation::with_prefix(edge, (prefix, tenant), limit(&query)?).await?, None))
}

async fn of_run(edge: &Edge, uri: &Uri) -> Result<Response, Problem> {
    let query = body::query(uri, &["run_id", "state", "status", "limit", "cursor"])?;
    let run = flows::run_id(query.get("run_id").map_or("", String::as_str))?;
    let cursor = query.get("cursor").map(String::as_str);
    let filter = ItemFilter { states: statuses(&query)?, limit: limit(&query)?, cursor };
    let found = flows::tasks_of_run(edge, run, &filter).await?;
    let tasks = found.tasks.iter().map(|task| TaskView::of(task, false).named(Some(&found.run))).collect();
    Ok(json(StatusCode::OK, &TaskListPage { tasks, next_cursor: found.next_cursor }))
}

pub(in crate::rest) fn page(tasks: &[Task], next_cursor: Option<String>) -> Response {
    let tasks = tasks.iter().map(|task| TaskView::of(task, false)).collect();
    json(StatusCode::OK, &TaskListPage { tasks, next_cursor })
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
        created_from: at("created_from")?,
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
