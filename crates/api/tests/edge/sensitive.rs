//! Values of sensitive parameters are in no answer, whatever is asked of a run and of its tasks.

use mainspring_proto::v1;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::{FakeWorker, id_of};

const SECRET: &str = "s3cr3t-\"quoted\"-größe";
const JOB: &str = "
job: deploy
parameters:
  token: {sensitive: true, description: of the server}
  host: db-1
tasks:
  use:
    run: [deploy, '--host={{ params.host }}', '--token={{ params.token | upper }}']
    env: {TOKEN: '{{ params.token }}', PLAIN: 'at {{ params.host }}'}
    retries: 0
  script: {shell: 'deploy {{ params.token }}', needs: use, trigger_rule: all_done, retries: 0}
  fan: {run: [x, '{{ item }}'], for_each: [1, 2], needs: use, trigger_rule: all_done, retries: 0}
";

async fn trigger(rig: &Rig, parameters: &Value) -> (u16, Value) {
    let body = json!({"parameters": parameters, "actor": "ann", "reason": "test"}).to_string();
    let answer = rig.call("POST", "/v1/jobs/deploy:trigger", &body).await;
    (answer.status, answer.json())
}

/// As it is, and in the form that JSON and an `upper` give it.
#[track_caller]
fn assert_hidden(place: &str, text: &str) {
    let escaped = serde_json::to_string(SECRET).expect("JSON");
    for secret in [SECRET, escaped.trim_matches('"'), "s3cr3t", "S3CR3T"] {
        assert!(!text.contains(secret), "{place} shows it: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_shows_a_sensitive_value() {
    let rig = Rig::start().await;
    let mut feed = rig.stream("/v1/events?for_ms=20000").await;
    let applied = rig.call("POST", "/v1/jobs", JOB).await;
    assert_eq!(applied.status, 200, "{}", applied.text);
    let (status, run) = trigger(&rig, &json!({"token": SECRET})).await;
    assert_eq!(status, 202, "{run}");
    let id = run["run_id"].as_str().expect("an id").to_owned();

    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let order = worker.start().await;
    let payload = String::from_utf8(order.payload.clone()).expect("text");
    let real: Value = serde_json::from_str(&payload).expect("JSON");
    assert_eq!(real["env"]["TOKEN"], SECRET, "the worker gets the value");
    assert_eq!(order.secrets, [SECRET], "and is told that it is one");
    let used = id_of(&order);
    read_all(&rig, "at work", &id, &used).await;
    worker.fail(&order, "permanent", "no route").await;
    let mut ended = Vec::new();
    for _ in 0..3 {
        let order = worker.start().await;
        ended.push(id_of(&order));
        worker.succeed(&order, &json!({"used": SECRET, "list": [SECRET]}).to_string()).await;
    }
    let whole = rig.get(&format!("/v1/runs/{id}?wait=20s")).await;
    assert_hidden("the run", &whole.text);
    assert_eq!(whole.json()["parameters"], json!({"token": "***", "host": "db-1"}));
    read_all(&rig, "ended", &id, &used).await;
    for task in &ended {
        read_all(&rig, "ended", &id, task).await;
    }
    let task = rig.get(&format!("/v1/tasks/{used}")).await.json();
    assert_eq!(task["payload"]["argv"], json!(["deploy", "--host=db-1", "***"]), "{task:#}");
    assert_eq!(task["payload"]["env"], json!({"TOKEN": "***", "PLAIN": "at db-1"}));

    let mut told = String::new();
    while !told.contains("mainspring.run.failed") {
        assert!(feed.more().await.expect("the feed goes on"), "the end is told: {}", feed.text);
        told.clone_from(&feed.text);
    }
    assert_hidden("the feed", &told);
    rig.stop().await;
}

async fn read_all(rig: &Rig, when: &str, run: &str, task: &str) {
    let paths = [
        format!("/v1/runs/{run}"),
        "/v1/runs".to_owned(),
        format!("/v1/runs/{run}/diagnosis"),
        format!("/v1/runs/{run}/tasks/fan/items"),
        format!("/v1/runs/{run}/graph"),
        format!("/v1/tasks?run_id={run}"),
        "/v1/tasks".to_owned(),
        format!("/v1/tasks/{task}"),
        format!("/v1/tasks/{task}/diagnosis"),
        format!("/v1/tasks/{task}/history"),
        format!("/v1/tasks/{task}/logs"),
        "/v1/dead-letters".to_owned(),
        "/v1/dead-letters/groups".to_owned(),
        "/v1/attention".to_owned(),
        "/v1/jobs/deploy".to_owned(),
        "/v1/jobs/deploy/versions".to_owned(),
        "/v1/jobs/deploy/grid".to_owned(),
        "/v1/jobs/deploy/stats".to_owned(),
        "/metrics".to_owned(),
    ];
    for path in paths {
        let answer = rig.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert_hidden(&format!("{when}: {path}"), &answer.text);
    }
    let mut grpc = Clients::of(rig).await;
    let get = v1::GetRunRequest { run_id: run.to_owned(), ..Default::default() };
    let seen = grpc.runs.get(get).await.expect("there").into_inner();
    assert_hidden("gRPC: the run", &format!("{seen:?}"));
    let get = v1::GetTaskRequest { task_id: task.to_owned(), wait: None };
    let seen = grpc.tasks.get(get).await.expect("there").into_inner();
    assert_hidden("gRPC: the task", &format!("{seen:?}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_in_its_place_is_no_value_and_a_rerun_keeps_the_real_one() {
    let rig = Rig::start().await;
    assert_eq!(rig.call("POST", "/v1/jobs", JOB).await.status, 200);
    for (bad, why) in [("***", "shown in the place"), ("abc", "at least 4 bytes")] {
        let (status, answer) = trigger(&rig, &json!({"token": bad})).await;
        assert_eq!((status, &answer["error_code"]), (422, &json!("PARAMETERS_INVALID")), "{answer}");
        assert!(answer.to_string().contains(why), "{answer}");
    }
    let (_, run) = trigger(&rig, &json!({"token": SECRET})).await;
    let id = run["run_id"].as_str().expect("an id").to_owned();
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    let order = worker.start().await;
    worker.fail(&order, "permanent", "no route").await;
    let held = worker.start().await;
    assert_eq!(rig.call("POST", &format!("/v1/runs/{id}:cancel"), "").await.status, 200);
    worker.fail(&held, "permanent", "stopped").await;
    rig.get(&format!("/v1/runs/{id}?wait=20s")).await;
    let body = json!({"parameters": {"token": "***", "host": "db-2"}}).to_string();
    let again = rig.call("POST", &format!("/v1/runs/{id}:rerun"), &body).await;
    assert_eq!(again.status, 202, "{}", again.text);
    let again = again.json()["run_id"].as_str().expect("an id").to_owned();
    let real: Value = loop {
        let order = worker.start().await;
        let task = rig.get(&format!("/v1/tasks/{}", id_of(&order))).await.json();
        if task["run_id"] == again.as_str() {
            break serde_json::from_slice(&order.payload).expect("JSON");
        }
        worker.fail(&order, "permanent", "stop").await;
    };
    assert_eq!((&real["env"]["TOKEN"], &real["env"]["PLAIN"]), (&json!(SECRET), &json!("at db-2")));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_job_is_given_a_sensitive_value_only_as_one() {
    let rig = Rig::start().await;
    for (declared, reason) in
        [("{sensitive: true}", None), ("{type: string}", Some("declare it as `sensitive: true`"))]
    {
        let files = format!(
            "job: inner\nparameters: {{key: {declared}}}\ntasks: {{x: {{approve: {{timeout: 1d}}}}}}\n---\n\
             job: outer\nparameters: {{token: {{sensitive: true}}}}\n\
             tasks: {{start: {{job: inner, parameters: {{key: 'a {{{{ params.token }}}}'}}}}}}\n"
        );
        let applied = rig.call("POST", "/v1/jobs", &files).await;
        assert_eq!(applied.status, 200, "{}", applied.text);
        let body = json!({"parameters": {"token": SECRET}}).to_string();
        let run = rig.call("POST", "/v1/jobs/outer:trigger", &body).await.json();
        let id = run["run_id"].as_str().expect("an id").to_owned();
        let read = loop {
            let read = rig.get(&format!("/v1/runs/{id}")).await;
            assert_hidden("the outer run", &read.text);
            let task = &read.json()["tasks"][0];
            if task["run_id"].is_string() || task["state"] == "failed" {
                break task.clone();
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        };
        if let Some(reason) = reason {
            assert!(read["reason"].as_str().is_some_and(|why| why.contains(reason)), "{read}");
        } else {
            let inner = rig.get(&format!("/v1/runs/{}", read["run_id"].as_str().expect("an id"))).await;
            assert_hidden("the inner run", &inner.text);
            assert_eq!(inner.json()["parameters"]["key"], "***");
        }
    }
    rig.stop().await;
}
