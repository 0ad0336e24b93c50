//! `PATCH /v1/tasks/{id}`: time, payload and priority of a task that has not started.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;

use super::super::body;
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
    let bytes = body::read(request.into_body(), edge.config.body_bytes_max).await?;
    let amend: AmendBody<'_> = body::parse(&bytes)?;
    Ok(super::changed(id, operation::amend(&edge, id, amend).await?, "the task was changed"))
}
