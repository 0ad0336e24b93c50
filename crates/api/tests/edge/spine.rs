//! Submit, run, read: the way of every task.

use mainspring_proto::v1::report::What;

use crate::rig::Rig;
use crate::worker::{FakeWorker, id_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_submitted_run_and_recorded() {
    let rig = Rig::start().await;
    let body = r#"{"task_type":"noop","tenant":"acme","job":"mail","payload":{"n": 1},
        "labels":{"team":"a"},"priority":{"band":"P0","level":7},"timeouts":{"hard_ms":60000}}"#;
    let answer = rig.submit(body).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    assert!(answer.headers.contains_key("x-request-id"));
    assert_eq!(answer.json()["state"], "queued");
    let id = answer.task_id();

    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let start = worker.start().await;
    assert_eq!(id_of(&start), id);
    assert_eq!(start.payload, br#"{"n": 1}"#, "the payload is handed on as it came");
    assert_eq!(
        (start.executor.as_str(), start.tenant.as_str(), start.job.as_str()),
        ("noop", "acme", "mail")
    );
    assert_eq!((start.attempt, start.hard_timeout_ms), (1, 60_000));
    worker.report(&start, What::Accepted(true)).await;
    rig.until(&id, "running").await;
    worker.succeed(&start, r#"{"sum":3}"#).await;

    let task = rig.until(&id, "succeeded").await;
    assert_eq!(task["output"]["sum"], 3);
    assert_eq!(task["payload"]["n"], 1);
    assert_eq!(task["labels"]["team"], "a");
    assert_eq!(task["priority"]["band"], "P0");
    assert_eq!(task["attempts"].as_array().map(Vec::len), Some(1));
    assert_eq!(task["retry_count"], 0);
    assert!(task["created_at"].as_str() <= task["ended_at"].as_str());
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_shown_and_retried_and_ends_among_the_dead_letters() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let body = r#"{"task_type":"noop","retry_policy":{"max_retries":1,"backoff":"none"}}"#;
    let id = rig.submit(body).await.task_id();
    for attempt in 1..=2 {
        let start = worker.start().await;
        assert_eq!(start.attempt, attempt);
        worker.fail(&start, "transient", &format!("broke {attempt}")).await;
    }
    let task = rig.until(&id, "failed").await;
    assert_eq!(task["retry_count"], 1);
    assert_eq!(task["last_error"]["message"], "broke 2");
    assert_eq!(task["last_error"]["class"], "transient");
    assert_eq!(task["attempts"][0]["error"]["message"], "broke 1");
    assert_eq!(task["attempts"][0]["error"]["code"], 3);

    let dead = lists(&rig, "/v1/dead-letters", &id).await;
    assert_eq!(dead["tasks"][0]["state"], "failed");

    let again = rig.call("POST", &format!("/v1/tasks/{id}:retry"), r#"{"reason":"fixed"}"#).await;
    assert_eq!((again.status, again.json()["state"].as_str()), (200, Some("queued")), "{}", again.text);
    let start = worker.start().await;
    assert_eq!(id_of(&start), id);
    worker.succeed(&start, "plain text").await;
    let task = rig.until(&id, "succeeded").await;
    assert_eq!(task["output"], "plain text");
    drop(worker);
    rig.stop().await;
}

/// History follows by milliseconds.
async fn lists(rig: &Rig, path: &str, id: &str) -> serde_json::Value {
    for _ in 0..200 {
        let page = rig.get(path).await.json();
        if page["tasks"].as_array().is_some_and(|tasks| tasks.iter().any(|task| task["task_id"] == id)) {
            return page;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("{id} never was in {path}");
}
