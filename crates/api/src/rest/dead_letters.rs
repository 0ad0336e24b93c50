//! `GET /v1/dead-letters`: tasks that failed for good or were quarantined. `POST /v1/tasks/{id}:retry` requeues one.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use super::tasks::list;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(super) async fn list(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    list::answer(&edge, &operation::only_dead(list::filter(request.uri())?)).await
}
