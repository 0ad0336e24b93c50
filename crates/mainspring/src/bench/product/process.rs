//! OS processes started and seen through, beside a bare loop of fork and exec in the same run.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};

use super::rig::Rig;
use super::throughput::submit_all;
use super::{Figures, Plan};

const TASKS: u64 = 6_000;
/// Enough that none waits for the journal: a program like this is over long before its result is durable.
const WORKER_SLOTS: u32 = 32;
const THREADS: u64 = 2;
const PROGRAM: &str = "/bin/true";

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::start(dir, WORKER_SLOTS).await?;
    let tasks = plan.scaled(TASKS);
    let task = format!(r#"{{"task_type":"process","timeout_ms":60000,"payload":{{"argv":["{PROGRAM}"]}}}}"#);
    // Before and after: what else the machine does hits both alike.
    let first = bare(tasks / 2)?;
    submit_all(&rig, tasks / 10, 100, &task).await?;
    rig.settled().await?;
    let begun = Instant::now();
    submit_all(&rig, tasks, 500, &task).await?;
    // Not `settled`: cuts are a quarter of a second apart, and a run of a few seconds would be measured in such steps.
    rig.ended().await?;
    let rate = tasks as f64 / begun.elapsed().as_secs_f64();
    rig.settled().await?;
    let bare = f64::midpoint(first, bare(tasks / 2)?);
    figures.add("process_bare_per_s", "bare fork + exec of /bin/true, two threads", bare, "/s", ("–", "–"));
    figures.add("process_per_s", "processes started, seen through and recorded", rate, "/s", ("–", "–"));
    figures.add("process_share", "… as a share of the bare loop", rate / bare * 100.0, "%", ("70", "90"));
    Ok(())
}

fn bare(count: u64) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            std::thread::spawn(move || -> anyhow::Result<()> {
                for _ in 0..count / THREADS {
                    let status = Command::new(PROGRAM).status().context("it does not start")?;
                    ensure!(status.success(), "{PROGRAM} failed");
                }
                Ok(())
            })
        })
        .collect();
    for thread in threads {
        thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??;
    }
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}
