//! `PATCH /v1/tasks/{id}`: time, payload and priority of a task that has not started, or that recurs.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::task::Status;

use super::super::call::Call;
use super::super::{body, json};
use crate::edge::Edge;
use crate::operation::{self, TimerId, schedules};
use crate::problem::Problem;
use crate::wire::{AmendBody, TaskChanged};

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let id = operation::timer_id(&text)?;
    let call = Call::read(&edge, request).await?;
    let amend: AmendBody<'_> = body::parse(&call.bytes)?;
    match id {
        TimerId::Task(id) => {
            let changed = operation::amend(&edge, id, amend, &call.caller()?).await?;
            Ok(super::changed(id, changed, "the task was changed"))
        }
        TimerId::Recurring(id) => {
            schedules::amend_recurring(&edge, id, amend, &call.caller()?).await?;
            let message = "the task was changed; its next window begins it so";
            Ok(json(StatusCode::OK, &TaskChanged::of(&id, Some(Status::Pending), message)))
        }
    }
}
