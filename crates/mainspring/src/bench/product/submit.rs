//! Single submissions over many keep-alive connections. No worker: what is measured is acceptance.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use tokio::task::JoinSet;

use super::rig::Rig;
use super::spread::Spread;
use super::throughput::noop;
use super::wire::{Wire, request};
use super::{Figures, Plan};

const CONNECTIONS: usize = 64;
const TIME: Duration = Duration::from_secs(8);

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::server_only(dir).await?;
    let body: Arc<[u8]> = request("POST", "/v1/tasks", &noop(200)).into();
    flood(&rig, &body, Duration::from_secs(1)).await?;
    let cpu = rig.cpu_time();
    let begun = Instant::now();
    let mut times = flood(&rig, &body, plan.scaled_time(TIME)).await?;
    let rate = times.len() as f64 / begun.elapsed().as_secs_f64();
    let cpu = rig.cpu_time().saturating_sub(cpu).as_secs_f64() * 1e6 / times.len() as f64;
    figures.add(
        "submit_per_s",
        "single submissions accepted a second, 64 connections",
        rate,
        "/s",
        ("20,000", "30,000"),
    );
    figures.add("submit_p50_ms", "… answered after, median", times.at(0.5), "ms", ("–", "–"));
    figures.add("submit_p99_ms", "… answered after, p99", times.at(0.99), "ms", ("–", "–"));
    figures.add("submit_cpu_us", "… CPU of server and load generator each", cpu, "µs", ("–", "–"));
    Ok(())
}

async fn flood(rig: &Rig, body: &Arc<[u8]>, time: Duration) -> anyhow::Result<Spread> {
    let end = Instant::now() + time;
    let mut senders = JoinSet::new();
    for _ in 0..CONNECTIONS {
        senders.spawn(send(rig.wire().await?, Arc::clone(body), end));
    }
    let mut times = Spread::default();
    for sent in senders.join_all().await {
        times.join(sent?);
    }
    Ok(times)
}

async fn send(mut wire: Wire, body: Arc<[u8]>, end: Instant) -> anyhow::Result<Spread> {
    let mut times = Spread::default();
    loop {
        let begun = Instant::now();
        if begun >= end {
            return Ok(times);
        }
        match wire.call(&body).await?.status {
            202 => times.add(begun.elapsed()),
            429 | 503 => tokio::time::sleep(Duration::from_millis(20)).await,
            other => bail!("a submission was answered with {other}"),
        }
    }
}
