//! `/v1/workers`: who works, how full they are; cordon, drain and uncordon.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::worker::Availability;

use super::call::Call;
use super::{body, json};
use crate::edge::Edge;
use crate::operation::{self, WorkerFilter};
use crate::problem::Problem;
use crate::wire::{CordonedView, OverrideBody, WorkerBody, WorkerPage};

pub(super) async fn list(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["pool", "state"])?;
    let text = |name: &str| query.get(name).map(String::as_str);
    let wanted = WorkerFilter { pool: text("pool"), state: text("state") };
    operation::workers(&edge, wanted, |workers| json(StatusCode::OK, &WorkerPage { workers })).await
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    operation::worker(&edge, &text, |worker| json(StatusCode::OK, &worker)).await
}

/// Answers with what it still runs.
pub(super) async fn cordon(
    edge: &Edge,
    text: &str,
    to: Availability,
    call: &Call,
) -> Result<Response, Problem> {
    let over: OverrideBody = body::parse_optional(&call.bytes)?;
    operation::cordon(edge, (text, to), &over, &call.caller()?, |worker| {
        let WorkerBody { worker_id, state, cordoned, cordon, running, .. } = worker;
        json(StatusCode::OK, &CordonedView { worker_id, state, cordoned, cordon, running })
    })
    .await
}
