//! Long polls: `GET …/{id}?wait=30s` responds when the task or the run has ended.

use std::time::{Duration, Instant};

use mainspring_api::ApiConfig;
use mainspring_runtime::ShardConfig;
use serde_json::Value;

use crate::rig::Rig;

/// Far longer than any test may take.
const LONG: &str = "60s";

/// As the product runs it: changes of tasks are told.
async fn watching() -> Rig {
    let mut shard = ShardConfig::default();
    shard.engine.watch = true;
    Rig::start_with(ApiConfig::default(), shard).await
}

/// Sends the request, and acts once it waits.
async fn meanwhile(rig: &Rig, path: &str, act: impl AsyncFnOnce()) -> (Value, Duration) {
    let began = Instant::now();
    let waits = async {
        // One that waits for a task is counted. One that waits for a run is not: it may be late, and is answered the same.
        for _ in 0..50 {
            if rig.get("/metrics").await.text.contains("mainspring_log_followers 1") {
                break;
            }
        }
        act().await;
    };
    let (answer, ()) = tokio::join!(rig.get(path), waits);
    assert_eq!(answer.status, 200, "{}", answer.text);
    (answer.json(), began.elapsed())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_answered_when_it_ends() {
    let rig = watching().await;
    let id = rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await.task_id();
    let path = format!("/v1/tasks/{id}?wait={LONG}");
    let cancel = async || {
        assert_eq!(rig.call("DELETE", &format!("/v1/tasks/{id}"), "").await.status, 200);
    };
    let (task, took) = meanwhile(&rig, &path, cancel).await;
    assert_eq!(task["state"], "cancelled");
    assert!(took < Duration::from_secs(20), "{took:?}");
    // It has ended: at once.
    let began = Instant::now();
    assert_eq!(rig.get(&path).await.json()["state"], "cancelled");
    assert!(began.elapsed() < Duration::from_secs(20));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_answered_when_it_ends() {
    let rig = Rig::start().await;
    let job = r#"{"job":"waits","tasks":{"a":{"noop":{}}}}"#;
    assert_eq!(rig.call("POST", "/v1/jobs", job).await.status, 200);
    let started = rig.call("POST", "/v1/jobs/waits:trigger", "").await.json();
    let id = started["run_id"].as_str().expect("an id").to_owned();
    let cancel = async || {
        assert_eq!(rig.call("POST", &format!("/v1/runs/{id}:cancel"), "").await.status, 200);
    };
    let (run, took) = meanwhile(&rig, &format!("/v1/runs/{id}?wait={LONG}"), cancel).await;
    assert_eq!(run["state"], "cancelled");
    assert!(took < Duration::from_secs(20), "{took:?}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_end_is_answered_after_the_time_as_it_is() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await.task_id();
    let began = Instant::now();
    assert_eq!(rig.get(&format!("/v1/tasks/{id}?wait=50ms")).await.json()["state"], "pending");
    assert!(began.elapsed() >= Duration::from_millis(50));
    for (wait, what) in
        [("61s", "at most 60 s"), ("2m", "at most 60 s"), ("soon", "write it as"), ("", "write it as")]
    {
        let answer = rig.get(&format!("/v1/tasks/{id}?wait={wait}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_QUERY"), "{wait}");
        assert!(answer.text.contains(what), "{}", answer.text);
    }
    rig.stop().await;
}
