//! `GET /v1/tasks/{id}/diagnosis`: why a task is not running, and what to do about it.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;

use super::super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let id = operation::task_id(&text)?;
    Ok(json(StatusCode::OK, &operation::diagnose(&edge, id).await?))
}
