//! Submit → assign → finish, durable, with and without a row of history for each task.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mainspring_core::decision::Effect;
use mainspring_runtime::ShardConfig;

use super::load::{Rig, Source, hello, now_ms, success};
use super::{Figures, Plan, machine};

/// Submitted and not yet acknowledged as finished, at most.
const WINDOW: u64 = 40_000;
const WORKER_SLOTS: u32 = 20_000;
const SUBMIT_BATCH: u64 = 1_000;

pub(super) fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rows = [
        ("engine_per_s", "tasks a second, history off", false, 3_000_000, ("250,000", "450,000")),
        (
            "engine_history_per_s",
            "tasks a second, one history row each",
            true,
            1_500_000,
            ("80,000", "120,000"),
        ),
    ];
    for (key, what, history, tasks, bounds) in rows {
        let tasks = plan.scaled(tasks);
        let config = ShardConfig { history, ..ShardConfig::default() };
        let rig = Rig::open(&dir.join(key), &config)?;
        rig.call(vec![hello(WORKER_SLOTS)]);
        let mut source = Source::new();
        drive(&rig, &mut source, tasks / 10);
        let (start, cpu) = (Instant::now(), machine::cpu_time());
        drive(&rig, &mut source, tasks);
        // Until the tables hold everything too: what they lag behind is not free.
        rig.node.stop();
        let elapsed = start.elapsed();
        let cpu = machine::cpu_time().saturating_sub(cpu);
        figures.add(key, what, tasks as f64 / elapsed.as_secs_f64(), "/s", bounds);
        let cpu_key = if history { "engine_history_cpu_us" } else { "engine_cpu_us" };
        let per_task = cpu.as_secs_f64() * 1e6 / tasks as f64;
        figures.add(cpu_key, &format!("CPU of all threads per task, {what}"), per_task, "µs", ("–", "–"));
    }
    Ok(())
}

/// Keeps the window full until every task is acknowledged as durably finished. What is refused because the tables
/// lag is submitted again, as a well-behaved producer does.
fn drive(rig: &Rig, source: &mut Source, tasks: u64) {
    let refused = Arc::new(AtomicU64::new(0));
    let (mut submitted, mut finished) = (0, 0);
    while finished < tasks {
        let accepted = submitted - refused.load(Ordering::Relaxed);
        if accepted < tasks && accepted - finished < WINDOW {
            let count = SUBMIT_BATCH.min(tasks - accepted);
            rig.send_counting(source.batch(count, now_ms()), &refused);
            submitted += count;
        }
        // With a full window there is nothing to do but wait for the worker's orders.
        let full = submitted - refused.load(Ordering::Relaxed) - finished >= WINDOW;
        let wait = if full { Duration::from_millis(5) } else { Duration::ZERO };
        let Ok(effects) = rig.effects.recv_timeout(wait) else { continue };
        let mut reports = Vec::new();
        for effect in effects {
            match effect {
                Effect::Start(start) => reports.push(success(&start)),
                Effect::Acknowledge { .. } => finished += 1,
                Effect::Stop { .. }
                | Effect::SessionLost { .. }
                | Effect::Drain { .. }
                | Effect::Alert { .. }
                | Effect::RunAlert { .. }
                | Effect::ScheduleAlert { .. }
                | Effect::RunEnded { .. }
                | Effect::JobDeleted { .. }
                | Effect::Changed { .. }
                | Effect::News(_) => {}
            }
        }
        if !reports.is_empty() {
            rig.send(reports);
        }
    }
}
