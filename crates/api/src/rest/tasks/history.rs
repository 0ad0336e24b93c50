//! `GET /v1/tasks/{id}/history`: each change of state that the record of a task tells of.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;

use super::super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::TaskHistory;

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let task = operation::read(&edge, operation::task_id(&text)?).await?;
    let run = operation::flows::run_of(&edge, &task).await;
    Ok(json(StatusCode::OK, &TaskHistory::of(&task, run.as_deref())))
}
