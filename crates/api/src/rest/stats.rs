//! `GET /v1/stats`: how much waits and runs, by pool, band and tenant, and tasks by state.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::StatsView;

pub(super) async fn handle(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    let stats = operation::stats(&edge).await?;
    Ok(json(StatusCode::OK, &StatsView::of(&stats, edge.sessions.live())))
}
