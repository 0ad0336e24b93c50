//! `/metrics`: the edge's own counters, and what the shard says when asked.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use mainspring_core::command::{Answer, Command};
use mainspring_core::id::Slot;
use mainspring_core::question::{Question, Stats};

use crate::edge::Edge;
use crate::metrics::{LineLabels, Metrics, StateLabel};

const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) async fn handle(State(edge): State<Arc<Edge>>) -> Response {
    let asked = edge.gateway.ask(Slot::from_hash(0), Command::Ask(Question::Stats)).await;
    if let Ok(Answer::Stats(stats)) = asked {
        note(&edge.metrics, &stats);
    }
    if let Some(figures) = edge.gateway.figures().await {
        edge.metrics.lag_events.set(figures.lag_events as i64);
        edge.metrics.lag_bytes.set(figures.lag_bytes as i64);
        edge.metrics.records.set(figures.durable.get() as i64);
    }
    ([(header::CONTENT_TYPE, TYPE)], edge.metrics.text()).into_response()
}

fn note(metrics: &Metrics, stats: &Stats) {
    for (status, count) in &stats.counts {
        metrics.tasks.get_or_create(&StateLabel { state: status.label() }).set(*count as i64);
    }
    // Lines that are empty now are not named any more.
    metrics.queued.clear();
    metrics.running.clear();
    for depth in &stats.depths {
        let labels = LineLabels {
            pool: depth.pool.as_str().to_owned(),
            band: depth.band.label(),
            tenant: depth.tenant.as_str().to_owned(),
        };
        metrics.queued.get_or_create(&labels).set(depth.queued as i64);
        metrics.running.get_or_create(&labels).set(i64::from(depth.running));
    }
    metrics.workers.set(stats.workers as i64);
    metrics.stale_reports.set(stats.machine.stale_reports as i64);
    metrics.workers_lost.set(stats.machine.workers_lost as i64);
}
