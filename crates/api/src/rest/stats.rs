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

pub(super) async fn series(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["step", "points"])?;
    // What is no number is none of those that are allowed.
    let points = query.get("points").map(|text| text.parse().unwrap_or(0));
    let stretch = operation::series(&edge, query.get("step").map(String::as_str), points)?;
    Ok(json(StatusCode::OK, &SeriesView::of(&stretch)))
}
