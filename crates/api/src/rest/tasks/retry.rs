//! `POST /v1/tasks/{id}:retry`: queue an ended task again, with a fresh budget of retries.

use axum::extract::Request;
use axum::response::Response;

use super::super::body;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, request: Request) -> Result<Response, Problem> {
    let id = operation::task_id(text)?;
    let bytes = body::read(request.into_body(), edge.config.body_bytes_max).await?;
    let over: OverrideBody = body::parse_optional(&bytes)?;
    Ok(super::changed(id, operation::retry(edge, id, &over).await?, "the task is queued again"))
}
