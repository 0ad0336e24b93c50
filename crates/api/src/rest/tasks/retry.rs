//! `POST /v1/tasks/{id}:retry`: queue an ended task again, with a fresh budget of retries.

use axum::extract::Request;
use axum::response::Response;
use mainspring_core::command::Command;

use super::super::body;
use super::OverrideBody;
use crate::edge::Edge;
use crate::problem::Problem;

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, request: Request) -> Result<Response, Problem> {
    let id = super::id(text)?;
    let bytes = body::read(request.into_body(), edge.config.body_bytes_max).await?;
    let over = body::parse_optional::<OverrideBody>(&bytes)?.checked()?;
    super::change(edge, id, Command::Revive { id, fact: None, over }, "the task is queued again").await
}
