//! `/v1/runs`: read runs and act on them.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::values::{RunId, RunStatus};

use super::super::call::Call;
use super::super::{body, json};
use super::limit;
use crate::edge::Edge;
use crate::operation;
use crate::operation::flows::{self, ItemFilter, RunFilterBody};
use crate::problem::Problem;
use crate::wire::{
    ApproveBody, ClearBody, ForceRunBody, Moment, OverrideBody, RerunBody, RerunView, RunChanged, RunPage,
    RunSelectorBody, RunView, TimelineView, instant, parse_run_status, parse_status,
};

pub(in crate::rest) async fn list(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &KNOWN)?;
    let page = flows::list_runs(&edge, filter(&query)?).await?;
    let runs = page.rows.iter().map(RunView::brief).collect();
    let (next_cursor, looked_until) = (page.next.map(|next| next.to_string()), page.looked_until.map(Moment));
    Ok(json(StatusCode::OK, &RunPage { runs, next_cursor, looked_until }))
}

const KNOWN: [&str; 11] = [
    "tenant",
    "job",
    "state",
    "trigger",
    "label",
    "created_from",
    "created_before",
    "limit",
    "cursor",
    "id_prefix",
    "older",
];

fn filter(query: &BTreeMap<String, String>) -> Result<RunFilterBody<'_>, Problem> {
    let text = |key: &str| query.get(key).map(String::as_str);
    let at = |key: &str| text(key).map(|text| instant(key, text)).transpose();
    let words = text("state").into_iter().flat_map(|text| text.split(',')).filter(|word| !word.is_empty());
    let status =
        |word: &str| parse_run_status(word.trim()).ok_or_else(|| Problem::query("state", "unknown state"));
    Ok(RunFilterBody {
        tenant: text("tenant"),
        job: text("job"),
        statuses: words.map(status).collect::<Result<_, _>>()?,
        trigger: text("trigger"),
        label: text("label"),
        created_from: at("created_from")?,
        created_before: at("created_before")?,
        limit: limit(query)?,
        cursor: text("cursor"),
        id_prefix: text("id_prefix"),
        older: body::flag(query, "older")?,
    })
}

pub(in crate::rest) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tasks_offset", "tasks_limit", "wait"])?;
    let number = |key: &'static str| {
        let parsed = query.get(key).map(|text| text.parse());
        parsed.transpose().map_err(|_| Problem::query(key, "not a number"))
    };
    let page = flows::task_page(number("tasks_offset")?, number("tasks_limit")?)?;
    let wait = body::wait(&query)?;
    let run = operation::run_ended(&edge, flows::run_id(&text)?, wait).await?;
    let owner = flows::owner(&edge, &run.run.job).await;
    Ok(json(StatusCode::OK, &RunView { owner, ..RunView::whole(&run, page) }))
}

pub(in crate::rest) async fn diagnosis(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    Ok(json(StatusCode::OK, &flows::diagnose_run(&edge, flows::run_id(&text)?).await?))
}

pub(in crate::rest) async fn timeline(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let found = flows::timeline(&edge, flows::run_id(&text)?).await?;
    Ok(json(StatusCode::OK, &TimelineView::of(&found.seen, &found.timeline)))
}

pub(in crate::rest) async fn items(
    State(edge): State<Arc<Edge>>,
    Path((text, task)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["state", "limit", "cursor"])?;
    let words =
        query.get("state").into_iter().flat_map(|text| text.split(',')).filter(|word| !word.is_empty());
    let state =
        |word: &str| parse_status(word.trim()).ok_or_else(|| Problem::query("state", "unknown state"));
    let filter = ItemFilter {
        states: words.map(state).collect::<Result<_, _>>()?,
        limit: limit(&query)?,
        cursor: query.get("cursor").map(String::as_str),
    };
    let page = flows::items(&edge, flows::run_id(&text)?, &task, &filter).await?;
    Ok(json(StatusCode::OK, &page))
}

pub(in crate::rest) async fn cancel_many(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let call = Call::read(&edge, request).await?;
    let selector: RunSelectorBody = body::parse(&call.bytes)?;
    let view = flows::cancel_runs(&edge, &selector, &call.caller()?).await?;
    Ok(json(StatusCode::OK, &view))
}

/// `POST /v1/runs/{id}:cancel`, `:pause`, `:resume`, `:rerun`, `:approve`, `:reject`, `:clear`, `:force-state`, `:reevaluate`.
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
            let over = body::parse_optional(&call.bytes)?;
            let status = flows::cancel_run(&edge, id, &over, &caller).await?;
            (status, "the run is cancelled; what runs is asked to stop")
        }
        "pause" => {
            let over = body::parse_optional(&call.bytes)?;
            (flows::pause_run(&edge, id, true, &over, &caller).await?, "nothing more of it starts")
        }
        "resume" => {
            let over = body::parse_optional(&call.bytes)?;
            (flows::pause_run(&edge, id, false, &over, &caller).await?, "the run goes on")
        }
        "approve" | "reject" => {
            let body: ApproveBody = body::parse_optional(&call.bytes)?;
            let approved = verb == "approve";
            let message = if approved { "the task is approved" } else { "the task is rejected" };
            (flows::approve_run(&edge, id, approved, &body, &caller).await?, message)
        }
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
            let (run_id, rerun_of) = (new.id.to_string(), id.to_string());
            let answer = RerunView { run_id, rerun_of, warnings: new.warnings };
            return Ok(json(StatusCode::ACCEPTED, &answer));
        }
        _ => return Err(Problem::RouteNotFound { path: call.uri.path().chars().take(200).collect() }),
    };
    Ok(acted(id, status, message))
}

fn acted(id: RunId, status: RunStatus, message: &'static str) -> Response {
    let state = status.label();
    json(StatusCode::OK, &RunChanged { run_id: id.to_string(), state, message })
}
