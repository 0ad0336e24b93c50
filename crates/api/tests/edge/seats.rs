//! Named and keyed limits of single tasks: checked, kept, shown, and told to the worker.

use mainspring_core::engine::Configure;
use mainspring_core::values::Name;
use serde_json::json;

use crate::rig::Rig;
use crate::worker::FakeWorker;

const KEYED: &str =
    r#"{"task_type":"sleep","payload":{"ms":1},"limits":[{"name":"customer","key":"acme","max":1}]}"#;
const NAMED: &str = r#"{"task_type":"sleep","payload":{"ms":1},"limits":[{"name":"db"}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_task_waits_for_its_place_and_says_who_holds_it() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 8).await;
    let first = rig.submit(KEYED).await.task_id();
    let start = worker.start().await;
    assert!(start.exclusive, "nobody else may do it meanwhile");
    let second = rig.submit(KEYED).await.task_id();
    let told = rig.get(&format!("/v1/tasks/{second}/diagnosis")).await.json();
    assert_eq!((&told["reason"], &told["holders"]), (&json!("limit"), &json!([first])), "{told}");
    let shown = rig.get(&format!("/v1/tasks/{second}")).await.json();
    assert_eq!(shown["limits"], json!([{"name": "customer", "key": "acme", "max": 1}]), "{shown}");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forced_holder_keeps_its_place_until_its_worker_says_that_it_ended() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 8).await;
    let first = rig.submit(KEYED).await.task_id();
    let start = worker.start().await;
    let second = rig.submit(KEYED).await.task_id();
    let path = format!("/v1/tasks/{first}:force-state");
    let forced = rig.call("POST", &path, r#"{"state":"failed","actor":"ann"}"#).await;
    assert_eq!((forced.status, &forced.json()["stopping"]), (200, &json!(true)), "{}", forced.text);
    assert_eq!(worker.stop().await.reason, "force");
    let told = rig.get(&format!("/v1/tasks/{second}/diagnosis")).await.json();
    assert_eq!((&told["reason"], &told["holders"]), (&json!("limit"), &json!([first])), "{told}");
    worker.fail(&start, "cancelled", "stopped").await;
    assert_eq!(crate::worker::id_of(&worker.start().await), second);
    let ended = rig.until(&first, "failed").await;
    assert_eq!(ended["forced_by"]["actor"], "ann");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configured_limit_lets_more_of_them_run() {
    let rig = Rig::start().await;
    rig.configure(vec![Configure::Limit { limit: Name::fixed("db"), max: Some(2) }]);
    let mut worker = FakeWorker::join(rig.address, 1, 1, 8).await;
    for _ in 0..3 {
        rig.submit(NAMED).await;
    }
    assert!(!worker.start().await.exclusive, "there are two places");
    worker.start().await;
    let stats = rig.get("/v1/stats").await.json();
    assert_eq!((&stats["queued"], &stats["running"]), (&json!(1), &json!(2)), "{stats}");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_limits_are_named() {
    let rig = Rig::start().await;
    let many: Vec<_> = (0..17).map(|at| json!({"name": format!("l{at}")})).collect();
    for (limits, code, words) in [
        (json!([{"name": "db", "max": 0}]), "INVALID_FIELD", "at least 1"),
        (json!([{"name": ""}]), "INVALID_FIELD", "empty"),
        (json!([{"key": "db"}]), "INVALID_FIELD", "name"),
        (json!(many), "TOO_MANY_LIMITS", "17 limits of at most 16"),
    ] {
        let body = json!({"task_type": "noop", "limits": limits}).to_string();
        let answer = rig.call("POST", "/v1/tasks", &body).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, code), "{body}");
        assert!(answer.json()["message"].as_str().is_some_and(|text| text.contains(words)), "{body}");
    }
    rig.stop().await;
}
