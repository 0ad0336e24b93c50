//! `POST /v1/tasks/{id}:run-now`: a task that waits for its time, a retry or something outside waits no longer.

use axum::response::Response;

use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(in crate::rest) async fn verb(edge: &Edge, text: &str) -> Result<Response, Problem> {
    let id = operation::task_id(text)?;
    Ok(super::changed(id, operation::run_now(edge, id).await?, "the task is ready to run"))
}
