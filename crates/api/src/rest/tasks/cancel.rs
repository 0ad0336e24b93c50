//! `DELETE /v1/tasks/{id}` and `POST /v1/tasks/{id}:cancel`: a waiting task will not run; a running one is stopped
//! with `?force=true`, and left alone without.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use mainspring_core::task::Status;
use serde_json::json;

use super::super::{body, json};
use crate::edge::Edge;
use crate::gateway::now;
use crate::operation::{self, Changed};
use crate::problem::Problem;
use crate::wire::{status_word, written};

pub(in crate::rest) async fn delete(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    verb(&edge, &text, request.uri()).await
}

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, uri: &Uri) -> Result<Response, Problem> {
    let force = match body::query(uri, &["force"])?.get("force").map(String::as_str) {
        None | Some("false" | "0") => false,
        Some("true" | "1" | "") => true,
        Some(_) => return Err(Problem::query("force", "it is `true` or `false`")),
    };
    let id = operation::task_id(text)?;
    let body = match operation::cancel(edge, id, force).await? {
        Changed::Now(_) => json!({
            "task_id": id.to_string(),
            "status": status_word(Status::Cancelled),
            "message": "the task is canceled and will not run",
            "canceled_at": written(now()),
        }),
        Changed::Stopping => json!({
            "task_id": id.to_string(),
            "status": "STOPPING",
            "message": "the worker was asked to stop the task; read it to see how it ended",
        }),
    };
    Ok(json(StatusCode::OK, &body))
}
