//! `GET /v1/tasks/{id}`: one task with its attempts, from memory or from the tables; with `wait` once it has ended.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;

use super::super::{body, json};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::TaskView;

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let wait = body::wait(&body::query(request.uri(), &["wait"])?)?;
    let task = operation::read_ended(&edge, operation::task_id(&text)?, wait).await?;
    Ok(json(StatusCode::OK, &TaskView::of(&task, true)))
}
