//! A steady load for a long time: memory and latency should not know how long it has been running.

use std::path::Path;
use std::time::{Duration, Instant};

use super::latency::{began_us, now_us, submit};
use super::pace::pace;
use super::rig::Rig;
use super::spread::Spread;
use super::throughput::WORKER_SLOTS;
use super::wire::{Wire, request};
use super::{Figures, Plan, machine};

const LOAD_PER_S: u64 = 5_000;
const BATCH: u64 = 100;

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::start(dir, WORKER_SLOTS).await?;
    let begin = Instant::now();
    let end = begin + plan.soak;
    let load = tokio::spawn(pace(rig.wire().await?, LOAD_PER_S, BATCH, move || Instant::now() >= end));
    let (server, worker) = (rig.server_process(), rig.worker_process().unwrap_or_default());
    let mut quarters = Vec::new();
    let mut wire = rig.wire().await?;
    for quarter in 1..=4 {
        let until = begin + plan.soak * quarter / 4;
        let latency = latencies(&mut wire, until).await?;
        quarters.push((latency, machine::resident_bytes_of(server), machine::resident_bytes_of(worker)));
    }
    let tasks = load.await??;
    rig.settled().await?;
    let minutes = plan.soak.as_secs_f64() / 60.0;
    figures.add("soak_tasks", &format!("tasks run in {minutes:.1} minutes"), tasks as f64, "", ("–", "–"));
    for (place, (latency, server, worker)) in quarters.iter_mut().enumerate() {
        let place = place + 1;
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let mut add = |key: &str, what: &str, value: f64, unit| {
            let (key, what) = (format!("soak_q{place}_{key}"), format!("quarter {place}: {what}"));
            figures.add(&key, &what, value, unit, ("flat", "flat"));
        };
        add("p50_ms", "submit call → start, median", latency.at(0.5), "ms");
        add("p99_ms", "submit call → start, p99", latency.at(0.99), "ms");
        add("server_mib", "memory of the server at its end", mib(*server), "MiB");
        add("worker_mib", "memory of the worker at its end", mib(*worker), "MiB");
    }
    Ok(())
}

async fn latencies(wire: &mut Wire, until: Instant) -> anyhow::Result<Spread> {
    let task = request("POST", "/v1/tasks", r#"{"task_type":"clock"}"#);
    let mut times = Spread::default();
    while Instant::now() < until {
        let begun = now_us();
        let id = submit(wire, &task).await?;
        times.add_ms(began_us(wire, &id).await?.saturating_sub(begun) as f64 / 1e3);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(times)
}
