//! The server's own account at the end: every task with its attempts, and every list.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;

use crate::client::Caller;
use crate::history::{AttemptRecord, Ms, TaskRecord};

/// From the last fault until all has ended.
const ENDING_MAX: Duration = Duration::from_mins(2);
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Reads under way at once.
const READERS: usize = 16;

/// Waits until no task in memory is unfinished; gives what was left if that takes too long.
pub async fn all_ended(caller: &Caller) -> Result<(), Value> {
    let start = Instant::now();
    loop {
        let stats = caller.read("/v1/stats").await.expect("stats are always there");
        let open = ["pending", "queued", "assigned", "running", "retry_wait", "deferred"];
        let count = |word: &&str| stats["tasks_in_memory"][*word].as_u64().unwrap_or(0);
        if open.iter().map(count).sum::<u64>() == 0 {
            return Ok(());
        }
        if start.elapsed() > ENDING_MAX {
            return Err(stats);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// (task id, key) of everything that the lists name. Ended tasks reach them a moment after they ended, so it is
/// asked again until as many are there as were acknowledged; the checker has the last word.
pub async fn listed(caller: &Caller, wanted: usize) -> Vec<(String, String)> {
    let start = Instant::now();
    loop {
        let found = list(caller).await;
        if found.len() >= wanted || start.elapsed() > Duration::from_secs(20) {
            return found;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn list(caller: &Caller) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = caller.read(&format!("/v1/tasks?limit=1000{cursor}")).await.expect("a list is there");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let tasks = page["tasks"].as_array().expect("a list has tasks");
        found.extend(tasks.iter().map(|task| (text(&task["task_id"]), text(&task["labels"]["key"]))));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

pub async fn tasks(caller: &Caller, ids: Vec<String>) -> Vec<(String, TaskRecord)> {
    let mut reading = JoinSet::new();
    let share = ids.len().div_ceil(READERS).max(1);
    for part in ids.chunks(share) {
        let (caller, part) = (caller.clone(), part.to_vec());
        reading.spawn(async move {
            let mut found = Vec::new();
            for id in part {
                if let Some(task) = caller.read(&format!("/v1/tasks/{id}")).await {
                    found.push((id, record(&task)));
                }
            }
            found
        });
    }
    reading.join_all().await.into_iter().flatten().collect()
}

fn record(task: &Value) -> TaskRecord {
    let attempts = task["attempts"].as_array().expect("a task has attempts");
    TaskRecord {
        state: task["state"].as_str().expect("a state").to_owned(),
        attempt_count: task["attempt_count"].as_u64().expect("a count"),
        attempts_dropped: task["attempts_dropped"].as_u64().unwrap_or(0),
        cancel_requested: task["cancel_requested"] == true,
        attempts: attempts.iter().map(attempt).collect(),
    }
}

fn attempt(attempt: &Value) -> AttemptRecord {
    AttemptRecord {
        number: attempt["number"].as_u64().expect("a number"),
        fence: attempt["fence"].as_str().and_then(|fence| fence.parse().ok()).expect("a fence"),
        assigned: instant(&attempt["assigned_at"]),
        failed: attempt["error"]["class"].as_str().map(str::to_owned),
    }
}

fn instant(text: &Value) -> Ms {
    let at: jiff::Timestamp = text.as_str().and_then(|text| text.parse().ok()).expect("an instant");
    at.as_millisecond() as Ms
}
