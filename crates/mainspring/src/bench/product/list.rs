//! Lists of 1,000 rows beside very many ended tasks, and reads and lists right after a change that must show it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::flows::{WIDE, apply, many};
use super::pace::pace;
use super::read::{BATCH, LOAD_PER_S};
use super::rig::Rig;
use super::spread::Spread;
use super::throughput::{WORKER_SLOTS, noop, submit_all};
use super::wire::{Wire, request, request_with};
use super::{Figures, Plan};

/// Tasks that have ended.
const TASKS: u64 = 1_000_000;
/// Those that a filter finds: as many as a list has rows.
const RARE: u64 = 1_000;
const RUNS: u64 = 1_000;
const LISTS: u64 = 100;
const CHANGES: u64 = 300;
const RARE_TASK: &str = r#"{"task_type":"noop","labels":{"rare":"yes"}}"#;
const JOB_TASK: &str = r#"{"task_type":"noop","job":"few"}"#;
const CANCELLED_TASK: &str = r#"{"task_type":"noop","delay_ms":86400000,"labels":{"cancel":"me"}}"#;

/// Key, what it is, path.
type List = (&'static str, &'static str, &'static str);
const OF_TASKS: [List; 5] = [
    ("tasks", "tasks, the newest", "/v1/tasks?limit=1000"),
    ("tasks_succeeded", "tasks in the state that nearly all have", "/v1/tasks?limit=1000&state=succeeded"),
    ("tasks_cancelled", "tasks in a state that few have", "/v1/tasks?limit=1000&state=cancelled"),
    ("tasks_label", "tasks by a label that few have", "/v1/tasks?limit=1000&label=rare%3Dyes"),
    ("tasks_job", "tasks of a job that has few", "/v1/tasks?limit=1000&job=few"),
];
const OF_RUNS: [List; 3] = [
    ("runs", "runs, the newest", "/v1/runs?limit=1000"),
    ("runs_job", "runs of a job", "/v1/runs?limit=1000&job=listed"),
    ("runs_succeeded", "runs by state", "/v1/runs?limit=1000&state=succeeded"),
];

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let rig = Rig::start_with(dir, WORKER_SLOTS, &WIDE).await?;
    let tasks = fill(&rig, plan).await?;
    figures.add("list_tasks_ended", "ended tasks beside which was listed", tasks as f64, "", ("–", "–"));
    let mut wire = rig.wire().await?;
    for (key, what, path) in OF_TASKS.into_iter().chain(OF_RUNS) {
        let (mut times, rows) = lists(&mut wire, path).await?;
        for (word, share, aim) in [("p50", 0.5, "–"), ("p95", 0.95, "20")] {
            let what = format!("{rows} {what}, {word}");
            figures.add(&format!("list_{key}_{word}_ms"), &what, times.at(share), "ms", ("–", aim));
        }
    }
    after_changes(&rig, "idle", figures).await?;
    let over = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&over);
    let load =
        tokio::spawn(pace(rig.wire().await?, LOAD_PER_S, BATCH, move || ended.load(Ordering::Relaxed)));
    after_changes(&rig, "half_load", figures).await?;
    over.store(true, Ordering::Relaxed);
    load.await??;
    Ok(())
}

/// Common tasks first and last, those that filters look for between them; how many have ended.
async fn fill(rig: &Rig, plan: &Plan) -> anyhow::Result<u64> {
    let common = plan.scaled(TASKS);
    submit_all(rig, common / 2, RARE, &noop(200)).await?;
    for task in [RARE_TASK, JOB_TASK, CANCELLED_TASK] {
        submit_all(rig, RARE, RARE, task).await?;
    }
    let mut wire = rig.wire().await?;
    let cancel = request("POST", "/v1/tasks:cancel", r#"{"labels":{"cancel":"me"}}"#);
    ensure!(wire.call(&cancel).await?.status < 300, "the tasks that were to be cancelled were not");
    apply(&mut wire, "listed", r#""step":{"noop":{}}"#).await?;
    many(rig, "listed", RUNS).await?;
    submit_all(rig, common - common / 2, RARE, &noop(200)).await?;
    rig.settled().await?;
    Ok(common + 3 * RARE + RUNS)
}

async fn lists(wire: &mut Wire, path: &str) -> anyhow::Result<(Spread, usize)> {
    let list = request("GET", path, "");
    let (mut times, mut rows) = (Spread::default(), 0);
    for _ in 0..LISTS {
        let begun = Instant::now();
        let answer = wire.call(&list).await?;
        times.add(begun.elapsed());
        ensure!(answer.status == 200, "`{path}` was answered with {}", answer.status);
        rows = rows_of(answer.body)?;
    }
    Ok((times, rows))
}

fn rows_of(body: &[u8]) -> anyhow::Result<usize> {
    let page: Value = serde_json::from_slice(body)?;
    let rows = page.get("tasks").or_else(|| page.get("runs")).and_then(Value::as_array);
    Ok(rows.context("a list without rows")?.len())
}

/// A change, and then a read and a list that must show it: they carry the record that its answer named.
async fn after_changes(rig: &Rig, load: &str, figures: &mut Figures) -> anyhow::Result<()> {
    let mut wire = rig.wire().await?;
    let submit = request("POST", "/v1/tasks", r#"{"task_type":"noop","delay_ms":86400000,"job":"changed"}"#);
    let (mut reads, mut lists) = (Spread::default(), Spread::default());
    for _ in 0..CHANGES {
        let answer = wire.call(&submit).await?;
        ensure!(answer.status == 202, "a submission was answered with {}", answer.status);
        let record = answer.header("mainspring-record").context("an answer without a record")?.to_owned();
        let body: Value = serde_json::from_slice(answer.body)?;
        let id = body["task_id"].as_str().context("a task without an id")?;
        let carries = format!("mainspring-record: {record}\r\n");
        for (path, times) in [
            (format!("/v1/tasks/{id}"), &mut reads),
            ("/v1/tasks?limit=1000&job=changed".to_owned(), &mut lists),
        ] {
            let get = request_with("GET", &path, &carries, "");
            let begun = Instant::now();
            let answer = wire.call(&get).await?;
            times.add(begun.elapsed());
            let shows =
                answer.status == 200 && answer.body.windows(id.len()).any(|part| part == id.as_bytes());
            ensure!(shows, "`{path}` does not show the change: {}", answer.status);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for (what, mut times) in [("read", reads), ("list", lists)] {
        let text = format!("{what} that must show the change before it, {}, p95", load.replace('_', " "));
        figures.add(&format!("{what}_after_change_{load}_p95_ms"), &text, times.at(0.95), "ms", ("–", "–"));
    }
    Ok(())
}
