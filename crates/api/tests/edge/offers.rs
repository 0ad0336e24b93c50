//! What workers say they have and can run, and what is said of tasks that no worker could run.

use mainspring_proto::v1;
use serde_json::Value;

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::{FakeWorker, hello, id_of, open};

async fn join(rig: &Rig, worker: u8, change: impl FnOnce(&mut v1::Offer)) -> FakeWorker {
    let mut hello = hello(worker, 1, 4);
    change(hello.offer.as_mut().expect("an offer"));
    let first = v1::WorkerMessage { hello: Some(hello), ..v1::WorkerMessage::default() };
    let mut fake = open(rig.address, first).await;
    fake.receive().await.expect("a welcome");
    fake
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_no_worker_could_run_is_accepted_with_a_warning() {
    let rig = Rig::start().await;
    let _plain = join(&rig, 1, |_| ()).await;
    let wants = r#"{"task_type":"noop","resources":{"gpus":1,"custom":{"license":2}}}"#;
    let answer = rig.submit(wants).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let warning = "no worker of pool `default` has `gpus` of 1 (the most is 0), `license` of 2 (the most is 0); \
                   start a worker that has all of it, or ask for less";
    assert_eq!(answer.json()["warnings"], serde_json::json!([warning]));
    let task = answer.task_id();
    let why = rig.get(&format!("/v1/tasks/{task}/diagnosis")).await.json();
    assert_eq!(why["reason"], "no_worker_matches", "{why}");
    let plain = rig.submit(r#"{"task_type":"noop"}"#).await;
    assert_eq!(plain.json().get("warnings"), None, "as ever");
    let elsewhere = rig.submit(r#"{"task_type":"noop","pool":"nowhere"}"#).await.json();
    assert!(
        elsewhere["warnings"][0]
            .as_str()
            .is_some_and(|text| text.starts_with("pool `nowhere` has no workers"))
    );
    let later = rig.submit(r#"{"task_type":"noop","pool":"nowhere","delay_ms":60000}"#).await.json();
    assert_eq!(later.get("warnings"), None, "there may be workers by then");

    let batch = format!(r#"[{wants},{{"task_type":"noop"}},{wants}]"#);
    let results = rig.call("POST", "/v1/tasks:batch", &batch).await.json();
    let warned: Vec<bool> = results["results"].as_array().expect("results").iter().map(warns).collect();
    assert_eq!(warned, [true, false, true], "{results}");

    // A worker that has it all gets the tasks, and the next one is not warned of.
    let mut rich = join(&rig, 2, |offer| {
        let custom = [("license".to_owned(), 4)].into();
        offer.capacity = Some(v1::Resources { gpus: 2, custom, ..v1::Resources::default() });
    })
    .await;
    assert_eq!(id_of(&rich.start().await), task);
    assert!(!warns(&rig.submit(wants).await.json()));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_tasks_that_no_worker_could_run_starts_with_warnings() {
    let rig = Rig::start().await;
    let mut plain = join(&rig, 1, |_| ()).await;
    let file = "
job: model
tasks:
  load: {noop: {}}
  train: {noop: {}, needs: load, resources: {gpus: 2}}
  check: {noop: {}, needs: load, resources: {gpus: 2}}
  publish: {noop: {}, needs: [train, check], pool: nowhere}
";
    assert_eq!(rig.call("POST", "/v1/jobs", file).await.status, 200);
    let answer = rig.call("POST", "/v1/jobs/model:trigger", r#"{"run_key":"a"}"#).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let warnings = serde_json::json!([
        "tasks `train`, `check`: no worker of pool `default` has `gpus` of 2 (the most is 0); \
         start a worker that has all of it, or ask for less",
        "task `publish`: pool `nowhere` has no workers; start a worker with `--pool nowhere`, or submit to another pool",
    ]);
    assert_eq!(answer.json()["warnings"], warnings);
    let again = rig.call("POST", "/v1/jobs/model:trigger", r#"{"run_key":"a"}"#).await.json();
    assert!(again["duplicate"] == true && !warns(&again), "{again}");

    // The diagnosis says it of the tasks that are released.
    let run = answer.json()["run_id"].as_str().expect("a run").to_owned();
    let load = plain.start().await;
    plain.succeed(&load, "1").await;
    rig.until(&id_of(&load), "succeeded").await;
    let why = rig.get(&format!("/v1/runs/{run}/diagnosis")).await.json();
    let told: Vec<_> = why["tasks"].as_array().expect("tasks").iter().take(2).collect();
    assert!(told.iter().all(|task| task["reason"] == "no_worker_matches"), "{why:#}");

    // A run that takes over what has ended is warned of for the rest.
    assert_eq!(rig.call("POST", &format!("/v1/runs/{run}:cancel"), "").await.status, 200);
    let rerun = rig.call("POST", &format!("/v1/runs/{run}:rerun"), r#"{"from":"failure"}"#).await;
    assert_eq!((rerun.status, &rerun.json()["warnings"]), (202, &warnings), "{}", rerun.text);

    let request = v1::TriggerJobRequest { job: "model".into(), ..v1::TriggerJobRequest::default() };
    let triggered = Clients::of(&rig).await.jobs.trigger(request).await.expect("triggered").into_inner();
    assert_eq!(serde_json::json!(triggered.warnings), warnings, "the same over gRPC");
    rig.stop().await;
}

fn warns(answer: &Value) -> bool {
    answer.get("warnings").is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_goes_to_a_worker_that_has_its_executor() {
    let rig = Rig::start().await;
    let mut old = join(&rig, 1, |offer| offer.executors = vec!["noop".into()]).await;
    let task = rig.submit(r#"{"task_type":"sleep","payload":{"ms":1}}"#).await.task_id();
    let why = rig.get(&format!("/v1/tasks/{task}/diagnosis")).await.json();
    assert_eq!(why["message"], "no worker of pool `default` can run executor `sleep`", "{why}");
    let other = rig.submit(r#"{"task_type":"noop"}"#).await.task_id();
    assert_eq!(id_of(&old.start().await), other, "what it can run comes to it");
    let mut new = join(&rig, 2, |offer| offer.executors = vec!["noop".into(), "sleep".into()]).await;
    assert_eq!(id_of(&new.start().await), task);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_resources_are_checked() {
    let rig = Rig::start().await;
    for bad in ["", "a b", "gpus", "naïve", &"x".repeat(64)] {
        let body = serde_json::json!({"task_type": "noop", "resources": {"custom": {bad: 1}}});
        let answer = rig.submit(&body.to_string()).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "RESOURCE_NAME_INVALID"), "{bad}");
    }
    let mut hello = hello(1, 1, 1);
    let custom = [("a b".to_owned(), 1)].into();
    hello.offer.as_mut().expect("an offer").capacity =
        Some(v1::Resources { custom, ..v1::Resources::default() });
    let first = v1::WorkerMessage { hello: Some(hello), ..v1::WorkerMessage::default() };
    let refused = open(rig.address, first).await.receive().await.expect_err("refused");
    assert!(refused.message().contains("`a b`"), "{}", refused.message());
    rig.stop().await;
}
