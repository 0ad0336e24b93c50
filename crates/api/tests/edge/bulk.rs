//! Bulk verbs by selector: counted first, begun, listed, followed, cancelled, the same after a restart.

use std::time::Duration;

use mainspring_api::ApiConfig;
use mainspring_proto::v1;
use mainspring_runtime::ShardConfig;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::{Answered, Rig};
use crate::worker::FakeWorker;

async fn begin(rig: &Rig, body: &str) -> Answered {
    rig.call("POST", "/v1/operations", body).await
}

async fn until_ended(rig: &Rig, begun: &Answered) -> Value {
    assert_eq!(begun.status, 202, "{}", begun.text);
    let path = format!("/v1/operations/{}", begun.json()["operation_id"]);
    for _ in 0..500 {
        let operation = rig.get(&path).await.json();
        if operation["state"] != "running" {
            return operation;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never ended: {}", rig.get(&path).await.text)
}

async fn failed(rig: &Rig, job: &str) -> String {
    let body = format!(r#"{{"task_type":"noop","delay_ms":60000,"job":"{job}"}}"#);
    let id = rig.submit(&body).await.task_id();
    let body = r#"{"state":"failed","actor":"ann","reason":"test"}"#;
    assert_eq!(rig.call("POST", &format!("/v1/tasks/{id}:force-state"), body).await.status, 200);
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_tasks_are_counted_and_queued_again_also_those_that_left_memory() {
    let rig = Rig::start().await;
    let (a, b, other) = (failed(&rig, "a").await, failed(&rig, "a").await, failed(&rig, "b").await);
    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    let dry = begin(&rig, r#"{"verb":"retry_tasks","job":"a","dry_run":true}"#).await;
    assert_eq!(dry.status, 200, "{}", dry.text);
    let dry = dry.json();
    assert_eq!(
        (&dry["state"], &dry["total"], &dry["operation_id"]),
        (&json!("dry_run"), &json!(2), &json!(0))
    );
    let examples = dry["examples"].as_array().expect("examples");
    assert!(examples.contains(&json!(a)) && examples.contains(&json!(b)), "{dry}");
    assert_eq!(rig.status(&a).await, "failed", "nothing is changed");

    let body = r#"{"verb":"retry_tasks","job":"a","actor":"ann","reason":"mended"}"#;
    let key = [("idempotency-key", "once")];
    let begun = rig.call_with("POST", "/v1/operations", body, &key).await;
    let ended = until_ended(&rig, &begun).await;
    assert_eq!(
        (&ended["state"], &ended["handled"], &ended["total"]),
        (&json!("ended"), &json!(2), &json!(2))
    );
    assert_eq!((&ended["actor"], &ended["reason"]), (&json!("ann"), &json!("mended")));
    assert_eq!((&ended["verb"], &ended["selector"]), (&json!("retry_tasks"), &json!({"job": "a"})));
    let states = [rig.status(&a).await, rig.status(&b).await, rig.status(&other).await];
    assert_eq!(states, ["queued", "queued", "failed"]);
    let again = rig.call_with("POST", "/v1/operations", body, &key).await.json();
    assert_eq!(again["operation_id"], ended["operation_id"], "the same key begins nothing new");

    let groups = rig.get("/v1/dead-letters/groups").await.json();
    let group = groups["groups"][0]["fingerprint"].as_str().expect("a group").to_owned();
    let of_group = |verb: &str| format!(r#"{{"verb":"{verb}","fingerprint":"{group}"}}"#);
    let discarded = until_ended(&rig, &begin(&rig, &of_group("discard_tasks")).await).await;
    assert_eq!((&discarded["handled"], rig.status(&other).await.as_str()), (&json!(1), "skipped"));

    let listed = rig.get("/v1/operations?limit=1").await.json();
    assert_eq!(listed["operations"][0]["operation_id"], discarded["operation_id"], "{listed}");
    let cursor = listed["next_cursor"].as_str().expect("another page");
    let next = rig.get(&format!("/v1/operations?limit=1&cursor={cursor}")).await.json();
    assert_eq!(next["operations"][0]["operation_id"], ended["operation_id"], "{next}");
    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    let path = format!("/v1/operations/{}", ended["operation_id"]);
    assert_eq!(rig.get(&path).await.json(), ended, "it is remembered over a restart");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_tasks_start_now_or_change_their_priority() {
    let rig = Rig::start().await;
    let later = rig.submit(r#"{"task_type":"noop","delay_ms":60000}"#).await.task_id();
    let far = rig.submit(r#"{"task_type":"noop","delay_ms":86400000}"#).await.task_id();
    let urgent = r#"{"verb":"set_task_priority","priority":{"band":"P0","level":9},"all":true}"#;
    let ended = until_ended(&rig, &begin(&rig, urgent).await).await;
    assert_eq!(ended["handled"], 2, "{ended}");
    assert_eq!(rig.get(&format!("/v1/tasks/{far}")).await.json()["priority"]["band"], "P0");
    let now = r#"{"verb":"run_tasks_now","state":["pending"]}"#;
    assert_eq!(until_ended(&rig, &begin(&rig, now).await).await["handled"], 2);
    assert_eq!([rig.status(&later).await, rig.status(&far).await], ["queued", "queued"]);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_jobs_schedules_and_workers_are_changed_together() {
    let rig = Rig::start().await;
    let file = "job: nightly\ntags: [night]\nschedules: [{ name: s, cron: \"0 3 * * *\" }]\ntasks: { x: { noop: {} } }\n";
    let stored = rig.call_with("POST", "/v1/jobs", file, &[("content-type", "application/yaml")]).await;
    assert_eq!(stored.status, 200, "{}", stored.text);
    let run = rig.call("POST", "/v1/jobs/nightly:trigger", "{}").await.json();
    let path = format!("/v1/runs/{}", run["run_id"].as_str().expect("a run"));
    let handled = async |body: &str| {
        let ended = until_ended(&rig, &begin(&rig, body).await).await;
        (ended["handled"].as_u64().expect("a number"), ended["refused"].as_u64().expect("a number"))
    };
    assert_eq!(handled(r#"{"verb":"pause_runs","job":"nightly"}"#).await, (1, 0));
    assert_eq!(rig.get(&path).await.json()["paused"], "by hand");
    assert_eq!(handled(r#"{"verb":"pause_runs","job":"nightly"}"#).await, (0, 0), "it is paused");
    assert_eq!(handled(r#"{"verb":"resume_runs","trigger":"manual"}"#).await, (1, 0));
    assert_eq!(handled(r#"{"verb":"cancel_runs","state":["queued","running"]}"#).await, (1, 0));
    assert_eq!(handled(r#"{"verb":"pause_schedules","tag":"night"}"#).await, (1, 0));
    let schedule = rig.get("/v1/schedules/nightly/s").await.json();
    assert_eq!(schedule["state"], "paused", "{schedule}");
    assert_eq!(handled(r#"{"verb":"resume_schedules","name_prefix":"s"}"#).await, (1, 0));
    assert_eq!(handled(r#"{"verb":"pause_jobs","tag":"night"}"#).await, (1, 0));
    assert_eq!(rig.get("/v1/jobs/nightly").await.json()["state"], "paused");
    assert_eq!(handled(r#"{"verb":"delete_jobs","name_prefix":"night"}"#).await, (1, 0));
    let worker = FakeWorker::join(rig.address, 1, 1, 2).await;
    assert_eq!(handled(r#"{"verb":"drain_workers","pool":"default"}"#).await, (1, 0));
    assert_eq!(handled(r#"{"verb":"uncordon_workers","all":true}"#).await, (1, 0));
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_runs_again_where_it_failed() {
    let rig = Rig::start().await;
    let file = "job: two\ntasks: { x: { noop: {} }, y: { noop: {}, needs: x } }\n";
    let stored = rig.call_with("POST", "/v1/jobs", file, &[("content-type", "application/yaml")]).await;
    assert_eq!(stored.status, 200, "{}", stored.text);
    let run = rig.call("POST", "/v1/jobs/two:trigger", "{}").await.json();
    let id = run["run_id"].as_str().expect("a run").to_owned();
    let path = format!("/v1/runs/{id}");
    let until = async |state: &str| {
        for _ in 0..500 {
            let run = rig.get(&path).await.json();
            if run["state"] == state {
                return run;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{}", rig.get(&path).await.text)
    };
    let begun = until("running").await;
    let task = begun["tasks"][0]["task_id"].as_str().expect("released").to_owned();
    let force = format!("/v1/tasks/{task}:force-state");
    let body = r#"{"state":"failed","actor":"ann","reason":"test"}"#;
    assert_eq!(rig.call("POST", &force, body).await.status, 200);
    until("failed").await;
    let dry = begin(&rig, r#"{"verb":"retry_runs","job":"two","dry_run":true}"#).await.json();
    assert_eq!((&dry["total"], &dry["examples"]), (&json!(1), &json!([id])));
    let ended = until_ended(&rig, &begin(&rig, r#"{"verb":"retry_runs","job":"two"}"#).await).await;
    assert_eq!((&ended["handled"], &ended["refused"]), (&json!(1), &json!(0)), "{ended}");
    until("running").await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_slipped_into_and_what_has_ended_is_not_cancelled() {
    let rig = Rig::start().await;
    let rows = [
        (r#"{"verb":"retry_tasks"}"#, "INVALID_FIELD", "say `\"all\": true`"),
        (r#"{"verb":"retry_tasks","all":true,"job":"a"}"#, "INVALID_FIELD", "leave it out"),
        (r#"{"verb":"retry_tasks","owner":"ann"}"#, "INVALID_FIELD", "does not go with `retry_tasks`"),
        (r#"{"verb":"retry_tasks","state":["queued"]}"#, "INVALID_FIELD", "not for tasks that are queued"),
        (r#"{"verb":"retry_tasks","all":true,"force":true}"#, "INVALID_FIELD", "force"),
        (r#"{"verb":"set_task_priority","all":true}"#, "INVALID_FIELD", "say which"),
        (r#"{"verb":"cancel_tasks","fingerprint":"0f3a91c27b5de846"}"#, "INVALID_FIELD", "fingerprint"),
        (r#"{"verb":"discard_tasks","fingerprint":"zz"}"#, "INVALID_FIELD", "dead-letters/groups"),
        (
            r#"{"verb":"retry_runs","state":["succeeded"]}"#,
            "INVALID_FIELD",
            "not for runs that are succeeded",
        ),
        (r#"{"verb":"explode","all":true}"#, "INVALID_FIELD", "not one of cancel_tasks"),
    ];
    for (body, code, words) in rows {
        let refused = begin(&rig, body).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, code), "{body}: {}", refused.text);
        assert!(
            refused.json()["message"].as_str().expect("a text").contains(words),
            "{body}: {}",
            refused.text
        );
    }
    let ended = until_ended(&rig, &begin(&rig, r#"{"verb":"cancel_tasks","all":true}"#).await).await;
    let cancel = format!("/v1/operations/{}:cancel", ended["operation_id"]);
    let late = rig.call("POST", &cancel, "").await;
    assert_eq!((late.status, late.code().as_str()), (409, "OPERATION_NOT_RUNNING"), "{}", late.text);
    let unknown = rig.call("POST", "/v1/operations/99:cancel", "").await;
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "OPERATION_NOT_FOUND"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_feed_and_grpc_tell_of_operations() {
    let rig = Rig::start().await;
    let mut news = rig.stream("/v1/events?kind=operation").await;
    let mut grpc = Clients::of(&rig).await;
    let wish = v1::BeginOperationRequest {
        verb: "cancel_tasks".into(),
        all: true,
        actor: Some("ann".into()),
        ..v1::BeginOperationRequest::default()
    };
    let dry = v1::BeginOperationRequest { dry_run: true, ..wish.clone() };
    let dry = grpc.operations.begin(dry).await.expect("counted").into_inner();
    assert_eq!((dry.state.as_str(), dry.total), ("dry_run", Some(0)));
    let begun = grpc.operations.begin(wish).await.expect("begun").into_inner();
    news.until("mainspring.operation.started").await;
    news.until("mainspring.operation.ended").await;
    let ask = v1::GetOperationRequest { operation_id: begun.operation_id };
    let ended = grpc.operations.get(ask).await.expect("known").into_inner();
    assert_eq!((ended.state.as_str(), ended.actor.as_str()), ("ended", "ann"));
    let listed =
        grpc.operations.list(v1::ListOperationsRequest::default()).await.expect("listed").into_inner();
    assert_eq!(listed.operations, [ended]);
    let cancel = v1::CancelOperationRequest { operation_id: begun.operation_id, ..Default::default() };
    grpc.operations.cancel(cancel).await.expect_err("it has ended");
    rig.stop().await;
}
