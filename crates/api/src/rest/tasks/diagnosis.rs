//! `GET /v1/tasks/{id}/diagnosis`: why a task is not running, and what to do about it.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::question::{Diagnosis, Question, Standing};
use serde::Serialize;

use super::super::json;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{status_word, written};

#[derive(Serialize)]
struct DiagnosisView {
    task_id: String,
    status: &'static str,
    /// A word for programs.
    reason: &'static str,
    message: String,
    advice: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_in_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<String>,
}

impl DiagnosisView {
    fn of(diagnosis: &Diagnosis) -> Self {
        let standing = &diagnosis.standing;
        let (due_at, due_in_ms, worker) = match standing {
            Standing::WaitsForTime { due } => (Some(written(*due)), None, None),
            Standing::Backoff { left, .. } | Standing::Deferred { left } => (None, Some(left.get()), None),
            Standing::Held { worker, .. } => (None, None, Some(worker.to_string())),
            Standing::Waits(_) | Standing::Ended => (None, None, None),
        };
        Self {
            task_id: diagnosis.id.to_string(),
            status: status_word(diagnosis.status),
            reason: standing.label(),
            message: standing.to_string(),
            advice: standing.advice(),
            due_at,
            due_in_ms,
            worker,
        }
    }
}

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let id = super::id(&text)?;
    match edge.gateway.ask(id.slot(), Command::Ask(Question::Why { id })).await? {
        Answer::Diagnosis(diagnosis) => Ok(json(StatusCode::OK, &DiagnosisView::of(&diagnosis))),
        _ => Err(Rejection::Internal { what: "a diagnosis was answered with something else" }.into()),
    }
}
