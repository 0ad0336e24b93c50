//! Dead letters: listed, queued again, discarded; one and many; over a restart.

use std::collections::BTreeSet;

use mainspring_api::ApiConfig;
use mainspring_core::values::Millis;
use mainspring_proto::v1;
use mainspring_runtime::ShardConfig;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::FakeWorker;

async fn failed(rig: &Rig) -> String {
    let id = rig.submit(r#"{"task_type":"noop","delay_ms":60000}"#).await.task_id();
    let body = r#"{"state":"failed","actor":"ann","reason":"test"}"#;
    assert_eq!(rig.call("POST", &format!("/v1/tasks/{id}:force-state"), body).await.status, 200);
    id
}

fn ids(page: &Value) -> BTreeSet<String> {
    let tasks = page["tasks"].as_array().expect("a list");
    tasks.iter().map(|task| task["task_id"].as_str().expect("an id").to_owned()).collect()
}

/// One whose tables would not follow for an hour by themselves: a list must not wait for that, nor miss anything.
async fn slow_tables() -> Rig {
    let shard = ShardConfig { cut_every: Millis::from_secs(3600), ..ShardConfig::default() };
    Rig::start_with(ApiConfig::default(), shard).await
}

async fn listed(rig: &Rig) -> BTreeSet<String> {
    ids(&rig.get("/v1/dead-letters").await.json())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_is_queued_again_and_one_is_discarded_for_good() {
    let rig = slow_tables().await;
    let (again, away) = (failed(&rig).await, failed(&rig).await);
    assert_eq!(listed(&rig).await, [again.clone(), away.clone()].into());
    let post = async |path: String| rig.call("POST", &path, "").await;

    let requeued = post(format!("/v1/dead-letters/{again}:requeue")).await;
    assert_eq!((requeued.status, requeued.json()["state"].as_str()), (200, Some("queued")));
    let twice = post(format!("/v1/dead-letters/{again}:requeue")).await;
    assert_eq!(
        (twice.status, twice.code().as_str(), twice.task_id()),
        (409, "NOT_A_DEAD_LETTER", again.clone())
    );
    let refused = post(format!("/v1/dead-letters/{again}:discard")).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "NOT_A_DEAD_LETTER"));

    let discard = format!("/v1/dead-letters/{away}:discard");
    let discarded = rig.call("POST", &discard, r#"{"actor":"ben","reason":"known"}"#).await;
    assert_eq!((discarded.status, discarded.json()["state"].as_str()), (200, Some("skipped")));
    assert_eq!(post(discard).await.status, 200, "asked again");
    assert_eq!(listed(&rig).await, BTreeSet::new(), "neither is one any more");

    let unknown = post("/v1/dead-letters/task_00000000000000000000000000000001:discard".into()).await;
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "TASK_NOT_FOUND"));
    assert_eq!(post(format!("/v1/dead-letters/{away}:burn")).await.code(), "ROUTE_NOT_FOUND");

    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    let task = rig.get(&format!("/v1/tasks/{away}")).await.json();
    assert_eq!((&task["state"], &task["forced_by"]["actor"]), (&json!("skipped"), &json!("ben")), "{task}");
    assert_eq!(ids(&rig.get("/v1/dead-letters").await.json()), BTreeSet::new());
    assert_eq!(rig.status(&again).await, "queued");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_get_a_result_each() {
    let rig = slow_tables().await;
    let mut all = BTreeSet::new();
    for _ in 0..70 {
        all.insert(failed(&rig).await);
    }
    assert_eq!(listed(&rig).await, all);
    let ids: Vec<&str> = all.iter().map(String::as_str).chain(["task_x"]).collect();
    let body = json!({"ids": ids, "actor": "ann"}).to_string();
    let key = [("idempotency-key", "all of them")];
    let answer = rig.call_with("POST", "/v1/dead-letters:requeue", &body, &key).await;
    let result = answer.json();
    assert_eq!(
        (answer.status, &result["done"], &result["refused"]),
        (207, &json!(70), &json!(1)),
        "{result}"
    );
    assert_eq!(
        (&result["results"][0]["task_id"], &result["results"][0]["state"]),
        (&json!(ids[0]), &json!("queued"))
    );
    assert_eq!(result["results"][70]["error_code"], "TASK_NOT_FOUND");
    let again = rig.call_with("POST", "/v1/dead-letters:requeue", &body, &key).await.json();
    assert_eq!(again["done"], 70, "the same call again gets the same answers");
    let late = rig.call("POST", "/v1/dead-letters:discard", &json!({"ids": [ids[0]]}).to_string()).await;
    assert_eq!((late.status, &late.json()["results"][0]["error_code"]), (207, &json!("NOT_A_DEAD_LETTER")));

    let long = json!({"ids": vec!["task_x"; 1001]}).to_string();
    for (body, code) in
        [(r#"{"ids":[]}"#, "INVALID_FIELD"), ("{}", "INVALID_FIELD"), (&long, "TOO_MANY_ENTRIES")]
    {
        let refused = rig.call("POST", "/v1/dead-letters:discard", body).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, code));
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn those_of_a_run_are_queued_again_by_clearing_and_leave_when_it_is_repaired() {
    let rig = slow_tables().await;
    let file = "
job: chain
failure_policy: fail_after_all
tasks:
  a: {noop: {}, retries: 0}
  b: {noop: {}, needs: a}
  each: {noop: {}, retries: 0, for_each: [1]}
";
    assert_eq!(rig.call("POST", "/v1/jobs", file).await.status, 200);
    let run = rig.call("POST", "/v1/jobs/chain:trigger", "").await.json();
    let run = run["run_id"].as_str().expect("a run").to_owned();
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let (one, other) = (worker.start().await, worker.start().await);
    worker.fail(&one, "permanent", "no").await;
    worker.fail(&other, "permanent", "no").await;
    let ended = rig.get(&format!("/v1/runs/{run}?wait=20s")).await.json();
    assert_eq!(ended["state"], "failed", "{ended:#}");
    let dead = rig.get("/v1/dead-letters").await.json();
    let find = |item: bool| {
        let tasks = dead["tasks"].as_array().expect("a list").iter();
        let mut found = tasks.filter(|task| task["item"].is_null() != item);
        found.next().and_then(|task| task["task_id"].as_str()).expect("one").to_owned()
    };
    let (whole, item) = (find(false), find(true));
    let body = r#"{"actor":"ann","reason":"mended"}"#;
    let again = rig.call("POST", &format!("/v1/dead-letters/{whole}:requeue"), body).await;
    assert_eq!((again.status, again.json()["state"].as_str()), (200, Some("queued")), "{}", again.text);
    assert_eq!(listed(&rig).await, [item.clone()].into(), "it is none any more");
    let twice = rig.call("POST", &format!("/v1/dead-letters/{whole}:requeue"), "").await;
    assert_eq!((twice.status, twice.code().as_str()), (409, "NOT_A_DEAD_LETTER"), "{}", twice.text);
    let noted = rig.get(&format!("/v1/runs/{run}")).await.json();
    assert!(noted["notes"].to_string().contains("mended"), "{noted:#}");
    for _ in ["a", "b"] {
        let start = worker.start().await;
        worker.succeed(&start, "1").await;
    }
    rig.get(&format!("/v1/runs/{run}?wait=20s")).await;
    let clear = rig.call("POST", &format!("/v1/runs/{run}:clear"), r#"{"tasks":["each"]}"#).await;
    assert_eq!(clear.status, 200, "{}", clear.text);
    let start = worker.start().await;
    worker.fail(&start, "permanent", "no").await;
    rig.get(&format!("/v1/runs/{run}?wait=20s")).await;
    let left = listed(&rig).await;
    assert!(left.len() == 1 && !left.contains(&item), "only the newest of its turns: {left:?}");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_letters_are_grouped_by_what_went_wrong_and_a_group_is_queued_again() {
    let rig = slow_tables().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 8).await;
    let errors = [("a", "row 1 of `x` is bad"), ("a", "row 22 of `y` is bad"), ("b", "row 1 of `x` is bad")];
    for (job, message) in errors {
        let body = json!({"task_type": "noop", "job": job, "retry_policy": {"max_retries": 0}}).to_string();
        let id = rig.submit(&body).await.task_id();
        let start = worker.start().await;
        worker.fail(&start, "permanent", message).await;
        rig.until(&id, "failed").await;
    }
    let page = rig.get("/v1/dead-letters/groups").await.json();
    let groups = page["groups"].as_array().expect("groups");
    let rows: Vec<_> = groups.iter().map(|group| (&group["job"], &group["count"])).collect();
    assert_eq!(rows, [(&json!("a"), &json!(2)), (&json!("b"), &json!(1))], "{page}");
    assert_eq!(groups[0]["message"], "row 22 of `y` is bad", "of the newest: {page}");
    assert!(groups[0]["first_at"].as_str() <= groups[0]["last_at"].as_str());
    let only = rig.get("/v1/dead-letters/groups?job=b").await.json();
    assert_eq!(only["groups"].as_array().map(Vec::len), Some(1));

    let mut grpc = Clients::of(&rig).await;
    let same =
        grpc.dead.groups(v1::ListDeadLetterGroupsRequest::default()).await.expect("grouped").into_inner();
    let counts: Vec<_> = same.groups.iter().map(|group| (group.fingerprint.as_str(), group.count)).collect();
    let prints: Vec<_> =
        groups.iter().map(|group| group["fingerprint"].as_str().unwrap_or_default()).collect();
    assert_eq!(counts, [(prints[0], 2), (prints[1], 1)]);

    let body = json!({"fingerprint": groups[0]["fingerprint"]}).to_string();
    let done = rig.call("POST", "/v1/dead-letters:requeue", &body).await;
    assert_eq!((done.status, &done.json()["done"]), (200, &json!(2)), "{}", done.text);
    let left = rig.get("/v1/dead-letters/groups").await.json();
    assert_eq!((left["groups"].as_array().map(Vec::len), &left["groups"][0]["job"]), (Some(1), &json!("b")));
    for body in [body, json!({"fingerprint": "0", "ids": ["task_x"]}).to_string()] {
        let refused = rig.call("POST", "/v1/dead-letters:discard", &body).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_FIELD"), "{body}");
    }
    drop(worker);
    rig.stop().await;
}
