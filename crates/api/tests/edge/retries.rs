//! Retries over the edge: when they come, and what delays them.

use mainspring_api::ApiConfig;
use mainspring_core::engine::EngineConfig;
use mainspring_core::retry::RetryRates;
use mainspring_runtime::ShardConfig;
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::worker::{FakeWorker, id_of};

fn batch(count: usize, program: &str) -> String {
    let policy = json!({ "backoff": "fixed", "initial_delay_ms": 1 });
    let task = json!({ "task_type": "process", "payload": { "argv": [program] }, "retry_policy": policy });
    json!(vec![task; count]).to_string()
}

/// Lets so many attempts fail; answers the last task.
async fn fail(rig: &Rig, worker: &mut FakeWorker, count: usize, program: &str) -> String {
    let answer = rig.call("POST", "/v1/tasks:batch", &batch(count, program)).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let mut last = String::new();
    for _ in 0..count {
        let start = worker.start().await;
        worker.fail(&start, "transient", "refused").await;
        last = id_of(&start);
    }
    last
}

#[tokio::test(flavor = "multi_thread")]
async fn a_poll_in_a_pool_without_workers_ends_with_its_deadline() {
    let rig = Rig::start().await;
    let payload = r#"{"file":{"path":"/nowhere"},"timeout_ms":50}"#;
    let body = format!(r#"{{"task_type":"poll","pool":"nobody","payload":{payload}}}"#);
    let id = rig.submit(&body).await.task_id();
    let task = rig.until(&id, "failed").await;
    let message = task["last_error"]["message"].as_str().unwrap_or_default();
    assert_eq!(message, "it was not there in time: no worker of pool `nobody` ever looked", "{task}");
    rig.stop().await;
}

async fn metric(rig: &Rig, name: &str) -> Option<u64> {
    let text = rig.get("/metrics").await.text;
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("mainspring_{name} ")));
    line.and_then(|value| value.parse().ok())
}

#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_quick_retries_of_one_program_are_not_delayed() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1000).await;
    fail(&rig, &mut worker, 300, "flaky").await;
    assert_eq!(metric(&rig, r#"retries_total{budget="target"}"#).await, Some(300));
    assert_eq!(metric(&rig, r#"retries_delayed_total{budget="target"}"#).await, Some(0));
    for _ in 0..300 {
        let again = worker.start().await;
        assert_eq!(again.attempt, 2);
    }
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_up_budget_delays_one_program_and_says_so() {
    let retry_rates = RetryRates { per_min: 1, burst: 3, ..RetryRates::default() };
    let engine = EngineConfig { retry_rates, ..EngineConfig::default() };
    let shard = ShardConfig { engine, ..ShardConfig::default() };
    let rig = Rig::start_with(ApiConfig::default(), shard).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    // The first three come back at once and stay with the worker, which has four slots.
    let mut tasks: Vec<String> = Vec::new();
    for _ in 0..4 {
        tasks.push(fail(&rig, &mut worker, 1, "flaky").await);
        if tasks.len() < 4 {
            assert_eq!(id_of(&worker.start().await), *tasks.last().expect("one"));
        }
    }
    let told: Value = rig.get(&format!("/v1/tasks/{}/diagnosis", tasks[3])).await.json();
    assert_eq!(told["reason"], "retry_budget", "{told}");
    let message = told["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("the retry budget of program `flaky` is used up"), "{message}");
    assert!(told["due_in_ms"].as_u64().is_some_and(|ms| ms > 30_000), "{told}");
    assert!(told["due_at"].is_string(), "{told}");
    assert_eq!(metric(&rig, r#"retries_delayed_total{budget="target"}"#).await, Some(1));

    let other = fail(&rig, &mut worker, 1, "sound").await;
    assert_eq!(id_of(&worker.start().await), other, "another program has a budget of its own");
    drop(worker);
    rig.stop().await;
}
