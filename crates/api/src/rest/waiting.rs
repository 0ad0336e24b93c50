//! `/v1/waiting`: what queued tasks wait for, and how fast their queues are worked off.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(super) async fn list(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    Ok(json(StatusCode::OK, &operation::waiting(&edge).await?))
}
