//! `POST /v1/tasks`: accept one task. The answer leaves when the task is durable.

use std::io::Write;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderValue, StatusCode};
use mainspring_core::task::Status;
use serde_json::json;

use super::super::{body, json, json_bytes};
use crate::edge::Edge;
use crate::operation::schedules::{self, Recurring};
use crate::operation::{self, Accepted, Caller};
use crate::problem::Problem;
use crate::wire::{Keys, Moment, RecurringView, TaskBody, timer_word, written};

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, content) = request.into_parts();
    let bytes = body::read(content, edge.config.body_bytes_max).await?;
    let keys = Keys::of(&parts.headers)?;
    let submit = {
        let task: TaskBody<'_> = body::parse(&bytes)?;
        if task.recurs() {
            let query = parts.uri.query().unwrap_or_default().as_bytes();
            let caller = Caller { keys, request: [query, bytes.trim_ascii()], seen: None };
            return recurring(&edge, &task, &caller).await;
        }
        operation::prepare(&edge, &task, keys)?
    };
    drop(bytes);
    let accepted = operation::submit(&edge, submit, keys).await?;
    let mut text = Vec::with_capacity(160);
    write(&accepted, &mut text);
    let mut response = json_bytes(StatusCode::ACCEPTED, text);
    if accepted.duplicate {
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// A schedule instead of a task: the tasks come with its windows.
async fn recurring(edge: &Edge, task: &TaskBody<'_>, caller: &Caller<'_>) -> Result<Response, Problem> {
    let Recurring { id, created, key, next } = schedules::recurring(edge, task, caller).await?;
    let answer = RecurringView {
        task_id: id.to_string(),
        created_at: Moment(created),
        schedule: format!("{}/{}", key.job, key.name),
        tenant: &key.tenant,
        next: next.map(Moment),
        state: Status::Pending.label(),
        status: timer_word(Status::Pending),
    };
    Ok(json(StatusCode::ACCEPTED, &answer))
}

/// By hand: nothing but a warning needs escaping.
pub(super) fn write(accepted: &Accepted, text: &mut Vec<u8>) {
    let (id, created) = (accepted.id, written(accepted.created));
    let (state, status) = (accepted.status.label(), timer_word(accepted.status));
    // Writing to memory cannot fail.
    let _ =
        write!(text, r#"{{"task_id":"{id}","state":"{state}","status":"{status}","created_at":"{created}""#);
    if let Some(warning) = &accepted.warning {
        let _ = write!(text, r#","warnings":{}"#, json!([warning]));
    }
    text.push(b'}');
}
