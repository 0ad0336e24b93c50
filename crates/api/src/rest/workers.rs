//! `/v1/workers`: who works, how full they are; cordon and uncordon.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::command::{Answer, Command, Rejection, SessionCommand};
use mainspring_core::id::{Slot, WorkerId};
use mainspring_core::question::{Question, WorkerView};
use mainspring_core::time::Millis;
use serde::Serialize;
use serde_json::json;

use super::json;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::sessions::About;

const SHARD: Slot = Slot::from_hash(0);

#[derive(Serialize)]
struct WorkerBody<'a> {
    worker_id: String,
    name: String,
    version: String,
    /// `healthy`, `draining` (takes nothing new), `unhealthy` (silent for long), `disconnected`.
    state: &'static str,
    pool: &'a str,
    zone: &'a str,
    slots: u32,
    running: u32,
    utilisation_percent: u32,
    cordoned: bool,
    connected: bool,
    silent_ms: u64,
    labels: BTreeMap<&'a str, &'a str>,
    cpu_milli: u64,
    memory_bytes: u64,
    disk_bytes: u64,
    gpus: u64,
}

impl<'a> WorkerBody<'a> {
    fn of(worker: &'a WorkerView, about: Option<About>, edge: &Edge) -> Self {
        let About { name, version } = about.unwrap_or_default();
        let offer = &worker.offer;
        let late = Millis::new(edge.config.heartbeat.as_millis() as u64 * 2);
        let state = match worker.session {
            None => "disconnected",
            Some(_) if worker.silent > late => "unhealthy",
            Some(_) if worker.cordoned => "draining",
            Some(_) => "healthy",
        };
        Self {
            worker_id: worker.id.to_string(),
            name,
            version,
            state,
            pool: &offer.pool,
            zone: &offer.zone,
            slots: offer.slots,
            running: worker.holds,
            utilisation_percent: (u64::from(worker.holds) * 100 / u64::from(offer.slots.max(1))) as u32,
            cordoned: worker.cordoned,
            connected: worker.session.is_some(),
            silent_ms: worker.silent.get(),
            labels: offer.labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect(),
            cpu_milli: offer.capacity.cpu_milli,
            memory_bytes: offer.capacity.memory_bytes,
            disk_bytes: offer.capacity.disk_bytes,
            gpus: offer.capacity.gpus,
        }
    }
}

pub(super) async fn ask(edge: &Edge, only: Option<WorkerId>) -> Result<Vec<WorkerView>, Problem> {
    match edge.gateway.ask(SHARD, Command::Ask(Question::Workers { only })).await? {
        Answer::Workers(workers) => Ok(workers),
        _ => Err(Rejection::Internal { what: "workers were answered with something else" }.into()),
    }
}

pub(super) async fn list(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    let workers = ask(&edge, None).await?;
    let bodies: Vec<WorkerBody<'_>> =
        workers.iter().map(|worker| WorkerBody::of(worker, edge.sessions.about(worker.id), &edge)).collect();
    Ok(json(StatusCode::OK, &json!({"workers": bodies})))
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let id = parse(&text)?;
    let workers = ask(&edge, Some(id)).await?;
    let worker = workers.first().ok_or(Problem::WorkerNotFound { id: text })?;
    Ok(json(StatusCode::OK, &WorkerBody::of(worker, edge.sessions.about(id), &edge)))
}

/// A cordoned worker finishes what it has and gets nothing new. It holds until lifted, over reconnects too.
pub(super) async fn cordon(edge: &Edge, text: &str, cordoned: bool) -> Result<Response, Problem> {
    let worker = parse(text)?;
    if ask(edge, Some(worker)).await?.is_empty() {
        return Err(Problem::WorkerNotFound { id: text.to_owned() });
    }
    edge.gateway.ask(SHARD, Command::Session(SessionCommand::Cordon { worker, cordoned })).await?;
    Ok(json(StatusCode::OK, &json!({"worker_id": worker.to_string(), "cordoned": cordoned})))
}

fn parse(text: &str) -> Result<WorkerId, Problem> {
    text.parse().map_err(|_| Problem::WorkerNotFound { id: text.chars().take(100).collect() })
}
