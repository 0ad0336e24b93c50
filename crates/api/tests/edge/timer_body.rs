//! The body that timer services send, as it stands.

use crate::rig::Rig;
use crate::worker::FakeWorker;

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
