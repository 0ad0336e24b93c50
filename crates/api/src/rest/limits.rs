//! `/v1/limits`: named limits, who holds a place and how many wait for one.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(super) async fn list(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    Ok(json(StatusCode::OK, &operation::limits(&edge).await?))
}
