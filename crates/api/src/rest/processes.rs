//! `GET /v1/processes/{id}`: how far big work has come.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;

use super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::ProcessView;

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    Ok(json(StatusCode::OK, &ProcessView::of(operation::process(&edge, &text).await?)))
}
