//! `/v1/runs`: read runs and act on them.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use mainspring_core::id::RunId;
use mainspring_core::workflow::RunStatus;
use mainspring_store::PAGE_MAX;
use serde_json::json;

use super::super::call::Call;
use super::super::{body, json};
use super::limit;
use crate::edge::Edge;
use crate::operation;
use crate::operation::flows::{self, RunFilter};
use crate::problem::Problem;
use crate::wire::{
    ClearBody, ForceRunBody, OverrideBody, RerunBody, RunSelectorBody, RunView, TaskPage, instant, name,
    parse_run_status, parse_trigger, run_status_word,
};

/// Tasks shown with a run unless more are asked for, and at most.
const TASKS_DEFAULT: usize = 1_000;
const TASKS_MAX: usize = 10_000;

pub(in crate::rest) async fn list(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let (runs, next) = flows::list_runs(&edge, filter(request.uri())?).await?;
    let views: Vec<RunView<'_>> = runs.iter().map(|run| RunView::brief(run)).collect();
    let mut page = json!({"runs": views});
    if let Some(next) = next {
        page["next_cursor"] = next.to_string().into();
    }
    Ok(json(StatusCode::OK, &page))
}

fn filter(uri: &Uri) -> Result<RunFilter, Problem> {
    const KNOWN: [&str; 9] =
        ["tenant", "job", "state", "trigger", "label", "created_from", "created_before", "limit", "cursor"];
    let query = body::query(uri, &KNOWN)?;
    let text = |key: &str| query.get(key).map(String::as_str);
    let at = |key: &str| text(key).map(|text| instant(key, text)).transpose();
    let words = text("state").into_iter().flat_map(|text| text.split(',')).filter(|word| !word.is_empty());
    let status =
        |word: &str| parse_run_status(word.trim()).ok_or_else(|| Problem::query("state", "unknown state"));
    let cursor =
        |text: &str| text.parse().map_err(|_| Problem::query("cursor", "not one that an answer gave"));
    Ok(RunFilter {
        tenant: text("tenant").map(|text| name("tenant", text)).transpose()?,
        job: text("job").map(|text| name("job", text)).transpose()?,
        statuses: words.map(status).collect::<Result<_, _>>()?,
        trigger: text("trigger")
            .map(|word| parse_trigger(word).ok_or_else(|| Problem::query("trigger", "unknown")))
            .transpose()?,
        label: text("label").map(operation::label).transpose()?,
        created_from: at("created_from")?,
        created_before: at("created_before")?,
        after: text("cursor").map(cursor).transpose()?,
        limit: limit(&query, PAGE_MAX - 1)?,
    })
}

pub(in crate::rest) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tasks_offset", "tasks_limit"])?;
    let number = |key: &'static str, usual: usize| match query.get(key) {
        None => Ok(usual),
        Some(text) => text.parse().map_err(|_| Problem::query(key, "not a number")),
    };
    let page = TaskPage { offset: number("tasks_offset", 0)?, limit: number("tasks_limit", TASKS_DEFAULT)? };
    if page.limit > TASKS_MAX {
        return Err(Problem::PageTooLong { limit: page.limit, max: TASKS_MAX });
    }
    let run = flows::run(&edge, flows::run_id(&text)?).await?;
    Ok(json(StatusCode::OK, &RunView::whole(&run, page)))
}

pub(in crate::rest) async fn cancel_many(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let call = Call::read(&edge, request).await?;
    let selector: RunSelectorBody = body::parse(&call.bytes)?;
    let cancelled = flows::cancel_runs(&edge, &selector).await?;
    Ok(json(StatusCode::OK, &json!({"canceled": cancelled})))
}

/// `POST /v1/runs/{id}:cancel`, `:pause`, `:resume`, `:rerun`, `:clear`, `:force-state`, `:reevaluate`.
pub(in crate::rest) async fn verb(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let Some((id, verb)) = text.split_once(':') else {
        return Ok(super::super::no_method(request).await);
    };
    let id = flows::run_id(id)?;
    let call = Call::read(&edge, request).await?;
    let caller = call.caller()?;
    let (status, message) = match verb {
        "cancel" => {
            (flows::cancel_run(&edge, id, &caller).await?, "the run is canceled; what runs is asked to stop")
        }
        "pause" => (flows::pause_run(&edge, id, true, &caller).await?, "nothing more of it starts"),
        "resume" => (flows::pause_run(&edge, id, false, &caller).await?, "the run goes on"),
        "clear" => {
            let body: ClearBody = body::parse_optional(&call.bytes)?;
            (
                flows::clear_run(&edge, id, &body, &caller).await?,
                "the tasks and what follows from them run again",
            )
        }
        "force-state" => {
            let ForceRunBody { state, actor, reason } = body::parse(&call.bytes)?;
            let status =
                parse_run_status(&state).ok_or_else(|| Problem::field("state", "there is no such state"))?;
            let over = OverrideBody { actor, reason };
            (
                flows::force_run(&edge, id, status, &over, &caller).await?,
                "the run ends so once what runs has stopped",
            )
        }
        "reevaluate" => {
            let over: OverrideBody = body::parse_optional(&call.bytes)?;
            (flows::reevaluate_run(&edge, id, &over, &caller).await?, "the run is looked at again")
        }
        "rerun" => {
            let body: RerunBody = body::parse_optional(&call.bytes)?;
            let new = flows::rerun(&edge, id, &body, &caller).await?;
            let answer = json!({"run_id": new.to_string(), "rerun_of": id.to_string()});
            return Ok(json(StatusCode::ACCEPTED, &answer));
        }
        _ => return Err(Problem::RouteNotFound { path: call.uri.path().chars().take(200).collect() }),
    };
    Ok(acted(id, status, message))
}

fn acted(id: RunId, status: RunStatus, message: &str) -> Response {
    json(
        StatusCode::OK,
        &json!({"run_id": id.to_string(), "state": run_status_word(status), "message": message}),
    )
}
