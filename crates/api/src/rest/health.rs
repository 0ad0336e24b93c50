//! Whether the process makes progress, and whether it can take work.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use mainspring_runtime::node::Trouble;

use super::json;
use crate::edge::Edge;
use crate::operation::health::{PATIENCE, reasons, troubles, troubles_and_conditions};
use crate::wire::{HealthView, ReadinessView, ReasonView};

const INSECURE: &str =
    "started with --insecure: whoever reaches this address can run programs on the workers";

/// 503 only if a restart is the way out: the shard's thread makes no progress. A slow or full disk is no such case.
pub(super) async fn alive(State(edge): State<Arc<Edge>>) -> Response {
    let mut troubles = troubles(&edge).await;
    troubles.retain(Trouble::needs_restart);
    if troubles.is_empty() {
        return json(StatusCode::OK, &HealthView { status: "ok", reasons: Vec::new() });
    }
    let body = HealthView { status: "not progressing", reasons: reasons(&troubles) };
    json(StatusCode::SERVICE_UNAVAILABLE, &body)
}

/// Says why not, for each part that is in trouble. Asks the shard too, so that a stopped one is seen.
pub(super) async fn ready(State(edge): State<Arc<Edge>>) -> Response {
    if edge.stopping.load(Ordering::Relaxed) {
        return not_ready("stopping", Vec::new());
    }
    let reasons = troubles_and_conditions(&edge).await;
    if !reasons.is_empty() {
        return not_ready("not ready", reasons);
    }
    match tokio::time::timeout(PATIENCE, edge.gateway.figures(0)).await {
        Ok(Some(figures)) => {
            let is_insecure = edge.access().insecure;
            let body = ReadinessView {
                status: "ready",
                records: Some(figures.durable.get()),
                checkpointed: Some(figures.checkpointed.get()),
                tasks_in_memory: Some(figures.in_memory),
                insecure: is_insecure.then_some(true),
                warning: is_insecure.then_some(INSECURE),
                ..ReadinessView::default()
            };
            json(StatusCode::OK, &body)
        }
        Ok(None) => not_ready("shard stopped", Vec::new()),
        Err(_) => not_ready("shard does not answer", Vec::new()),
    }
}

fn not_ready(status: &'static str, reasons: Vec<ReasonView>) -> Response {
    json(StatusCode::SERVICE_UNAVAILABLE, &ReadinessView { status, reasons, ..ReadinessView::default() })
}
