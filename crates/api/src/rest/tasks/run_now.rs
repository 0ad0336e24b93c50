//! `POST /v1/tasks/{id}:run-now`: a task that waits for its time, a retry or something outside waits no longer.

use axum::response::Response;
use mainspring_core::command::Command;

use crate::edge::Edge;
use crate::problem::Problem;

pub(in crate::rest) async fn verb(edge: &Edge, text: &str) -> Result<Response, Problem> {
    let id = super::id(text)?;
    super::change(edge, id, Command::RunNow { id }, "the task is ready to run").await
}
