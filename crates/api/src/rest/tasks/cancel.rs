//! `DELETE /v1/tasks/{id}` and `POST /v1/tasks/{id}:cancel`: a waiting task will not run; a running one is stopped
//! with `?force=true`, and left alone without.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::task::Status;

use super::super::call::Call;
use super::super::{body, json};
use crate::edge::Edge;
use crate::operation::{self, Cancelled, TimerId, schedules};
use crate::problem::Problem;
use crate::wire::{Moment, OverrideBody, TaskChanged};

pub(in crate::rest) async fn delete(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    act(&edge, &text, &OverrideBody::default(), &Call::read(&edge, request).await?).await
}

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, call: &Call) -> Result<Response, Problem> {
    act(edge, text, &body::parse_optional(&call.bytes)?, call).await
}

async fn act(edge: &Edge, text: &str, over: &OverrideBody, call: &Call) -> Result<Response, Problem> {
    let force = body::flag(&body::query(&call.uri, &["force"])?, "force")?;
    let id = match operation::timer_id(text)? {
        TimerId::Task(id) => id,
        TimerId::Recurring(id) => {
            let at = schedules::cancel_recurring(edge, id, over, &call.caller()?).await?;
            let message = "the task recurs no more; what it began goes on";
            let body = TaskChanged {
                canceled_at: Some(Moment(at)),
                ..TaskChanged::of(&id, Some(Status::Cancelled), message)
            };
            return Ok(json(StatusCode::OK, &body));
        }
    };
    let cancelled = operation::cancel(edge, id, force, over, &call.caller()?).await?;
    let body = match cancelled {
        Cancelled::At(at) => TaskChanged {
            canceled_at: Some(Moment(at)),
            ..TaskChanged::of(&id, Some(Status::Cancelled), "the task is cancelled and will not run")
        },
        Cancelled::Stopping => {
            let message = "the worker was asked to stop the task; read it to see how it ended";
            TaskChanged::of(&id, None, message)
        }
    };
    Ok(json(StatusCode::OK, &body))
}
