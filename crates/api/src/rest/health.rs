//! Whether the process makes progress, and whether it can take work.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use mainspring_runtime::node::{Condition, Trouble};
use serde_json::{Value, json};

use super::json;
use crate::edge::Edge;

/// A shard that does not answer in this time waits for its journal.
const PATIENCE: Duration = Duration::from_secs(2);
/// Trouble is looked at twice, this far apart: a process that was stopped as a whole sees old work when it goes on.
const SECOND_LOOK: Duration = Duration::from_millis(250);

const INSECURE: &str =
    "started with --insecure: whoever reaches this address can run programs on the workers";

/// 503 only if a restart is the way out: the shard's thread makes no progress. A slow or full disk is no such case.
pub(super) async fn alive(State(edge): State<Arc<Edge>>) -> Response {
    let mut troubles = troubles(&edge).await;
    troubles.retain(Trouble::needs_restart);
    if troubles.is_empty() {
        return json(StatusCode::OK, &json!({"status": "ok"}));
    }
    json(
        StatusCode::SERVICE_UNAVAILABLE,
        &json!({"status": "not progressing", "reasons": reasons(&troubles)}),
    )
}

/// Says why not, for each part that is in trouble. Asks the shard too, so that a stopped one is seen.
pub(super) async fn ready(State(edge): State<Arc<Edge>>) -> Response {
    if edge.stopping.load(Ordering::Relaxed) {
        return json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "stopping"}));
    }
    let mut reasons = reasons(&troubles(&edge).await);
    reasons.extend(conditions(&edge).await);
    if !reasons.is_empty() {
        let body = json!({"status": "not ready", "reasons": reasons});
        return json(StatusCode::SERVICE_UNAVAILABLE, &body);
    }
    match tokio::time::timeout(PATIENCE, edge.gateway.figures(0)).await {
        Ok(Some(figures)) => {
            let mut body = json!({
                "status": "ready",
                "records": figures.durable.get(),
                "checkpointed": figures.checkpointed.get(),
                "tasks_in_memory": figures.in_memory,
            });
            if edge.access().insecure {
                body["insecure"] = true.into();
                body["warning"] = INSECURE.into();
            }
            json(StatusCode::OK, &body)
        }
        Ok(None) => json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "shard stopped"})),
        Err(_) => json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "shard does not answer"})),
    }
}

/// Work that has taken too long and is still the same at the second look.
async fn troubles(edge: &Edge) -> Vec<Trouble> {
    let health = edge.gateway.health();
    let first = health.troubles();
    if first.is_empty() {
        return first;
    }
    tokio::time::sleep(SECOND_LOOK).await;
    let same =
        |trouble: &Trouble| first.iter().any(|old| (old.part, old.number) == (trouble.part, trouble.number));
    health.troubles().into_iter().filter(same).collect()
}

/// What is wrong around the server, each by name.
async fn conditions(edge: &Edge) -> Vec<Value> {
    let health = edge.gateway.health();
    // On another thread: it looks for the data directory, and the disk may not answer.
    let looked = tokio::task::spawn_blocking(move || health.conditions.list());
    let Ok(Ok(conditions)) = tokio::time::timeout(PATIENCE, looked).await else {
        return vec![
            json!({"code": "disk_slow", "detail": "the disk of the data directory does not answer"}),
        ];
    };
    conditions.iter().map(reason_of).collect()
}

fn reason_of(condition: &Condition) -> Value {
    let since_s = condition.since.map(|since| since.elapsed().as_secs());
    json!({"code": condition.code.name(), "detail": condition.detail, "since_s": since_s})
}

fn reasons(troubles: &[Trouble]) -> Vec<Value> {
    let reason = |trouble: &Trouble| json!({"code": trouble.code(), "detail": trouble.to_string()});
    troubles.iter().map(reason).collect()
}
