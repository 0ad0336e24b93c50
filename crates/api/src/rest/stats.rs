//! `GET /v1/stats`: how much waits and runs, by pool, band and tenant, and tasks by state. `/v1/stats/series`: over time.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use super::{body, json};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{SeriesView, StatsView};

pub(super) async fn handle(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    let stats = operation::stats(&edge).await?;
    Ok(json(StatusCode::OK, &StatsView::of(&stats, edge.sessions.live())))
}

/// Steps of one answer unless more are asked for, and at most.
const POINTS_DEFAULT: usize = 360;
const POINTS_MAX: usize = 8_640;

pub(super) async fn series(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["step", "points"])?;
    let step_ms = match query.get("step").map(String::as_str) {
        Some("1s") => 1_000,
        None | Some("10s") => 10_000,
        Some("5m") => 300_000,
        Some(_) => return Err(Problem::query("step", "say 1s, 10s or 5m")),
    };
    let count = match query.get("points").map(|text| text.parse()) {
        None => POINTS_DEFAULT,
        Some(Ok(count @ 1..=POINTS_MAX)) => count,
        Some(_) => return Err(Problem::query("points", "a number from 1 to 8640")),
    };
    Ok(json(StatusCode::OK, &SeriesView::of(&edge.series.read(step_ms, count))))
}
