//! Whether the process lives, and whether it can take work.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use super::json;
use crate::edge::Edge;

/// A shard that does not answer in this time is stuck on its journal.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) async fn alive() -> Response {
    json(StatusCode::OK, &json!({"status": "ok"}))
}

/// Asks the shard, so that a stopped one is seen.
pub(super) async fn ready(State(edge): State<Arc<Edge>>) -> Response {
    if edge.stopping.load(Ordering::Relaxed) {
        return json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "stopping"}));
    }
    match tokio::time::timeout(PATIENCE, edge.gateway.figures()).await {
        Ok(Some(figures)) => {
            let body = json!({
                "status": "ready",
                "records": figures.durable.get(),
                "checkpointed": figures.checkpointed.get(),
                "tasks_in_memory": figures.in_memory,
            });
            json(StatusCode::OK, &body)
        }
        Ok(None) => json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "shard stopped"})),
        Err(_) => json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "shard does not answer"})),
    }
}
