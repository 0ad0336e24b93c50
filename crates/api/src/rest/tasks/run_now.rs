//! `POST /v1/tasks/{id}:run-now`: a task that waits for its time, a retry or something outside waits no longer.

use axum::response::Response;
use mainspring_core::command::Command;

use super::super::call::Call;
use crate::edge::Edge;
use crate::problem::Problem;

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, call: &Call) -> Result<Response, Problem> {
    let id = super::id(text)?;
    let command = call.keyed(edge, "run-now", text, Command::RunNow { id })?;
    super::change(edge, id, command, "the task is ready to run").await
}
