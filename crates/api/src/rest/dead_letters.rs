//! `GET /v1/dead-letters`: tasks that failed for good or were quarantined. `POST /v1/tasks/{id}:retry` requeues one.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use mainspring_core::task::Status;

use super::tasks::list::{self, Filter};
use crate::edge::Edge;
use crate::problem::Problem;

pub(super) async fn list(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let mut filter = Filter::parse(request.uri(), &list::PARAMETERS)?;
    filter.statuses.retain(|status| is_dead(*status));
    if filter.statuses.is_empty() {
        filter.statuses = vec![Status::Failed, Status::Quarantined];
    }
    list::answer(&edge, &filter).await
}

fn is_dead(status: Status) -> bool {
    matches!(status, Status::Failed | Status::Quarantined)
}
