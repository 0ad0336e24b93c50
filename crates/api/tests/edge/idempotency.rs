//! One key, one task.

use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_api::ApiConfig;
use mainspring_runtime::ShardConfig;

use crate::rig::Rig;

const BODY: &str = r#"{"task_type":"noop","payload":{"a":1}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once_make_one_task_and_another_body_is_refused() {
    let rig = Arc::new(Rig::start().await);
    let key = [("idempotency-key", "order-77")];
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let rig = Arc::clone(&rig);
        calls.spawn(async move { rig.call_with("POST", "/v1/tasks", BODY, &key).await });
    }
    let answers = calls.join_all().await;
    assert!(answers.iter().all(|answer| answer.status == 202));
    let texts: BTreeSet<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
    assert_eq!(texts.len(), 1, "every duplicate gets the first answer: {texts:?}");
    let replayed = answers.iter().filter(|answer| answer.headers.contains_key("idempotent-replayed")).count();
    assert_eq!(replayed, 49);
    let stats = rig.get("/v1/stats").await.json();
    assert_eq!(stats["tasks_in_memory"]["queued"], 1);

    let id = answers[0].task_id();
    let rows = [
        ("another payload", r#"{"task_type":"noop","payload":{"a":2}}"#, 422),
        ("another tenant is another key", r#"{"task_type":"noop","payload":{"a":1},"tenant":"b"}"#, 202),
        ("another delay", r#"{"task_type":"noop","payload":{"a":1},"delay_ms":5}"#, 422),
        ("other spelling of the same", r#" { "payload": {"a":1}, "task_type": "NOOP" } "#, 202),
    ];
    for (name, body, status) in rows {
        let answer = rig.call_with("POST", "/v1/tasks", body, &key).await;
        assert_eq!(answer.status, status, "{name}: {}", answer.text);
        if status == 422 {
            assert_eq!(
                (answer.code().as_str(), answer.task_id()),
                ("IDEMPOTENCY_KEY_REUSED", id.clone()),
                "{name}"
            );
        }
    }
    let field = r#"{"task_type":"noop","payload":{"a":1},"idempotency_key":"order-77"}"#;
    assert_eq!(rig.submit(field).await.task_id(), id, "in the body it is the same key");
    Arc::into_inner(rig).expect("the only one").stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_and_tasks_survive_a_restart() {
    let rig = Rig::start().await;
    let key = [("idempotency-key", "k")];
    let first = rig.call_with("POST", "/v1/tasks", BODY, &key).await;
    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    let again = rig.call_with("POST", "/v1/tasks", BODY, &key).await;
    assert_eq!((again.status, &again.text), (202, &first.text));
    assert_eq!(rig.status(&first.task_id()).await, "queued");
    let other = rig.call_with("POST", "/v1/tasks", r#"{"task_type":"noop"}"#, &key).await;
    assert_eq!((other.status, other.code().as_str()), (422, "IDEMPOTENCY_KEY_REUSED"));
    rig.stop().await;
}

/// Every verb, sent twice under one key: done once, answered alike; after a restart too.
#[tokio::test(flavor = "multi_thread")]
async fn verbs_under_a_key_are_done_once() {
    let rig = Rig::start().await;
    let waiting = r#"{"task_type":"noop","delay_ms":3600000}"#;
    let rows = [
        ("PATCH", "", r#"{"delay_ms":7200000}"#),
        ("POST", ":run-now", ""),
        ("POST", ":force-state", r#"{"state":"failed"}"#),
        ("DELETE", "", ""),
        ("POST", ":cancel", ""),
    ];
    let mut seen = Vec::new();
    for (method, verb, body) in rows {
        let id = rig.submit(waiting).await.task_id();
        let path = format!("/v1/tasks/{id}{verb}");
        let key = format!("{method}{verb}");
        let headers = [("idempotency-key", key.as_str())];
        let first = rig.call_with(method, &path, body, &headers).await;
        assert_eq!(first.status, 200, "{path}: {}", first.text);
        let again = rig.call_with(method, &path, body, &headers).await;
        assert_eq!((again.status, &again.text), (200, &first.text), "{path}");
        let other = rig.submit(waiting).await.task_id();
        let reused = rig.call_with(method, &format!("/v1/tasks/{other}{verb}"), body, &headers).await;
        assert_eq!((reused.status, reused.code().as_str()), (422, "IDEMPOTENCY_KEY_REUSED"), "{path}");
        assert_eq!(rig.status(&other).await, "pending", "a refused call changes nothing");
        seen.push((method, path, body, key, first.text));
    }
    let late = rig.call(seen[3].0, &seen[3].1, "").await;
    assert_eq!((late.status, late.code().as_str()), (409, "TASK_ALREADY_ENDED"), "without the key");

    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    for (method, path, body, key, first) in seen {
        let again = rig.call_with(method, &path, body, &[("idempotency-key", &key)]).await;
        assert_eq!((again.status, again.text), (200, first), "{path} after a restart");
    }
    let long = "k".repeat(256);
    let refused =
        rig.call_with("POST", "/v1/tasks:cancel", r#"{"all":true}"#, &[("idempotency-key", &long)]).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "IDEMPOTENCY_KEY_TOO_LONG"));
    rig.stop().await;
}
