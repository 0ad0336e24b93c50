//! Tasks that only wait: what they cost while they do, and whether a killed server comes back with them.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::rig::{Rig, stats};
use super::wire::request;
use super::{Figures, Plan, machine};

const WAITS: u64 = 50_000;
const BATCH: u64 = 1_000;
const SETTLE: Duration = Duration::from_secs(3);
const REST: Duration = Duration::from_secs(20);

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let waits = plan.scaled(WAITS) / BATCH * BATCH;
    ensure!(waits > 0, "at this scale there is nothing to wait for");
    let rig = Rig::start(dir, 4).await?;
    let before = machine::resident_bytes_of(rig.server_process());
    let mut wire = rig.wire().await?;
    let task = r#"{"task_type":"wait","payload":{"for_ms":86400000}}"#;
    let batch = request("POST", "/v1/tasks:batch", &format!("[{}]", vec![task; BATCH as usize].join(",")));
    let begun = Instant::now();
    for _ in 0..waits / BATCH {
        let answer = wire.call(&batch).await?;
        ensure!(answer.status < 300, "a batch was answered with {}", answer.status);
    }
    let took = begun.elapsed().as_secs_f64();
    let count = |stats: &serde_json::Value| stats["tasks_in_memory"]["deferred"].as_u64().unwrap_or_default();
    ensure!(count(&stats(&mut wire).await?) == waits, "not all of them wait");
    figures.add("waits", "tasks that wait", waits as f64, "", ("–", "–"));
    figures.add("waits_begun", "waits begun a second", waits as f64 / took, "/s", ("–", "–"));
    tokio::time::sleep(SETTLE).await;
    let server = rig.server_process();
    let grown = machine::resident_bytes_of(server).saturating_sub(before) as f64;
    let what = "growth of the server, each, with caches and buffers of what was submitted";
    figures.add("waits_grown_bytes", what, grown / waits as f64, "B", ("–", "–"));
    let (cpu, written) = (machine::cpu_time_of(server), machine::written_bytes_of(server));
    let rest = plan.scaled_time(REST);
    tokio::time::sleep(rest).await;
    let cpu = machine::cpu_time_of(server).saturating_sub(cpu).as_secs_f64() / rest.as_secs_f64() * 100.0;
    let written = machine::written_bytes_of(server) - written;
    figures.add("waits_cpu", "CPU of the server while all wait", cpu, "%", ("–", "–"));
    figures.add("waits_written", "bytes it wrote meanwhile", written as f64, "B", ("0", "0"));
    // The processes end by SIGKILL.
    drop(rig);
    let rig = Rig::server_only(dir).await?;
    let mut wire = rig.wire().await?;
    let kept = count(&stats(&mut wire).await?);
    let ready = rig.ready_after.as_secs_f64() * 1e3;
    let held = machine::resident_bytes_of(rig.server_process()).saturating_sub(before) as f64;
    let what = "memory of the server after a restart, each";
    figures.add("waits_bytes", what, held / waits as f64, "B", ("–", "–"));
    figures.add("waits_restart_ms", "after SIGKILL: start to ready", ready, "ms", ("–", "–"));
    figures.add("waits_kept", "and then wait", kept as f64, "", ("–", "–"));
    ensure!(kept == waits, "{kept} of {waits} waits were kept");
    Ok(())
}
