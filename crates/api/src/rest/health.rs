//! Whether the process makes progress, and whether it can take work.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use mainspring_runtime::node::{Condition, Trouble};

use super::json;
use crate::edge::Edge;
use crate::wire::{HealthView, ReadinessView, ReasonView};

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
    let mut reasons = reasons(&troubles(&edge).await);
    reasons.extend(conditions(&edge).await);
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
async fn conditions(edge: &Edge) -> Vec<ReasonView> {
    let health = edge.gateway.health();
    // On another thread: it looks for the data directory, and the disk may not answer.
    let looked = tokio::task::spawn_blocking(move || health.conditions.list());
    let Ok(Ok(conditions)) = tokio::time::timeout(PATIENCE, looked).await else {
        let detail = "the disk of the data directory does not answer".to_owned();
        return vec![ReasonView { code: "disk_slow", detail, since_s: None }];
    };
    conditions.iter().map(reason_of).collect()
}

fn reason_of(condition: &Condition) -> ReasonView {
    let since_s = condition.since.map(|since| since.elapsed().as_secs());
    ReasonView { code: condition.code.name(), detail: condition.detail.clone(), since_s }
}

fn reasons(troubles: &[Trouble]) -> Vec<ReasonView> {
    let reason =
        |trouble: &Trouble| ReasonView { code: trouble.code(), detail: trouble.to_string(), since_s: None };
    troubles.iter().map(reason).collect()
}
