//! The same mistake gets the same error code on both edges.

use mainspring_proto::v1;
use prost_types::{Duration, Timestamp};
use tonic::Code;

use super::{Clients, noop, reason, refused_alike};
use crate::rig::Rig;

const NONE: &str = "task_00000000000000000000000000000001";

fn web(payload: &str) -> v1::TaskSpec {
    v1::TaskSpec {
        task_type: "webhook".into(),
        payload_json: Some(payload.into()),
        ..v1::TaskSpec::default()
    }
}

fn retried(policy: v1::RetryPolicy) -> v1::TaskSpec {
    v1::TaskSpec { retry_policy: Some(policy), ..noop() }
}

fn long(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// (what, REST body, gRPC message, code)
#[rustfmt::skip]
fn submissions() -> Vec<(&'static str, String, v1::TaskSpec, &'static str)> {
    let seconds = |seconds| Some(Duration { seconds, nanos: 0 });
    let rest = |text: &str| text.to_owned();
    let with = |text: &str| format!(r#"{{"task_type":"noop",{text}}}"#);
    let labels = |count: usize| (0..count).map(|n| format!("k{n}"));
    let json_labels = labels(33).map(|key| format!(r#""{key}":"v""#)).collect::<Vec<_>>().join(",");
    let ones = vec!["1"; 65].join(",");
    vec![
        ("no executor", rest("{}"), v1::TaskSpec::default(), "INVALID_FIELD"),
        ("unknown executor", rest(r#"{"task_type":"EMAIL"}"#), v1::TaskSpec { task_type: "EMAIL".into(), ..noop() }, "UNKNOWN_EXECUTOR"),
        ("payload is no JSON", with(r#""payload":{"#), v1::TaskSpec { payload_json: Some("{".into()), ..noop() }, "INVALID_JSON"),
        ("control character", with(r#""job":"a\nb""#), v1::TaskSpec { job: Some("a\nb".into()), ..noop() }, "INVALID_FIELD"),
        ("empty tenant", with(r#""tenant":"""#), v1::TaskSpec { tenant: Some(String::new()), ..noop() }, "INVALID_FIELD"),
        ("long job", with(&format!(r#""job":"{}""#, "x".repeat(201))), v1::TaskSpec { job: Some(long(201)), ..noop() }, "NAME_TOO_LONG"),
        ("empty pool", with(r#""pool":"""#), v1::TaskSpec { pool: Some(String::new()), ..noop() }, "INVALID_FIELD"),
        ("empty key", with(r#""idempotency_key":"""#), v1::TaskSpec { idempotency_key: Some(String::new()), ..noop() }, "INVALID_FIELD"),
        ("long key", with(&format!(r#""idempotency_key":"{}""#, "x".repeat(256))), v1::TaskSpec { idempotency_key: Some(long(256)), ..noop() }, "IDEMPOTENCY_KEY_TOO_LONG"),
        ("jitter", with(r#""retry_policy":{"jitter_percent":101}"#), retried(v1::RetryPolicy { jitter_percent: Some(101), ..Default::default() }), "INVALID_FIELD"),
        ("jitter beyond a byte", with(r#""retry_policy":{"jitter_percent":300}"#), retried(v1::RetryPolicy { jitter_percent: Some(300), ..Default::default() }), "INVALID_FIELD"),
        ("retries", with(r#""retry_policy":{"max_retries":100001}"#), retried(v1::RetryPolicy { max_retries: Some(100_001), ..Default::default() }), "INVALID_FIELD"),
        ("growth", with(r#""retry_policy":{"growth_percent":50}"#), retried(v1::RetryPolicy { growth_percent: Some(50), ..Default::default() }), "INVALID_FIELD"),
        ("backoff", with(r#""retry_policy":{"backoff":"wild"}"#), retried(v1::RetryPolicy { backoff: 9, ..Default::default() }), "INVALID_FIELD"),
        ("class", with(r#""retry_policy":{"retry_on":["bad"]}"#), retried(v1::RetryPolicy { retry_on: vec!["bad".into()], ..Default::default() }), "INVALID_FIELD"),
        ("delays", with(&format!(r#""retry_policy":{{"delays_ms":[{ones}]}}"#)), retried(v1::RetryPolicy { delays: vec![Duration::default(); 65], ..Default::default() }), "TOO_MANY_ENTRIES"),
        ("two times", with(r#""delay_ms":1000,"scheduled_at":1"#), v1::TaskSpec { delay: seconds(1), scheduled_at: Some(Timestamp { seconds: 1, nanos: 0 }), ..noop() }, "INVALID_FIELD"),
        ("negative delay", with(r#""delay_ms":-1000"#), v1::TaskSpec { delay: seconds(-1), ..noop() }, "INVALID_FIELD"),
        ("after the year 9999", with(r#""scheduled_at":253402300800"#), v1::TaskSpec { scheduled_at: Some(Timestamp { seconds: 253_402_300_800, nanos: 0 }), ..noop() }, "INVALID_FIELD"),
        ("too far ahead", with(r#""delay_ms":6000000000000"#), v1::TaskSpec { delay: seconds(6_000_000_000), ..noop() }, "TOO_FAR_AHEAD"),
        ("no limit", with(r#""timeout_ms":0"#), v1::TaskSpec { timeout: seconds(0), ..noop() }, "INVALID_FIELD"),
        ("two limits", with(r#""timeout_ms":1000,"timeouts":{"hard_ms":1000}"#), v1::TaskSpec { timeout: seconds(1), timeouts: Some(v1::Timeouts { hard: seconds(1), ..Default::default() }), ..noop() }, "INVALID_FIELD"),
        ("band", with(r#""priority":"P9""#), v1::TaskSpec { priority: Some(v1::Priority { band: Some("P9".into()), level: None }), ..noop() }, "INVALID_FIELD"),
        ("level", with(r#""priority":{"level":11}"#), v1::TaskSpec { priority: Some(v1::Priority { band: None, level: Some(11) }), ..noop() }, "INVALID_FIELD"),
        ("level beyond a byte", with(r#""priority":{"level":256}"#), v1::TaskSpec { priority: Some(v1::Priority { band: None, level: Some(256) }), ..noop() }, "INVALID_FIELD"),
        ("delivery", with(r#""delivery":"exactly_once""#), v1::TaskSpec { delivery: 3, ..noop() }, "INVALID_FIELD"),
        ("labels", with(&format!(r#""labels":{{{json_labels}}}"#)), v1::TaskSpec { labels: labels(33).map(|key| (key, "v".to_owned())).collect(), ..noop() }, "TOO_MANY_LABELS"),
        ("placement", with(r#""placement":{"worker_labels":["=v"]}"#), v1::TaskSpec { placement: Some(v1::Placement { worker_labels: vec!["=v".into()], zone: None }), ..noop() }, "INVALID_FIELD"),
        ("webhook without url", rest(r#"{"task_type":"webhook","payload":{}}"#), web("{}"), "INVALID_FIELD"),
        ("webhook elsewhere", rest(r#"{"task_type":"webhook","payload":{"url":"file:///x"}}"#), web(r#"{"url":"file:///x"}"#), "INVALID_FIELD"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_bad_submission_gets_the_same_code() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    for (name, body, spec, code) in submissions() {
        let rest = rig.submit(&body).await;
        assert_eq!((rest.status, rest.code().as_str()), (400, code), "{name}: {}", rest.text);
        let refused = grpc.submit(spec).await.expect_err(name);
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::InvalidArgument, code),
            "{name}: {refused:?}"
        );
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
#[rustfmt::skip]
async fn the_same_bad_list_gets_the_same_code() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let list = v1::ListTasksRequest::default;
    let rows = [
        ("no page", "limit=0", v1::ListTasksRequest { limit: Some(0), ..list() }, "INVALID_QUERY"),
        ("long page", "limit=1001", v1::ListTasksRequest { limit: Some(1001), ..list() }, "PAGE_TOO_LONG"),
        ("state", "state=DONE", v1::ListTasksRequest { states: vec![99], ..list() }, "INVALID_QUERY"),
        ("cursor", "cursor=zz", v1::ListTasksRequest { cursor: Some("zz".into()), ..list() }, "INVALID_QUERY"),
        ("worker", "worker=me", v1::ListTasksRequest { worker: Some("me".into()), ..list() }, "INVALID_QUERY"),
        ("label", "label=x", v1::ListTasksRequest { label: Some("x".into()), ..list() }, "INVALID_QUERY"),
        ("time", "ended_from=999999999999", v1::ListTasksRequest { ended_from: Some(Timestamp { seconds: 999_999_999_999, nanos: 0 }), ..list() }, "INVALID_QUERY"),
    ];
    for (name, query, request, code) in rows {
        for path in ["/v1/tasks", "/v1/dead-letters"] {
            let rest = rig.get(&format!("{path}?{query}")).await;
            assert_eq!((rest.status, rest.code().as_str()), (400, code), "{name}: {}", rest.text);
        }
        for refused in [grpc.tasks.list(request.clone()).await, grpc.dead.list(request).await] {
            let refused = refused.expect_err(name);
            assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, code), "{name}");
        }
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
#[rustfmt::skip]
async fn the_same_verb_on_the_wrong_task_gets_the_same_code() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let queued = rig.submit(r#"{"task_type":"noop"}"#).await.task_id();
    let ended = rig.submit(r#"{"task_type":"noop"}"#).await.task_id();
    rig.call("DELETE", &format!("/v1/tasks/{ended}"), "").await;
    let worker = format!("/v1/workers/worker_{}", "0".repeat(31) + "f");
    let task = |id: &str| format!("/v1/tasks/{id}");
    let amend = |id: &str| v1::AmendTaskRequest { task_id: id.into(), priority: Some(v1::Priority { band: Some("P0".into()), level: None }), ..Default::default() };
    let force = |id: &str, state| v1::ForceTaskStateRequest { task_id: id.into(), state, ..Default::default() };
    let change = r#"{"priority":"P0"}"#;
    let missing = worker.rsplit('/').next().unwrap_or_default().to_owned();
    let rows = [
        ("read none", rig.get(&task(NONE)).await, grpc.tasks.get(v1::GetTaskRequest { task_id: NONE.into(), wait: None }).await.err()),
        ("read what is no id", rig.get(&task("17")).await, grpc.tasks.get(v1::GetTaskRequest { task_id: "17".into(), wait: None }).await.err()),
        ("cancel none", rig.call("DELETE", &task(NONE), "").await, grpc.tasks.cancel(v1::CancelTaskRequest { task_id: NONE.into(), force: false, ..Default::default() }).await.err()),
        ("cancel ended", rig.call("DELETE", &task(&ended), "").await, grpc.tasks.cancel(v1::CancelTaskRequest { task_id: ended.clone(), force: false, ..Default::default() }).await.err()),
        ("amend none", rig.call("PATCH", &task(NONE), change).await, grpc.tasks.amend(amend(NONE)).await.err()),
        ("amend ended", rig.call("PATCH", &task(&ended), change).await, grpc.tasks.amend(amend(&ended)).await.err()),
        ("amend nothing", rig.call("PATCH", &task(&queued), "{}").await, grpc.tasks.amend(v1::AmendTaskRequest { task_id: queued.clone(), ..Default::default() }).await.err()),
        ("retry none", rig.call("POST", &format!("{}:retry", task(NONE)), "").await, grpc.tasks.retry(v1::RetryTaskRequest { task_id: NONE.into(), ..Default::default() }).await.err()),
        ("retry waiting", rig.call("POST", &format!("{}:retry", task(&queued)), "").await, grpc.tasks.retry(v1::RetryTaskRequest { task_id: queued.clone(), ..Default::default() }).await.err()),
        ("run none", rig.call("POST", &format!("{}:run-now", task(NONE)), "").await, grpc.tasks.run_now(v1::RunTaskNowRequest { task_id: NONE.into(), ..Default::default() }).await.err()),
        ("run ended", rig.call("POST", &format!("{}:run-now", task(&ended)), "").await, grpc.tasks.run_now(v1::RunTaskNowRequest { task_id: ended.clone(), ..Default::default() }).await.err()),
        ("force none", rig.call("POST", &format!("{}:force-state", task(NONE)), r#"{"state":"failed"}"#).await, grpc.tasks.force_state(force(NONE, v1::TaskState::Failed.into())).await.err()),
        ("force running", rig.call("POST", &format!("{}:force-state", task(&queued)), r#"{"state":"running"}"#).await, grpc.tasks.force_state(force(&queued, v1::TaskState::Running.into())).await.err()),
        ("force what", rig.call("POST", &format!("{}:force-state", task(&queued)), r#"{"state":"DONE"}"#).await, grpc.tasks.force_state(force(&queued, 0)).await.err()),
        ("diagnose none", rig.get(&format!("{}/diagnosis", task(NONE))).await, grpc.tasks.diagnose(v1::DiagnoseTaskRequest { task_id: NONE.into() }).await.err()),
        ("no worker", rig.get(&worker).await, grpc.workers.get(v1::GetWorkerRequest { worker_id: missing.clone() }).await.err()),
        ("cordon none", rig.call("POST", &format!("{worker}:cordon"), "").await, grpc.workers.cordon(v1::CordonWorkerRequest { worker_id: missing.clone(), ..Default::default() }).await.err()),
        ("drain none", rig.call("POST", &format!("{worker}:drain"), "").await, grpc.workers.drain(v1::DrainWorkerRequest { worker_id: missing.clone(), ..Default::default() }).await.err()),
        ("uncordon none", rig.call("POST", &format!("{worker}:uncordon"), "").await, grpc.workers.uncordon(v1::UncordonWorkerRequest { worker_id: missing, ..Default::default() }).await.err()),
    ];
    refused_alike(rows);
    rig.stop().await;
}
