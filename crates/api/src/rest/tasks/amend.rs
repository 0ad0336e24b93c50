//! `PATCH /v1/tasks/{id}`: time, payload and priority of a task that has not started.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use mainspring_core::command::Command;
use mainspring_core::time::Millis;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::body;
use super::super::call::Call;
use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::Problem;
use crate::wire::{PriorityBody, TimeBody, check_payload};

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct AmendBody<'a> {
    scheduled_at: Option<TimeBody>,
    delay_ms: Option<u64>,
    priority: Option<PriorityBody>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let id = super::id(&text)?;
    let call = Call::read(&edge, request).await?;
    let amend: AmendBody<'_> = body::parse(&call.bytes)?;
    let due = match (amend.scheduled_at, amend.delay_ms) {
        (Some(_), Some(_)) => {
            return Err(Problem::field("delay_ms", "give it or `scheduled_at`, not both"));
        }
        (Some(at), None) => Some(at.0),
        (None, Some(delay)) => Some(now() + Millis::new(delay)),
        (None, None) => None,
    };
    if due.is_none() && amend.priority.is_none() && amend.payload.is_none() {
        return Err(Problem::field("body", "name `scheduled_at`, `delay_ms`, `priority` or `payload`"));
    }
    if let Some(payload) = amend.payload {
        let task = super::read(&edge, id).await?;
        check_payload(&task.profile.executor, Some(payload))?;
    }
    let priority = amend.priority.map(|priority| priority.0);
    let payload = amend.payload.map(|payload| payload.get().as_bytes().into());
    let command = Command::Amend { id, due, priority, payload };
    let command = call.keyed(&edge, "amend", &text, command)?;
    super::change(&edge, id, command, "the task was changed").await
}
