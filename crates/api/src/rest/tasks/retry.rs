//! `POST /v1/tasks/{id}:retry`: queue an ended task again, with a fresh budget of retries.

use axum::response::Response;
use mainspring_core::command::Command;

use super::super::body;
use super::super::call::Call;
use super::OverrideBody;
use crate::edge::Edge;
use crate::problem::Problem;

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, call: &Call) -> Result<Response, Problem> {
    let id = super::id(text)?;
    let over = body::parse_optional::<OverrideBody>(&call.bytes)?.checked()?;
    let command = Command::Revive { id, fact: None, over, dead_only: false };
    super::change(edge, id, call.keyed(edge, "retry", text, command)?, "the task is queued again").await
}
