//! `GET /metrics`: counters of the edge, and what the shard says when asked.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;

use crate::edge::Edge;
use crate::metrics::Told;
use crate::operation;

const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) async fn handle(State(edge): State<Arc<Edge>>) -> Response {
    let stats = operation::stats(&edge).await.ok();
    let measured = edge.gateway.measured(0).await;
    edge.metrics.sessions.set(edge.sessions.live() as i64);
    edge.metrics.tell(Told { stats, measured });
    ([(header::CONTENT_TYPE, TYPE)], edge.metrics.text()).into_response()
}
