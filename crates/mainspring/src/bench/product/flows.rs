//! Workflows of no-ops: a chain, a fan-out, many at once. Times are the server's own, from created to ended.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use jiff::Timestamp;
use serde_json::Value;
use tokio::task::JoinSet;

use super::rig::Rig;
use super::throughput::WORKER_SLOTS;
use super::wire::{Wire, request};
use super::{Figures, Plan};

const STEPS: usize = 40;
const CONNECTIONS: u64 = 16;
/// Reading a large run costs the server something: looks grow rarer. The times are the server's own all the same.
const POLL_MIN: Duration = Duration::from_millis(1);
const POLL_MAX: Duration = Duration::from_millis(200);
/// The bounds that protect a server from one workflow are not what is measured.
pub(super) const WIDE: [&str; 3] =
    ["limits.release_per_second=4000000000", "limits.job_tasks_max=200000", "server.batch_bytes_max=64MiB"];
const JOB_LIMITS: &str =
    r#""limits":{"max_active_runs":100000,"release_per_second":1000000000,"max_fan_out":100000}"#;

pub(super) async fn chain(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::start_with(dir, WORKER_SLOTS, &WIDE).await?;
    let mut wire = rig.wire().await?;
    let tasks = (0..STEPS).map(|step| task(step, &step.checked_sub(1).into_iter().collect::<Vec<_>>()));
    apply(&mut wire, "chain", &tasks.collect::<Vec<_>>().join(",")).await?;
    let median = median(&mut wire, "chain", plan.scaled(50).min(50)).await?;
    figures.add(
        "chain_step_ms",
        "a step of a 40-step chain of no-ops",
        median / STEPS as f64,
        "ms",
        ("4", "1"),
    );
    Ok(())
}

pub(super) async fn fanout(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::start_with(dir, WORKER_SLOTS, &WIDE).await?;
    let mut wire = rig.wire().await?;
    for (width, rounds, bounds) in [(100, 30, ("30", "8")), (10_000, 5, ("1,000", "300"))] {
        let name = format!("fan{width}");
        let mut tasks = vec![task(0, &[])];
        tasks.extend((1..=width).map(|at| task(at, &[0])));
        tasks.push(task(width + 1, &(1..=width).collect::<Vec<_>>()));
        apply(&mut wire, &name, &tasks.join(",")).await?;
        let median = median(&mut wire, &name, rounds.min(plan.scaled(rounds))).await?;
        let what = format!("1 → {width} → 1 no-ops, wall time");
        figures.add(&format!("fanout_{width}_ms"), &what, median, "ms", bounds);
    }
    Ok(())
}

pub(super) async fn dags(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::start_with(&dir.join("dags"), WORKER_SLOTS, &WIDE).await?;
    apply(&mut rig.wire().await?, "dag", &layers(20, 4)).await?;
    many(&rig, "dag", plan.scaled(2_000) / 10).await?;
    let runs = plan.scaled(2_000);
    let begun = Instant::now();
    many(&rig, "dag", runs).await?;
    let rate = (runs * 20) as f64 / begun.elapsed().as_secs_f64();
    let what = format!("tasks a second, {runs} runs of a workflow of 20 tasks at once");
    figures.add("dags_per_s", &what, rate, "/s", ("25,000", "–"));
    drop(rig);
    let mut costs = Vec::new();
    for size in [10, 1_000, 100_000] {
        let rig = Rig::start_with(&dir.join(format!("size{size}")), WORKER_SLOTS, &WIDE).await?;
        // Ten layers, whatever the size: as many tasks are out at once, and as much goes into one record.
        apply(&mut rig.wire().await?, "dag", &layers(size, size / 10)).await?;
        let runs = (plan.scaled(100_000) / size as u64).max(1);
        let before = super::machine::cpu_time_of(rig.server_process());
        many(&rig, "dag", runs).await?;
        let spent = super::machine::cpu_time_of(rig.server_process()).saturating_sub(before);
        let cost = spent.as_secs_f64() * 1e6 / (runs as f64 * size as f64);
        let what = format!("CPU of the server per task, workflows of {size} tasks");
        figures.add(&format!("dag_cost_{size}_us"), &what, cost, "µs", ("–", "–"));
        costs.push(cost);
    }
    let ratio = costs[2] / costs[0];
    figures.add(
        "dag_cost_ratio",
        "ratio of the cost at 100,000 tasks to that at 10",
        ratio,
        "×",
        ("1.5", "1"),
    );
    Ok(())
}

fn task(at: usize, needs: &[usize]) -> String {
    let mut text = format!(r#""t{at}":{{"noop":{{}}"#);
    if !needs.is_empty() {
        let names: Vec<String> = needs.iter().map(|need| format!(r#""t{need}""#)).collect();
        let _ = write!(text, r#","needs":[{}]"#, names.join(","));
    }
    text.push('}');
    text
}

/// Layers of so many tasks, each of which needs the one before it in the last layer.
fn layers(tasks: usize, width: usize) -> String {
    let one = |at: usize| task(at, &at.checked_sub(width).into_iter().collect::<Vec<_>>());
    (0..tasks).map(one).collect::<Vec<_>>().join(",")
}

pub(super) async fn apply(wire: &mut Wire, name: &str, tasks: &str) -> anyhow::Result<()> {
    let body = format!(r#"{{"job":"{name}",{JOB_LIMITS},"tasks":{{{tasks}}}}}"#);
    let answer = wire.call(&request("POST", "/v1/jobs", &body)).await?;
    ensure!(
        answer.status == 200,
        "a job was answered with {}: {}",
        answer.status,
        String::from_utf8_lossy(answer.body)
    );
    Ok(())
}

async fn trigger(wire: &mut Wire, name: &str) -> anyhow::Result<String> {
    let answer = wire.call(&request("POST", &format!("/v1/jobs/{name}:trigger"), "{}")).await?;
    ensure!(answer.status == 202, "a trigger was answered with {}", answer.status);
    let body: Value = serde_json::from_slice(answer.body)?;
    body["run_id"].as_str().map(str::to_owned).context("a run without an id")
}

/// Waits until the run has ended; its milliseconds from created to ended.
async fn ended(wire: &mut Wire, id: &str) -> anyhow::Result<f64> {
    let mut wait = POLL_MIN;
    loop {
        let answer = wire.call(&request("GET", &format!("/v1/runs/{id}?tasks_limit=0"), "")).await?;
        let run: Value = serde_json::from_slice(answer.body)?;
        let at = |field: &str| run[field].as_str().and_then(|text| text.parse::<Timestamp>().ok());
        if let (Some(created), Some(ended)) = (at("created_at"), at("ended_at")) {
            ensure!(run["state"] == "succeeded", "a run ended as {}", run["state"]);
            return Ok(created.duration_until(ended).as_secs_f64() * 1e3);
        }
        tokio::time::sleep(wait).await;
        wait = POLL_MAX.min(wait * 2);
    }
}

async fn median(wire: &mut Wire, name: &str, rounds: u64) -> anyhow::Result<f64> {
    let mut times = Vec::new();
    for _ in 0..rounds.max(3) {
        let id = trigger(wire, name).await?;
        times.push(ended(wire, &id).await?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// So many runs, triggered over a few connections; returns when all have ended.
pub(super) async fn many(rig: &Rig, name: &str, runs: u64) -> anyhow::Result<()> {
    let mut senders = JoinSet::new();
    for place in 0..CONNECTIONS.min(runs) {
        let (mut wire, name) = (rig.wire().await?, name.to_owned());
        let share = runs / CONNECTIONS.min(runs) + u64::from(place < runs % CONNECTIONS.min(runs));
        senders.spawn(async move {
            let mut ids = Vec::new();
            for _ in 0..share {
                ids.push(trigger(&mut wire, &name).await?);
            }
            for id in &ids {
                ended(&mut wire, id).await?;
            }
            anyhow::Ok(())
        });
    }
    for sent in senders.join_all().await {
        sent?;
    }
    Ok(())
}
