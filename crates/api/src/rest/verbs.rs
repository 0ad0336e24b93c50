//! Paths of the form `/v1/tasks/{id}:verb`: the verb is split off here.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use mainspring_core::worker::Availability;

use super::call::Call;
use super::{tasks, workers};
use crate::edge::Edge;
use crate::problem::Problem;

/// What a path of this form takes. To the router one with a verb and one without are the same.
pub(super) fn allowed(path: &str) -> Option<&'static str> {
    let (of, last) = path.strip_prefix("/v1/")?.split_once('/')?;
    if let ("schedules", Some((_, name))) = (of, last.split_once('/')) {
        return match (name.ends_with("/history"), name.contains(':')) {
            (true, _) => Some("GET,HEAD"),
            (false, true) => Some("POST"),
            (false, false) => Some("GET,HEAD,PUT,DELETE"),
        };
    }
    match (of, last.contains(':'), last.contains('/')) {
        ("tasks" | "workers" | "jobs" | "runs" | "backfills" | "operations", true, false) => Some("POST"),
        ("tasks", false, false) => Some("GET,HEAD,DELETE,PATCH"),
        ("jobs", false, false) => Some("GET,HEAD,DELETE"),
        ("workers" | "runs" | "backfills" | "operations", false, false) => Some("GET,HEAD"),
        _ => None,
    }
}

pub(super) async fn on_task(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let Some((id, verb)) = text.split_once(':') else {
        return Ok(super::no_method(request).await);
    };
    let call = Call::read(&edge, request).await?;
    match verb {
        "cancel" => tasks::cancel::verb(&edge, id, &call).await,
        "retry" => tasks::retry::verb(&edge, id, &call).await,
        "force-state" => tasks::force_state::verb(&edge, id, &call).await,
        "run-now" => tasks::run_now::verb(&edge, id, &call).await,
        _ => Err(Problem::RouteNotFound { path: call.uri.path().chars().take(200).collect() }),
    }
}

pub(super) async fn on_worker(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let Some((id, verb)) = text.split_once(':') else {
        return Ok(super::no_method(request).await);
    };
    let call = Call::read(&edge, request).await?;
    match verb {
        "cordon" => workers::cordon(&edge, id, Availability::Cordoned, &call).await,
        "drain" => workers::cordon(&edge, id, Availability::Draining, &call).await,
        "uncordon" => workers::cordon(&edge, id, Availability::Open, &call).await,
        _ => Err(Problem::RouteNotFound { path: call.uri.path().chars().take(200).collect() }),
    }
}
