//! Batches of no-ops over HTTP → run by the worker → in the tables.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;
use tokio::task::JoinSet;

use super::rig::Rig;
use super::wire::{Wire, request};
use super::{Figures, Plan};

pub(super) const WORKER_SLOTS: u32 = 8_192;
const CONNECTIONS: u64 = 2;

struct Row {
    key: &'static str,
    payload: usize,
    tasks: u64,
    batch: u64,
    bounds: (&'static str, &'static str),
}

const ROWS: [Row; 3] = [
    Row { key: "200", payload: 200, tasks: 800_000, batch: 1_000, bounds: ("50,000", "80,000") },
    Row { key: "1k", payload: 1_000, tasks: 300_000, batch: 1_000, bounds: ("–", "–") },
    Row { key: "10k", payload: 10_000, tasks: 60_000, batch: 200, bounds: ("–", "–") },
];

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    for Row { key, payload, tasks, batch, bounds } in ROWS {
        let rig = Rig::start(&dir.join(key), WORKER_SLOTS).await?;
        let tasks = plan.scaled(tasks);
        submit_all(&rig, tasks / 10, batch, &noop(payload)).await?;
        rig.settled().await?;
        let (begun, cpu) = (Instant::now(), rig.cpu_time());
        submit_all(&rig, tasks, batch, &noop(payload)).await?;
        rig.settled().await?;
        let rate = tasks as f64 / begun.elapsed().as_secs_f64();
        let cpu = rig.cpu_time().saturating_sub(cpu).as_secs_f64() * 1e6 / tasks as f64;
        let what = format!("tasks a second, submitted in batches, run and recorded, {payload} B payload");
        figures.add(&format!("throughput_{key}_per_s"), &what, rate, "/s", bounds);
        let what = format!("CPU of all processes per task, {payload} B payload");
        figures.add(&format!("throughput_{key}_cpu_us"), &what, cpu, "µs", ("–", "25"));
    }
    Ok(())
}

/// A no-op whose payload is a JSON text of so many bytes.
pub(super) fn noop(payload: usize) -> String {
    format!(r#"{{"task_type":"noop","payload":"{}"}}"#, "x".repeat(payload.saturating_sub(2)))
}

/// Submits `tasks` like `task`, in batches; what is refused for want of room is submitted again.
pub(super) async fn submit_all(rig: &Rig, tasks: u64, batch: u64, task: &str) -> anyhow::Result<()> {
    let whole: Arc<[u8]> = batch_request(task, batch).into();
    let mut senders = JoinSet::new();
    for place in 0..CONNECTIONS {
        let share = tasks / CONNECTIONS + u64::from(place < tasks % CONNECTIONS);
        senders.spawn(send(rig.wire().await?, Arc::clone(&whole), batch, task.to_owned(), share));
    }
    for sent in senders.join_all().await {
        sent?;
    }
    Ok(())
}

async fn send(mut wire: Wire, whole: Arc<[u8]>, batch: u64, task: String, share: u64) -> anyhow::Result<()> {
    let mut accepted = 0;
    while accepted < share {
        let left = share - accepted;
        let answer = if left >= batch {
            wire.call(&whole).await?
        } else {
            wire.call(&batch_request(&task, left)).await?
        };
        match answer.status {
            202 => accepted += left.min(batch),
            207 | 429 | 503 => {
                let body: Value = serde_json::from_slice(answer.body)?;
                accepted += body["accepted"].as_u64().unwrap_or(0);
                // Refused for want of room; the server says how long, this tool looks again sooner.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            other => bail!("a batch was answered with {other}: {}", String::from_utf8_lossy(answer.body)),
        }
    }
    Ok(())
}

pub(super) fn batch_request(task: &str, count: u64) -> Vec<u8> {
    request("POST", "/v1/tasks:batch", &format!("[{}]", vec![task; count as usize].join(",")))
}

/// The ids of a batch's answer.
pub(super) fn ids(body: &[u8]) -> anyhow::Result<Vec<String>> {
    let body: Value = serde_json::from_slice(body)?;
    let results = body["results"].as_array().context("a batch is answered with results")?;
    let id = |result: &Value| result["task_id"].as_str().map(str::to_owned).context("a result without an id");
    results.iter().map(id).collect()
}
