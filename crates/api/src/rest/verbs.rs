//! Paths of the form `/v1/tasks/{id}:verb`: the verb is split off here.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;

use super::call::Call;
use super::{tasks, workers};
use crate::edge::Edge;
use crate::problem::Problem;

pub(super) async fn on_task(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let Some((id, verb)) = text.split_once(':') else {
        return Err(Problem::MethodNotAllowed { method: "POST".into() });
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
        return Err(Problem::MethodNotAllowed { method: "POST".into() });
    };
    match verb {
        "cordon" | "drain" => workers::cordon(&edge, id, true).await,
        "uncordon" => workers::cordon(&edge, id, false).await,
        _ => Err(Problem::RouteNotFound { path: request.uri().path().chars().take(200).collect() }),
    }
}
