//! The body that timer services send, as it stands.

use mainspring_api::ApiConfig;
use mainspring_runtime::ShardConfig;

use crate::rig::Rig;
use crate::worker::FakeWorker;

const AT: &str = "2026-01-15T14:40:00.000Z";

const PAYLOAD: &str = r#""payload":{"url":"http://example.test/hook","method":"POST","body":"x"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn the_plain_timer_body_is_taken_as_it_is() {
    let rig = Rig::start().await;
    let retry = r#""retry_policy":{"max_retries":3,"backoff":"exponential"}"#;
    let past = format!(r#"{{"task_type":"WEBHOOK","scheduled_at":1736952000,{PAYLOAD},{retry}}}"#);
    let answer = rig.submit(&past).await;
    assert_eq!((answer.status, answer.json()["status"].as_str()), (202, Some("QUEUED")), "{}", answer.text);
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    assert_eq!(worker.start().await.executor, "http");

    let ahead = format!(r#"{{"task_type":"WEBHOOK","scheduled_at":"2099-01-01T00:00:00Z",{PAYLOAD}}}"#);
    let answer = rig.submit(&ahead).await;
    assert_eq!((answer.status, answer.json()["status"].as_str()), (202, Some("PENDING")), "{}", answer.text);
    let id = answer.task_id();
    let path = format!("/v1/tasks/{id}");
    let task = rig.get(&path).await.json();
    assert_eq!(task["scheduled_at"], "2099-01-01T00:00:00.000Z");
    assert_eq!((&task["max_retries"], &task["retry_count"]), (&3.into(), &0.into()));

    let amended = rig.call("PATCH", &path, r#"{"scheduled_at":4070995200,"priority":"P2"}"#).await;
    assert_eq!(amended.status, 200, "{}", amended.text);
    let task = rig.get(&path).await.json();
    assert_eq!(task["scheduled_at"], "2099-01-02T00:00:00.000Z");
    assert_eq!(task["priority"]["band"], "P2");
    let bad = rig.call("PATCH", &path, r#"{"payload":{"url":"ftp://x"}}"#).await;
    assert_eq!((bad.status, bad.code().as_str()), (400, "INVALID_FIELD"), "{}", bad.text);

    let why = rig.get(&format!("{path}/diagnosis")).await.json();
    assert_eq!(
        (&why["reason"], &why["due_at"]),
        (&"waits_for_time".into(), &"2099-01-02T00:00:00.000Z".into())
    );

    let cancelled = rig.call("DELETE", &path, "").await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.text);
    let cancelled = cancelled.json();
    assert_eq!(cancelled["status"], "CANCELED");
    assert!(cancelled["canceled_at"].is_string() && cancelled["message"].is_string());
    assert_eq!(rig.status(&id).await, "cancelled");

    let id = rig.submit(&ahead).await.task_id();
    let now = rig.call("POST", &format!("/v1/tasks/{id}:run-now"), "").await;
    assert_eq!((now.status, now.json()["status"].as_str()), (200, Some("QUEUED")), "{}", now.text);
    let start = worker.start().await;
    assert_eq!(crate::worker::id_of(&start), id);
    drop(worker);
    rig.stop().await;
}

/// What a timer service promises of a task that recurs: one id for all that is asked of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_recurs_has_an_id_to_read_change_and_cancel_it() {
    let rig = Rig::start().await;
    let body = format!(
        r#"{{"task_type":"WEBHOOK","cron":"0 9 * * *","timezone":"Europe/Berlin","name":"call",{PAYLOAD}}}"#
    );
    let answer = rig.submit(&body).await;
    assert_eq!((answer.status, answer.json()["status"].as_str()), (202, Some("PENDING")), "{}", answer.text);
    assert!(answer.json()["created_at"].is_string(), "{}", answer.text);
    let id = answer.task_id();
    let path = format!("/v1/tasks/{id}");
    let task = rig.get(&path).await.json();
    assert_eq!((&task["task_id"], &task["status"]), (&id.as_str().into(), &"PENDING".into()), "{task:#}");
    assert_eq!(task["payload"]["url"], "http://example.test/hook");
    let recurs = &task["recurs"];
    assert_eq!((&recurs["cron"], &recurs["timezone"]), (&"0 9 * * *".into(), &"Europe/Berlin".into()));
    assert_eq!(task["scheduled_at"], rig.get("/v1/schedules/@tasks/call").await.json()["next"]);

    let changed =
        rig.call("PATCH", &path, r#"{"cron":"30 10 * * *","payload":{"url":"http://b.test/"}}"#).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let task = rig.get(&path).await.json();
    assert_eq!(
        (&task["recurs"]["cron"], &task["recurs"]["timezone"], &task["payload"]["url"]),
        (&"30 10 * * *".into(), &"Europe/Berlin".into(), &"http://b.test/".into()),
        "what was not named stays: {task:#}"
    );
    let other = rig.call("PATCH", &path, r#"{"every":"1h"}"#).await;
    assert_eq!(other.status, 200, "{}", other.text);
    let task = rig.get(&path).await.json();
    assert_eq!((&task["recurs"]["every"], task["recurs"].get("cron")), (&"1h".into(), None), "{task:#}");
    for (body, status, code) in [
        (r#"{"scheduled_at":4070995200}"#, 409, "TIMING_DOES_NOT_FIT"),
        (r#"{"cron":"61 * * * *"}"#, 422, "SCHEDULE_INVALID"),
        (r#"{"payload":{"url":"ftp://x"}}"#, 400, "INVALID_FIELD"),
        ("{}", 400, "INVALID_FIELD"),
    ] {
        let refused = rig.call("PATCH", &path, body).await;
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{body}: {}", refused.text);
    }

    let cancelled = rig.call("DELETE", &path, "").await.json();
    assert_eq!((&cancelled["status"], &cancelled["task_id"]), (&"CANCELED".into(), &id.as_str().into()));
    let again = rig.call("DELETE", &path, "").await.json();
    assert_eq!(again["canceled_at"], cancelled["canceled_at"], "it was cancelled once");
    let task = rig.get(&path).await.json();
    assert_eq!((&task["status"], task.get("scheduled_at")), (&"CANCELED".into(), None), "{task:#}");
    let gone = rig.call("PATCH", &path, r#"{"every":"1h"}"#).await;
    assert_eq!((gone.status, gone.code().as_str()), (404, "TASK_NOT_FOUND"));
    let missing = rig.get("/v1/tasks/schedule_0000000000ffffff").await;
    assert_eq!((missing.status, missing.code().as_str()), (404, "TASK_NOT_FOUND"));

    let once = rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await.task_id();
    let refused = rig.call("PATCH", &format!("/v1/tasks/{once}"), r#"{"cron":"@daily"}"#).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "TIMING_DOES_NOT_FIT"), "{}", refused.text);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_a_task_stays_readable_and_comes_as_seconds_to_who_asks() {
    let rig = Rig::start().await;
    let body = format!(r#"{{"task_type":"noop","scheduled_at":4070995200,"payload":{{"made_at":"{AT}"}}}}"#);
    let id = rig.submit(&body).await.task_id();
    let path = format!("/v1/tasks/{id}");
    let unix = [("prefer", "times=unix")];
    let task = rig.call_with("GET", &path, "", &unix).await;
    assert_eq!(
        task.headers.get("preference-applied").map(http::HeaderValue::as_bytes),
        Some(&b"times=unix"[..])
    );
    let task = task.json();
    assert_eq!(task["scheduled_at"], 4_070_995_200_u64, "{task:#}");
    assert!(task["created_at"].is_u64() && task["updated_at"].is_u64(), "{task:#}");
    assert_eq!(task["payload"]["made_at"], AT, "what the caller gave is the caller's");
    let list = rig.call_with("GET", "/v1/tasks", "", &unix).await.json();
    assert_eq!(list["tasks"][0]["scheduled_at"], 4_070_995_200_u64, "{list:#}");

    rig.call("POST", &format!("{path}:run-now"), "").await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let start = worker.start().await;
    assert_eq!(rig.get(&path).await.json()["scheduled_at"], "2099-01-02T00:00:00.000Z", "while it runs");
    worker.succeed(&start, "1").await;
    drop(worker);
    assert_eq!(rig.until(&id, "succeeded").await["scheduled_at"], "2099-01-02T00:00:00.000Z");
    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    let ended = rig.get(&path).await.json();
    assert_eq!(ended["scheduled_at"], "2099-01-02T00:00:00.000Z", "from the tables: {ended:#}");
    let deleted = rig.call_with("POST", "/v1/tasks", r#"{"task_type":"noop"}"#, &unix).await.json();
    assert!(deleted["created_at"].is_u64(), "{deleted:#}");
    rig.stop().await;
}
