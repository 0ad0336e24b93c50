//! `/v1/system`: the server itself.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(super) async fn handle(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    Ok(json(StatusCode::OK, &operation::system(&edge).await?))
}
