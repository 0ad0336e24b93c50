//! Many tasks due at one instant: how late each of them began.

use std::path::Path;
use std::time::Duration;

use anyhow::ensure;
use tokio::task::JoinSet;

use super::latency::{began_us, now_us};
use super::rig::Rig;
use super::spread::Spread;
use super::throughput::{WORKER_SLOTS, batch_request, ids};
use super::{Figures, Plan};

const ROWS: [(&str, u64, (&str, &str)); 3] =
    [("2k", 2_000, ("100", "40")), ("10k", 10_000, ("300", "150")), ("50k", 50_000, ("1,000", "600"))];
const BATCH: u64 = 1_000;
/// Time to submit everything before the instant.
const AHEAD_US: u64 = 2_000_000;
const READERS: usize = 8;

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::start(dir, WORKER_SLOTS).await?;
    for (key, tasks, bounds) in ROWS {
        let tasks = plan.scaled(tasks);
        let mut lateness = burst(&rig, tasks).await?;
        for (share, name, bounds) in
            [(0.5, "p50", ("–", "–")), (0.99, "p99", bounds), (1.0, "max", ("–", "–"))]
        {
            let what = format!("{tasks} tasks due at one instant: lateness, {name}");
            figures.add(&format!("burst_{key}_{name}_ms"), &what, lateness.at(share), "ms", bounds);
        }
    }
    Ok(())
}

async fn burst(rig: &Rig, tasks: u64) -> anyhow::Result<Spread> {
    // In whole milliseconds, as times are stored.
    let due_ms = (now_us() + AHEAD_US + tasks * 40) / 1_000;
    let due = jiff::Timestamp::from_millisecond(due_ms as i64)?;
    let task = format!(r#"{{"task_type":"clock","scheduled_at":"{due}"}}"#);
    let mut wire = rig.wire().await?;
    let mut all = Vec::new();
    while (all.len() as u64) < tasks {
        let answer = wire.call(&batch_request(&task, BATCH.min(tasks - all.len() as u64))).await?;
        ensure!(answer.status == 202, "a batch was answered with {}", answer.status);
        all.extend(ids(answer.body)?);
    }
    ensure!(now_us() < due_ms * 1_000, "submitting took longer than the time until they were due");
    tokio::time::sleep(Duration::from_micros((due_ms * 1_000).saturating_sub(now_us()))).await;
    rig.settled().await?;
    let mut readers = JoinSet::new();
    let share = all.len().div_ceil(READERS);
    for part in all.chunks(share) {
        let (mut wire, part) = (rig.wire().await?, part.to_vec());
        readers.spawn(async move {
            let mut lateness = Spread::default();
            for id in part {
                lateness.add_ms(began_us(&mut wire, &id).await? as f64 / 1e3 - due_ms as f64);
            }
            anyhow::Ok(lateness)
        });
    }
    let mut lateness = Spread::default();
    for part in readers.join_all().await {
        lateness.join(part?);
    }
    Ok(lateness)
}
