//! Cancel in each state.

use mainspring_proto::v1::report::What;

use crate::rig::Rig;
use crate::worker::FakeWorker;

async fn delete(rig: &Rig, id: &str, query: &str) -> (u16, String) {
    let answer = rig.call("DELETE", &format!("/v1/tasks/{id}{query}"), "").await;
    let word = if answer.status == 200 {
        let answer = answer.json();
        let stopping = if answer["stopping"] == true { "stopping" } else { "" };
        answer["state"].as_str().unwrap_or(stopping).to_owned()
    } else {
        answer.code()
    };
    (answer.status, word)
}

fn done(status: u16, word: &str) -> (u16, String) {
    (status, word.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_tasks_are_canceled_and_ended_ones_are_not() {
    let rig = Rig::start().await;
    let pending = rig.submit(r#"{"task_type":"noop","delay_ms":60000}"#).await.task_id();
    let queued = rig.submit(r#"{"task_type":"noop","pool":"nobody"}"#).await.task_id();
    for id in [&pending, &queued] {
        assert_eq!(delete(&rig, id, "").await, done(200, "cancelled"));
        assert_eq!(delete(&rig, id, "").await, done(409, "TASK_ALREADY_ENDED"));
        assert_eq!(rig.status(id).await, "cancelled");
    }
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    let retried = r#"{"task_type":"noop","retry_policy":{"max_retries":3,"backoff":"fixed","initial_delay_ms":60000,"jitter_percent":0}}"#;
    let id = rig.submit(retried).await.task_id();
    let start = worker.start().await;
    worker.fail(&start, "transient", "no").await;
    rig.until(&id, "retry_wait").await;
    let why = rig.get(&format!("/v1/tasks/{id}/diagnosis")).await.json();
    assert_eq!(why["reason"], "backoff");
    assert_eq!(delete(&rig, &id, "").await, done(200, "cancelled"));
    drop(worker);
    rig.stop().await;
}

/// What an answer says of a time is what every later read says.
#[tokio::test(flavor = "multi_thread")]
async fn times_of_answers_are_those_of_the_task() {
    let rig = Rig::start().await;
    let body = r#"{"task_type":"noop","delay_ms":60000}"#;
    let key = [("idempotency-key", "k")];
    let answer = rig.call_with("POST", "/v1/tasks", body, &key).await;
    let path = format!("/v1/tasks/{}", answer.task_id());
    let read = rig.get(&path).await.json();
    assert_eq!(answer.json()["created_at"], read["created_at"]);
    let again = rig.call_with("POST", "/v1/tasks", body, &key).await.json();
    assert_eq!(again["created_at"], read["created_at"], "of a duplicate, too");
    for _ in 0..2 {
        let batch = rig
            .call_with("POST", "/v1/tasks:batch", &format!("[{body}]"), &[("idempotency-key", "b")])
            .await
            .json();
        let first = &batch["results"][0];
        let read = rig.get(&format!("/v1/tasks/{}", first["task_id"].as_str().expect("an id"))).await.json();
        assert_eq!(first["created_at"], read["created_at"], "{batch:#}");
    }
    let cancelled = rig.call("DELETE", &path, "").await.json();
    let read = rig.get(&path).await.json();
    assert_eq!((&cancelled["canceled_at"], &read["ended_at"]), (&read["ended_at"], &read["updated_at"]));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_task_is_left_alone_unless_forced() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    let id = rig.submit(r#"{"task_type":"noop"}"#).await.task_id();
    let start = worker.start().await;
    assert_eq!(delete(&rig, &id, "").await, done(409, "TASK_ALREADY_RUNNING"));
    worker.report(&start, What::Accepted(true)).await;
    rig.until(&id, "running").await;
    assert_eq!(delete(&rig, &id, "?force=false").await, done(409, "TASK_ALREADY_RUNNING"));
    let amend = rig.call("PATCH", &format!("/v1/tasks/{id}"), r#"{"priority":"P0"}"#).await;
    assert_eq!((amend.status, amend.code().as_str()), (409, "TASK_ALREADY_RUNNING"));
    let retry = rig.call("POST", &format!("/v1/tasks/{id}:retry"), "").await;
    assert_eq!((retry.status, retry.code().as_str()), (409, "TASK_NOT_ENDED"));

    assert_eq!(delete(&rig, &id, "?force=true").await, done(200, "stopping"));
    let stop = worker.stop().await;
    assert_eq!(
        (stop.task.clone(), stop.fence, stop.reason.as_str()),
        (start.task.clone(), start.fence, "cancel")
    );
    worker.fail(&start, "transient", "killed").await;
    let task = rig.until(&id, "cancelled").await;
    assert_eq!(task["cancel_requested"], true);
    assert_eq!(delete(&rig, &id, "?force=true").await, done(409, "TASK_ALREADY_ENDED"));
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_says_how_it_ended() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop","pool":"nobody"}"#).await.task_id();
    let path = format!("/v1/tasks/{id}:force-state");
    let forced =
        rig.call("POST", &path, r#"{"state":"COMPLETED","actor":"ann","reason":"done by hand"}"#).await;
    assert_eq!((forced.status, forced.json()["state"].as_str()), (200, Some("succeeded")), "{}", forced.text);
    let task = rig.until(&id, "succeeded").await;
    assert_eq!(task["forced_by"]["actor"], "ann");
    let again = rig.call("POST", &path, r#"{"state":"failed"}"#).await;
    assert_eq!((again.status, again.code().as_str()), (409, "TASK_ALREADY_ENDED"));
    rig.stop().await;
}
