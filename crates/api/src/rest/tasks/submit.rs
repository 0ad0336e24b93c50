//! `POST /v1/tasks`: accept one task. The answer leaves when the task is durable.

use std::io::Write;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderValue, StatusCode};

use super::super::{body, json_bytes};
use crate::edge::Edge;
use crate::operation::{self, Accepted};
use crate::problem::Problem;
use crate::wire::{TaskBody, status_word, written};

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, content) = request.into_parts();
    let bytes = body::read(content, edge.config.body_bytes_max).await?;
    let submit = {
        let task: TaskBody<'_> = body::parse(&bytes)?;
        operation::prepare(&edge, &task, body::keys(&parts.headers)?)?
    };
    drop(bytes);
    let accepted = operation::submit(&edge, submit).await?;
    let mut text = Vec::with_capacity(160);
    write(&accepted, &mut text);
    let mut response = json_bytes(StatusCode::ACCEPTED, text);
    if accepted.duplicate {
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// By hand: nothing in it needs escaping.
pub(super) fn write(accepted: &Accepted, text: &mut Vec<u8>) {
    let (id, status, created) = (accepted.id, status_word(accepted.status), written(accepted.created()));
    // Writing to memory cannot fail.
    let _ = write!(text, r#"{{"task_id":"{id}","status":"{status}","created_at":"{created}"}}"#);
}
