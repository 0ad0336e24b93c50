//! `GET /v1/operations/{id}`: how far big work has come.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;

use super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::OperationView;

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    Ok(json(StatusCode::OK, &OperationView::of(operation::operation(&edge, &text).await?)))
}
