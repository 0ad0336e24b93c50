//! Jobs and schedules are edited by those who have seen what they change, and the jobs of a file are stored together.

use mainspring_proto::v1;
use serde_json::{Value, json};
use tonic::Code;

use crate::grpc::{Clients, reason, with_metadata};
use crate::rig::{Answered, Rig};

fn job(name: &str, tasks: &str) -> String {
    format!("job: {name}\ntasks: {{{tasks}: {{noop: {{}}}}}}\n")
}

async fn apply(rig: &Rig, text: &str, headers: &[(&str, &str)]) -> Answered {
    rig.call_with("POST", "/v1/jobs", text, headers).await
}

fn etag(answered: &Answered) -> String {
    assert_eq!(answered.status, 200, "{}", answered.text);
    answered.headers["etag"].to_str().expect("ASCII").to_owned()
}

#[track_caller]
fn assert_mismatch(answered: &Answered) {
    assert_eq!((answered.status, &answered.json()["error_code"]), (412, &json!("REVISION_MISMATCH")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_job_that_was_changed_since_is_refused() {
    let rig = Rig::start().await;
    let new = [("if-match", "\"0\"")];
    let applied = apply(&rig, &job("flow", "a"), &new).await.json();
    assert_mismatch(&apply(&rig, &job("flow", "b"), &new).await);
    let dry = rig.call_with("POST", "/v1/jobs?dry_run=true", &job("flow", "b"), &new).await;
    assert_mismatch(&dry);

    let first = rig.get("/v1/jobs/flow").await;
    let (tag, first) = (etag(&first), first.json());
    assert_eq!(
        (&applied["jobs"][0]["revision"], tag.clone()),
        (&first["revision"], format!("\"{}\"", first["revision"]))
    );
    let seen = [("if-match", &*tag)];
    assert_eq!(rig.call_with("POST", "/v1/jobs/flow:pause", "", &seen).await.status, 200);
    assert_mismatch(&rig.call_with("POST", "/v1/jobs/flow:resume", "", &seen).await);
    assert_mismatch(&rig.call_with("DELETE", "/v1/jobs/flow", "", &seen).await);
    assert_mismatch(&apply(&rig, &job("flow", "b"), &seen).await);
    let now = rig.get("/v1/jobs/flow").await;
    assert_eq!((&now.json()["state"], &now.json()["version"]), (&json!("paused"), &json!(1)));
    let tag = etag(&now);
    assert_eq!(rig.call_with("POST", "/v1/jobs/flow:resume", "", &[("if-match", &*tag)]).await.status, 200);

    // What runs do is no edit.
    let tag = etag(&rig.get("/v1/jobs/flow").await);
    assert_eq!(rig.call("POST", "/v1/jobs/flow:trigger", "").await.status, 202);
    assert_eq!(etag(&rig.get("/v1/jobs/flow").await), tag);
    let seen = [("if-match", &*tag), ("idempotency-key", "once")];
    let applied = apply(&rig, &job("flow", "b"), &seen).await;
    assert_eq!((applied.status, &applied.json()["jobs"][0]["version"]), (200, &json!(2)));
    // The same call again is answered as at first.
    let again = apply(&rig, &job("flow", "b"), &seen).await;
    assert_eq!((again.status, &again.json()["jobs"][0]["version"]), (200, &json!(2)), "{}", again.text);

    let two = format!("{}---\n{}", job("flow", "a"), job("other", "a"));
    let several = apply(&rig, &two, &[("if-match", &*tag)]).await;
    assert_eq!((several.status, &several.json()["error_code"]), (400, &json!("INVALID_FIELD")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_schedule_that_was_changed_since_is_refused() {
    let rig = Rig::start().await;
    assert_eq!(apply(&rig, &job("flow", "a"), &[]).await.status, 200);
    let path = "/v1/schedules/flow/nightly";
    let put = async |cron: &str, seen: &str| {
        let body = json!({"cron": cron}).to_string();
        rig.call_with("PUT", path, &body, &[("if-match", seen)]).await
    };
    let stored = put("0 3 * * *", "\"0\"").await;
    let first = etag(&stored);
    assert_eq!(first, format!("\"{}\"", stored.json()["revision"]));
    assert_eq!(etag(&rig.get(path).await), first);
    assert_mismatch(&put("0 4 * * *", "\"0\"").await);
    let second = etag(&put("0 4 * * *", &first).await);
    assert_ne!(first, second);
    for (method, path) in
        [("POST", &*format!("{path}:pause")), ("POST", &*format!("{path}:resume")), ("DELETE", path)]
    {
        assert_mismatch(&rig.call_with(method, path, "", &[("if-match", &*first)]).await);
    }
    assert_eq!(rig.get(path).await.json()["cron"], "0 4 * * *");
    assert_eq!(rig.call_with("DELETE", path, "", &[("if-match", &*second)]).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_heed_a_revision_refuses_it() {
    let rig = Rig::start().await;
    let refused = |answered: &Answered| {
        assert_eq!(
            (answered.status, &answered.json()["error_code"]),
            (400, &json!("INVALID_FIELD")),
            "{}",
            answered.text
        );
    };
    let body = r#"{"task_type":"noop"}"#;
    refused(&rig.call_with("POST", "/v1/tasks", body, &[("if-match", "\"5\"")]).await);
    for odd in ["*", "5", "W/\"5\"", "\"5\", \"6\"", "\"-5\""] {
        refused(&apply(&rig, &job("flow", "a"), &[("if-match", odd)]).await);
    }
    refused(&apply(&rig, &job("flow", "a"), &[("if-none-match", "*")]).await);
    assert_eq!(rig.get("/v1/jobs").await.json()["jobs"], json!([]));
    // A reader that has an older answer says so, and gets the new one.
    assert_eq!(rig.call_with("GET", "/v1/jobs", "", &[("if-none-match", "\"5\"")]).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_jobs_of_a_file_are_stored_together_or_not_at_all() {
    let shard = mainspring_runtime::ShardConfig {
        engine: mainspring_core::engine::EngineConfig {
            limits: mainspring_core::values::Limits { jobs_max: 2, ..Default::default() },
            ..Default::default()
        },
        ..Default::default()
    };
    let rig = Rig::start_with(mainspring_api::ApiConfig::default(), shard).await;
    let texts = |names: &[&str]| names.iter().map(|name| job(name, "a")).collect::<Vec<_>>().join("---\n");
    let refused = apply(&rig, &texts(&["a", "b", "c"]), &[]).await;
    assert_eq!((refused.status, &refused.json()["error_code"]), (429, &json!("TOO_MANY_JOBS")));
    assert_eq!(rig.get("/v1/jobs").await.json()["jobs"], json!([]));

    let key = [("idempotency-key", "once"), ("mainspring-actor", "ann")];
    let applied = apply(&rig, &texts(&["b", "a"]), &key).await.json();
    let told = |applied: &Value| {
        let jobs = applied["jobs"].as_array().expect("jobs").iter();
        jobs.map(|job| (job["job"].clone(), job["version"].clone(), job["change"].clone()))
            .collect::<Vec<_>>()
    };
    let row = |name: &str, change: &str| (json!(name), json!(1), json!(change));
    assert_eq!(told(&applied), [row("b", "created"), row("a", "created")]);
    let again = apply(&rig, &texts(&["b", "a"]), &key).await.json();
    assert_eq!(told(&again), [row("b", "unchanged"), row("a", "unchanged")]);
    assert_eq!(again["jobs"][0]["duplicate"], true);
    for name in ["a", "b"] {
        let notes = rig.get(&format!("/v1/jobs/{name}")).await.json()["notes"].clone();
        assert_eq!((&notes[0]["actor"], notes.as_array().map(Vec::len)), (&json!("ann"), Some(1)), "{notes}");
    }
    let twice = apply(&rig, &texts(&["a", "a"]), &[]).await;
    assert_eq!(
        (twice.status, &twice.json()["error_code"]),
        (422, &json!("JOB_FILE_INVALID")),
        "{}",
        twice.text
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn over_grpc_a_revision_is_seen_and_heeded() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let apply = |text: &str, if_revision| v1::ApplyJobsRequest {
        job_file: text.into(),
        if_revision,
        ..Default::default()
    };
    let applied = grpc.jobs.apply(apply(&job("flow", "a"), Some(0))).await.expect("new").into_inner();
    let get = || v1::GetJobRequest { job: "flow".into(), tenant: None };
    let first = grpc.jobs.get(get()).await.expect("there").into_inner().revision;
    assert_eq!(applied.jobs[0].revision, Some(first));
    let pause = |if_revision| v1::PauseJobRequest { job: "flow".into(), if_revision, ..Default::default() };
    grpc.jobs.pause(pause(Some(first))).await.expect("nobody was faster");
    let refused = grpc.jobs.apply(apply(&job("flow", "b"), Some(first))).await.expect_err("it was paused");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Aborted, "REVISION_MISMATCH"));
    let put = |if_revision| v1::PutScheduleRequest {
        job: "flow".into(),
        name: "s".into(),
        schedule_file: "every: 1h".into(),
        if_revision,
        ..Default::default()
    };
    let keyed = |if_revision| with_metadata(put(if_revision), &[("idempotency-key", "once")]);
    let stored = grpc.schedules.put(keyed(Some(0))).await.expect("new").into_inner();
    let again = grpc.schedules.put(keyed(Some(0))).await.expect("as at first").into_inner();
    assert_eq!((stored.changed, again.changed, again.revision), (true, true, stored.revision));
    let refused = grpc.schedules.put(put(Some(0))).await.expect_err("it is there");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Aborted, "REVISION_MISMATCH"));
    let one = v1::GetScheduleRequest { job: "flow".into(), name: "s".into(), tenant: None };
    assert_eq!(grpc.schedules.get(one).await.expect("there").into_inner().revision, stored.revision);
}
