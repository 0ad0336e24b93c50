//! `POST /v1/tasks/{id}:retry`: queue an ended task again, with a fresh budget of retries.

use axum::response::Response;

use super::super::body;
use super::super::call::Call;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, call: &Call) -> Result<Response, Problem> {
    let id = operation::task_id(text)?;
    let over: OverrideBody = body::parse_optional(&call.bytes)?;
    let changed = operation::retry(edge, id, &over, &call.caller()?).await?;
    Ok(super::changed(id, changed, "the task is queued again"))
}
