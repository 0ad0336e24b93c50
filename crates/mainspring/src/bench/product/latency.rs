//! An idle system: from the submit call to the first instruction of the task, one task at a time.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::rig::Rig;
use super::spread::Spread;
use super::target::Target;
use super::webhook::call_of;
use super::wire::{Wire, request};
use super::{Figures, Plan};

const TASKS: u64 = 1_000;
const WORKER_SLOTS: u32 = 16;
/// Between two tasks, so that each meets a system at rest.
const REST: Duration = Duration::from_millis(3);

pub(super) async fn run(
    plan: &Plan,
    dir: &Path,
    fsync: Duration,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let rig = Rig::start(dir, WORKER_SLOTS).await?;
    let mut wire = rig.wire().await?;
    let (mut starts, mut calls) = (Spread::default(), Spread::default());
    let clock = request("POST", "/v1/tasks", r#"{"task_type":"clock"}"#);
    let target = Target::start()?;
    let call = request("POST", "/v1/tasks", &call_of(&target));
    let warm_up = plan.scaled(TASKS) / 10;
    for turn in 0..plan.scaled(TASKS) + warm_up {
        let begun = now_us();
        let id = submit(&mut wire, &clock).await?;
        let began = began_us(&mut wire, &id).await?;
        tokio::time::sleep(REST).await;
        let (before, called) = (target.calls(), Target::now());
        submit(&mut wire, &call).await?;
        target.beyond(before).await;
        tokio::time::sleep(REST).await;
        if turn >= warm_up {
            starts.add_ms((began as f64 - begun as f64) / 1e3);
            calls.add(target.last().saturating_sub(called));
        }
    }
    figures.add(
        "latency_p50_ms",
        "submit call → task code starts, median",
        starts.at(0.5),
        "ms",
        ("1.5", "0.8"),
    );
    figures.add("latency_p99_ms", "submit call → task code starts, p99", starts.at(0.99), "ms", ("5", "2"));
    let ratio = starts.at(0.5) / (fsync.as_secs_f64() * 1e3);
    figures.add(
        "latency_per_fsync",
        "… median, as a multiple of this disk's fdatasync",
        ratio,
        "×",
        ("–", "–"),
    );
    figures.add(
        "latency_webhook_p50_ms",
        "submit call → webhook received, median",
        calls.at(0.5),
        "ms",
        ("–", "–"),
    );
    figures.add(
        "latency_webhook_p99_ms",
        "submit call → webhook received, p99",
        calls.at(0.99),
        "ms",
        ("–", "–"),
    );
    Ok(())
}

pub(super) fn now_us() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64
}

/// The id of the accepted task.
pub(super) async fn submit(wire: &mut Wire, task: &[u8]) -> anyhow::Result<String> {
    let answer = wire.call(task).await?;
    ensure!(answer.status == 202, "a submission was answered with {}", answer.status);
    let body: Value = serde_json::from_slice(answer.body)?;
    Ok(body["task_id"].as_str().context("an answer without an id")?.to_owned())
}

/// When a task of the `clock` executor began, once it has ended.
pub(super) async fn began_us(wire: &mut Wire, id: &str) -> anyhow::Result<u64> {
    let get = request("GET", &format!("/v1/tasks/{id}"), "");
    loop {
        let answer = wire.call(&get).await?;
        ensure!(answer.status == 200, "a task was answered with {}", answer.status);
        let task: Value = serde_json::from_slice(answer.body)?;
        if let Some(began) = task["output"]["began_us"].as_u64() {
            return Ok(began);
        }
        ensure!(task["ended_at"].is_null(), "the task ended without saying when it began: {task}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
