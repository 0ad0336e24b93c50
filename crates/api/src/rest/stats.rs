//! `GET /v1/stats`: how much waits and runs, by pool, band and tenant, and tasks by state.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::Slot;
use mainspring_core::question::Question;
use serde::Serialize;

use super::json;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::status_word;

#[derive(Serialize)]
struct StatsView<'a> {
    depths: Vec<DepthView<'a>>,
    /// In memory; an ended task leaves it once the tables have it.
    tasks_in_memory: BTreeMap<&'static str, u64>,
    queued: u64,
    running: u64,
    workers: usize,
    sessions: usize,
    stale_reports: u64,
    workers_lost: u64,
}

#[derive(Serialize)]
struct DepthView<'a> {
    pool: &'a str,
    band: &'static str,
    tenant: &'a str,
    queued: u64,
    running: u32,
}

pub(super) async fn handle(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    let answer = edge.gateway.ask(Slot::from_hash(0), Command::Ask(Question::Stats)).await?;
    let Answer::Stats(stats) = answer else {
        return Err(Rejection::Internal { what: "stats were answered with something else" }.into());
    };
    let depth = |depth: &'_ mainspring_core::dispatch::Depth| (depth.queued, u64::from(depth.running));
    let (queued, running) =
        stats.depths.iter().map(depth).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
    let view = StatsView {
        depths: stats
            .depths
            .iter()
            .map(|depth| DepthView {
                pool: &depth.pool,
                band: depth.band.label(),
                tenant: &depth.tenant,
                queued: depth.queued,
                running: depth.running,
            })
            .collect(),
        tasks_in_memory: stats.counts.iter().map(|(status, count)| (status_word(*status), *count)).collect(),
        queued,
        running,
        workers: stats.workers,
        sessions: edge.sessions.live(),
        stale_reports: stats.machine.stale_reports,
        workers_lost: stats.machine.workers_lost,
    };
    Ok(json(StatusCode::OK, &view))
}
