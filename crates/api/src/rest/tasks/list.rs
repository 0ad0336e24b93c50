//! `GET /v1/tasks`: unfinished tasks from memory, then ended ones from history, newest first. Parked tasks (due far
//! ahead) are in neither and are found by id only.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use mainspring_core::task::Status;
use serde::Serialize;

use super::super::{body, json};
use crate::edge::Edge;
use crate::operation::{self, Filter, FilterBody};
use crate::problem::Problem;
use crate::wire::{TaskView, instant, parse_status};

const PARAMETERS: [&str; 10] =
    ["tenant", "job", "state", "worker", "label", "ended_from", "ended_before", "limit", "cursor", "status"];

#[derive(Serialize)]
struct Page<'a> {
    tasks: Vec<TaskView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    answer(&edge, &filter(request.uri())?).await
}

pub(in crate::rest) async fn answer(edge: &Edge, filter: &Filter) -> Result<Response, Problem> {
    let (tasks, next) = operation::list(edge, filter).await?;
    let views = tasks.iter().map(|task| TaskView::of(task, false)).collect();
    let page = Page { tasks: views, next_cursor: next.map(|cursor| cursor.to_string()) };
    Ok(json(StatusCode::OK, &page))
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
        ended_from: at("ended_from")?,
        ended_before: at("ended_before")?,
        limit: text("limit")
            .map(|text| text.parse().map_err(|_| Problem::query("limit", "not a number")))
            .transpose()?,
        cursor: text("cursor"),
    };
    body.checked()
}

/// One or several, with commas.
fn statuses(query: &BTreeMap<String, String>) -> Result<Vec<Status>, Problem> {
    let text = query.get("state").or_else(|| query.get("status"));
    let words = text.map(|text| text.split(',')).into_iter().flatten().filter(|word| !word.is_empty());
    let parse =
        |word: &str| parse_status(word.trim()).ok_or_else(|| Problem::query("state", "unknown state"));
    words.map(parse).collect()
}
