//! Webhook calls to a trivial local server, submitted in batches.

use std::path::Path;
use std::time::Instant;

use super::rig::Rig;
use super::target::Target;
use super::throughput::submit_all;
use super::{Figures, Plan};

const TASKS: u64 = 60_000;
const WORKER_SLOTS: u32 = 64;

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::start(dir, WORKER_SLOTS).await?;
    let target = Target::start()?;
    let task = call_of(&target);
    submit_all(&rig, plan.scaled(TASKS) / 10, 1_000, &task).await?;
    rig.settled().await?;
    let tasks = plan.scaled(TASKS);
    let (before, begun) = (target.calls(), Instant::now());
    submit_all(&rig, tasks, 1_000, &task).await?;
    rig.settled().await?;
    let rate = (target.calls() - before) as f64 / begun.elapsed().as_secs_f64();
    figures.add(
        "webhook_per_s",
        "webhook calls a second, made and recorded",
        rate,
        "/s",
        ("8,000", "20,000"),
    );
    Ok(())
}

pub(super) fn call_of(target: &Target) -> String {
    let address = target.address;
    format!(r#"{{"task_type":"WEBHOOK","payload":{{"url":"http://{address}/","method":"POST","body":"x"}}}}"#)
}
