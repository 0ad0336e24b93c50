//! What needs a person: what is found, in which order, and that the advised call helps.

use mainspring_proto::v1;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::FakeWorker;

async fn findings(rig: &Rig) -> Vec<Value> {
    let answer = rig.get("/v1/attention").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["findings"].as_array().expect("a list").clone()
}

async fn found(rig: &Rig, kind: &str) -> Option<Value> {
    findings(rig).await.into_iter().find(|finding| finding["kind"] == kind)
}

async fn ended(rig: &Rig, job: &str, state: &str) -> String {
    let run = rig.call("POST", &format!("/v1/jobs/{job}:trigger"), "").await.json();
    let id = run["run_id"].as_str().expect("an id").to_owned();
    let body = json!({"state": state, "actor": "ann", "reason": "test"}).to_string();
    assert_eq!(rig.call("POST", &format!("/v1/runs/{id}:force-state"), &body).await.status, 200);
    let read = rig.get(&format!("/v1/runs/{id}?wait=20s")).await.json();
    assert_eq!(read["state"], state);
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_needs_a_person_and_the_record_proves_it() {
    let rig = Rig::start().await;
    let answer = rig.get("/v1/attention").await;
    let body = answer.json();
    assert_eq!(body["findings"], json!([]), "{body}");
    let header: u64 = answer.headers["mainspring-record"].to_str().expect("text").parse().expect("a number");
    assert!(body["record"].as_u64().is_some_and(|record| record <= header));
    let record = body["record"].as_u64();
    rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await;
    let after = rig.get("/v1/attention").await.json();
    assert!(after["record"].as_u64() > record, "it has seen the submission");
    assert_eq!(after["findings"], json!([]), "a task for later needs nobody");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn work_without_workers_is_urgent_until_one_comes() {
    let rig = Rig::start().await;
    for pool in ["default", "gpu", "gpu"] {
        rig.submit(&json!({"task_type": "noop", "pool": pool}).to_string()).await;
    }
    let all = findings(&rig).await;
    let rows: Vec<_> =
        all.iter().map(|row| (&row["kind"], &row["pool"], &row["count"], &row["harm"])).collect();
    let kind = json!("no_workers");
    let wanted =
        [(&kind, &json!("gpu"), &json!(2), &json!(3)), (&kind, &json!("default"), &json!(1), &json!(3))];
    assert_eq!(rows, wanted, "the most first");
    let worker = FakeWorker::join(rig.address, 1, 1, 0).await;
    let left = findings(&rig).await;
    assert_eq!((left.len(), &left[0]["pool"]), (1, &json!("gpu")), "{left:?}");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_runs_are_told_by_job_with_an_example_and_less_so_when_a_newer_one_succeeds() {
    let rig = Rig::start().await;
    let job = r#"{"job":"report","owner":"data-team","tasks":{"make":{"noop":{}}}}"#;
    assert_eq!(rig.call("POST", "/v1/jobs", job).await.status, 200);
    ended(&rig, "report", "failed").await;
    let newest = ended(&rig, "report", "failed").await;
    let row = found(&rig, "runs_failed").await.expect("told");
    assert_eq!((&row["harm"], &row["count"], &row["job"]), (&json!(3), &json!(2), &json!("report")), "{row}");
    assert_eq!(row["example"]["id"], json!(newest), "the newest");
    assert_eq!(row["owner"], "data-team", "whom to tell: {row}");
    assert_eq!(rig.get(&format!("/v1/runs/{newest}")).await.json()["owner"], "data-team");
    assert_eq!(row["action"]["body"], json!({"only_failed": true}), "no item that succeeded runs again");
    assert_eq!(row["action"]["command"], json!(["run", "clear", newest]));
    assert!(row["since"].is_string() && row["advice"].is_string(), "{row}");
    let figures = &rig.get("/v1/attention").await.json()["figures"];
    assert_eq!((&figures["runs_failed"], &figures["runs_active"]), (&json!(2), &json!(0)));

    ended(&rig, "report", "succeeded").await;
    assert_eq!(found(&rig, "runs_failed").await, None);
    let row = found(&rig, "runs_recovered").await.expect("still good to know");
    assert_eq!((&row["harm"], row.get("action")), (&json!(1), None), "{row}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_advised_call_helps() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop","delay_ms":60000}"#).await.task_id();
    let body = r#"{"state":"failed","actor":"ann","reason":"test"}"#;
    assert_eq!(rig.call("POST", &format!("/v1/tasks/{id}:force-state"), body).await.status, 200);
    let row = found(&rig, "dead_letters").await.expect("told");
    assert_eq!((&row["count"], &row["example"]["id"]), (&json!(1), &json!(id)), "{row}");
    let action = &row["action"];
    let (method, path) = (action["method"].as_str().expect("one"), action["path"].as_str().expect("one"));
    assert_eq!(rig.call(method, path, &action["body"].to_string()).await.status, 200);
    assert_eq!(found(&rig, "dead_letters").await, None, "it is queued again");
    assert_eq!(rig.status(&id).await, "queued");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn paused_schedules_are_good_to_know_and_grpc_says_the_same() {
    let rig = Rig::start().await;
    let job = r#"{"job":"report","schedule":"0 3 * * *","tasks":{"make":{"noop":{}}}}"#;
    assert_eq!(rig.call("POST", "/v1/jobs", job).await.status, 200);
    assert_eq!(findings(&rig).await, Vec::<Value>::new());
    assert_eq!(rig.call("POST", "/v1/schedules/report/default:pause", "").await.status, 200);
    let row = found(&rig, "schedules_paused").await.expect("told");
    assert_eq!(
        (&row["harm"], &row["job"], &row["schedule"]),
        (&json!(1), &json!("report"), &json!("default"))
    );

    let mut grpc = Clients::of(&rig).await;
    let same = grpc.stats.attention(v1::GetAttentionRequest {}).await.expect("an answer").into_inner();
    let [finding] = &same.findings[..] else { panic!("{same:?}") };
    assert_eq!((finding.kind.as_str(), finding.harm, finding.count), ("schedules_paused", 1, 1));
    assert_eq!(Some(finding.message.as_str()), row["message"].as_str());
    rig.stop().await;
}
