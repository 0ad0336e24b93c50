//! `POST /v1/tasks/{id}:run-now`: a task that waits for its time, a retry or something outside waits no longer.

use axum::response::Response;

use super::super::body;
use super::super::call::Call;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, call: &Call) -> Result<Response, Problem> {
    let id = operation::task_id(text)?;
    let changed = operation::run_now(edge, id, &body::parse_optional(&call.bytes)?, &call.caller()?).await?;
    Ok(super::changed(id, changed, "the task is ready to run"))
}
