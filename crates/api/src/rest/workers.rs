//! `/v1/workers`: who works, how full they are; cordon and uncordon.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use super::call::Call;
use super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(super) async fn list(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    operation::workers(&edge, |workers| json(StatusCode::OK, &json!({"workers": workers}))).await
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    operation::worker(&edge, &text, |worker| json(StatusCode::OK, &worker)).await
}

pub(super) async fn cordon(
    edge: &Edge,
    text: &str,
    cordoned: bool,
    call: &Call,
) -> Result<Response, Problem> {
    let worker = operation::cordon(edge, text, cordoned, &call.caller()?).await?;
    Ok(json(StatusCode::OK, &json!({"worker_id": worker.to_string(), "cordoned": cordoned})))
}
