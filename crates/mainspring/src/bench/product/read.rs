//! At half of the maximum load: status reads beside it, how long submissions take, and how soon a P0 task starts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use tokio::task::JoinSet;

use super::latency::{began_us, now_us, submit};
use super::pace::pace;
use super::rig::Rig;
use super::spread::Spread;
use super::throughput::{WORKER_SLOTS, batch_request, ids, noop};
use super::wire::{Wire, request};
use super::{Figures, Plan};

/// Half of the floor of `bench throughput`.
pub(super) const LOAD_PER_S: u64 = 25_000;
pub(super) const BATCH: u64 = 250;
const READERS: u64 = 64;
/// Half of the tasks that are read have ended, the others wait in memory.
const KNOWN: u64 = 1_000;
const TIME: Duration = Duration::from_secs(10);

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::start(dir, WORKER_SLOTS).await?;
    let mut wire = rig.wire().await?;
    let waiting = noop(200).replacen('{', r#"{"delay_ms":300000,"#, 1);
    let mut known = Vec::new();
    for task in [noop(200), waiting] {
        known.extend(ids(wire.call(&batch_request(&task, KNOWN / 2)).await?.body)?);
    }
    let known: Arc<[String]> = known.into();
    let time = plan.scaled_time(TIME);
    let quiet = beside_load(&rig, &known, time, 0).await?;
    let busy = beside_load(&rig, &known, time, READERS).await?;
    let Beside { load, mut submits, mut urgent, .. } = quiet;
    figures.add("half_load_per_s", "load beside which the following was measured", load, "/s", ("–", "–"));
    figures.add(
        "half_load_submit_p99_ms",
        "single submissions beside it, p99",
        submits.at(0.99),
        "ms",
        ("50", "10"),
    );
    figures.add(
        "half_load_p0_p99_ms",
        "P0 task: submit call → start beside it, p99",
        urgent.at(0.99),
        "ms",
        ("100", "20"),
    );
    let Beside { load, mut reads, .. } = busy;
    let rate = reads.len() as f64 / time.as_secs_f64();
    figures.add("read_load_per_s", "load beside the status reads", load, "/s", ("–", "–"));
    figures.add("read_per_s", "status reads by id beside that load", rate, "/s", ("20,000", "40,000"));
    figures.add("read_p99_ms", "… answered after, p99", reads.at(0.99), "ms", ("50", "10"));
    Ok(())
}

struct Beside {
    load: f64,
    reads: Spread,
    submits: Spread,
    urgent: Spread,
}

async fn beside_load(
    rig: &Rig,
    known: &Arc<[String]>,
    time: Duration,
    readers: u64,
) -> anyhow::Result<Beside> {
    let over = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&over);
    let load = pace(rig.wire().await?, LOAD_PER_S, BATCH, move || ended.load(Ordering::Relaxed));
    let load = tokio::spawn(load);
    let end = Instant::now() + time;
    let mut reading = JoinSet::new();
    for place in 0..readers {
        reading.spawn(read(rig.wire().await?, Arc::clone(known), place, end));
    }
    let urgent = tokio::spawn(urgent(rig.wire().await?, end));
    let submits = tokio::spawn(singles(rig.wire().await?, end));
    let (urgent, submits) = (urgent.await??, submits.await??);
    let mut reads = Spread::default();
    for part in reading.join_all().await {
        reads.join(part?);
    }
    over.store(true, Ordering::Relaxed);
    let load = load.await?? as f64 / time.as_secs_f64();
    Ok(Beside { load, reads, submits, urgent })
}

async fn read(mut wire: Wire, known: Arc<[String]>, place: u64, end: Instant) -> anyhow::Result<Spread> {
    let gets: Vec<_> = known.iter().map(|id| request("GET", &format!("/v1/tasks/{id}"), "")).collect();
    let mut times = Spread::default();
    let mut turn = place as usize * 31;
    loop {
        let begun = Instant::now();
        if begun >= end {
            return Ok(times);
        }
        // A step without a common factor, so that all are read.
        turn = (turn + 377) % gets.len();
        let status = wire.call(&gets[turn]).await?.status;
        ensure!(status == 200, "a status read was answered with {status}");
        times.add(begun.elapsed());
    }
}

async fn urgent(mut wire: Wire, end: Instant) -> anyhow::Result<Spread> {
    let task = request("POST", "/v1/tasks", r#"{"task_type":"clock","priority":"P0"}"#);
    let mut times = Spread::default();
    while Instant::now() < end {
        let begun = now_us();
        let id = submit(&mut wire, &task).await?;
        let began = began_us(&mut wire, &id).await?;
        times.add_ms(began.saturating_sub(begun) as f64 / 1e3);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(times)
}

async fn singles(mut wire: Wire, end: Instant) -> anyhow::Result<Spread> {
    let task = request("POST", "/v1/tasks", &noop(200));
    let mut times = Spread::default();
    while Instant::now() < end {
        let begun = Instant::now();
        submit(&mut wire, &task).await?;
        times.add(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(times)
}
