//! `PATCH /v1/tasks/{id}`: time, payload and priority of a task that has not started.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;

use super::super::body;
use super::super::call::Call;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::AmendBody;

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let id = operation::task_id(&text)?;
    let call = Call::read(&edge, request).await?;
    let amend: AmendBody<'_> = body::parse(&call.bytes)?;
    let changed = operation::amend(&edge, id, amend, &call.caller()?).await?;
    Ok(super::changed(id, changed, "the task was changed"))
}
