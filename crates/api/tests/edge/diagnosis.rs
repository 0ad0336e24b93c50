//! The diagnosis of a run, over both edges, while it goes from one obstacle to the next.

use mainspring_proto::v1;
use serde_json::Value;

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::{FakeWorker, id_of};

async fn applied(rig: &Rig, file: &str) {
    let answer = rig.call("POST", "/v1/jobs", file).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

async fn triggered(rig: &Rig, job: &str) -> String {
    let answer = rig.call("POST", &format!("/v1/jobs/{job}:trigger"), "").await.json();
    answer["run_id"].as_str().expect("a run").to_owned()
}

async fn diagnosis(rig: &Rig, run: &str) -> Value {
    let answer = rig.get(&format!("/v1/runs/{run}/diagnosis")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

/// Asks until the run stands so.
async fn until(rig: &Rig, run: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    for _ in 0..500 {
        last = diagnosis(rig, run).await;
        if holds(&last) {
            return last;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{last:#}");
}

/// The task itself knows where it belongs.
async fn names_its_run(rig: &Rig, grpc: &mut Clients, task: &str, run: &str) {
    let own = rig.get(&format!("/v1/tasks/{task}/diagnosis")).await.json();
    assert_eq!((&own["run_id"], &own["run_task"]), (&run.into(), &"extract".into()));
    assert_eq!(rig.get(&format!("/v1/tasks/{task}")).await.json()["run_id"], run);
    let request = v1::DiagnoseTaskRequest { task_id: task.to_owned() };
    let own = grpc.tasks.diagnose(request).await.expect("told").into_inner();
    assert_eq!((own.run_id.as_deref(), own.run_task.as_deref()), (Some(run), Some("extract")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_followed_from_its_queue_to_its_end() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let file = "
job: etl
limits: {max_active_runs: 1}
tasks:
  load: {noop: {}, needs: extract, when: tasks.extract.output.rows > 0}
  extract: {noop: {}, retries: {max_retries: 1, backoff: fixed, initial_delay: 1h, jitter_percent: 0}}
";
    applied(&rig, file).await;
    let first = triggered(&rig, "etl").await;
    let second = triggered(&rig, "etl").await;
    let waits = diagnosis(&rig, &second).await;
    assert_eq!((&waits["state"], &waits["reason"]), (&"queued".into(), &"waits_for_place".into()));
    assert_eq!((&waits["held_by"][0], &waits["tasks_more"]), (&first.as_str().into(), &2.into()));

    let told = diagnosis(&rig, &first).await;
    assert_eq!(
        (&told["state"], &told["reason"], &told["job"]),
        (&"running".into(), &"working".into(), &"etl".into())
    );
    let names: Vec<_> = told["tasks"].as_array().expect("tasks").iter().map(|task| &task["name"]).collect();
    assert_eq!(names, ["extract", "load"], "what can be acted upon comes first");
    assert_eq!(
        (&told["tasks"][0]["reason"], &told["tasks"][0]["task"]["reason"]),
        (&"no_workers".into(), &"no_workers".into())
    );
    assert_eq!(told["tasks"][1]["waits_for"][0]["name"], "extract");
    assert_eq!(told["tasks"][1]["condition"], "tasks.extract.output.rows > 0");

    let task = told["tasks"][0]["task"]["task_id"].as_str().expect("its task").to_owned();
    names_its_run(&rig, &mut grpc, &task, &first).await;

    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let start = worker.start().await;
    assert_eq!(id_of(&start), task);
    worker.fail(&start, "transient", "no route").await;
    let told = until(&rig, &first, |told| told["tasks"][0]["reason"] == "backoff").await;
    assert_eq!(told["tasks"][0]["last_error"]["message"], "no route");
    assert!(told["tasks"][0]["task"]["due_in_ms"].as_u64().is_some_and(|left| left > 3_000_000));
    let same = grpc
        .runs
        .diagnose(v1::DiagnoseRunRequest { run_id: first.clone() })
        .await
        .expect("told")
        .into_inner();
    assert_eq!((same.state(), same.reason.as_str()), (v1::RunState::Running, "working"));
    let extract = &same.tasks[0];
    assert_eq!(
        (extract.name.as_str(), extract.reason.as_str(), extract.state()),
        ("extract", "backoff", v1::TaskState::RetryWait)
    );
    assert_eq!(extract.last_error.as_ref().map(|error| error.message.as_str()), Some("no route"));
    assert!(extract.task.as_ref().is_some_and(|task| task.due_in.is_some()));
    assert_eq!(same.tasks[1].waits_for[0].name, "extract");

    rig.call("POST", &format!("/v1/tasks/{task}:run-now"), "").await;
    let start = worker.start().await;
    worker.fail(&start, "permanent", "disk full").await;
    let ended = until(&rig, &first, |told| told["reason"] == "ended").await;
    assert_eq!((&ended["state"], &ended["tasks"][0]["name"]), (&"failed".into(), &"extract".into()));
    assert_eq!(ended["tasks"][0]["last_error"]["message"], "disk full");
    let message = ended["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("it has ended as failed at 20"), "{message}");
    assert!(message.ends_with("; task `extract` failed first: disk full"), "{message}");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_task_names_its_run_also_from_the_tables() {
    let rig = Rig::start().await;
    applied(&rig, "job: one\ntasks:\n  only: {noop: {}}\n").await;
    let run = triggered(&rig, "one").await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let start = worker.start().await;
    worker.succeed(&start, "1").await;
    let told = until(&rig, &run, |told| told["reason"] == "ended").await;
    assert_eq!((&told["state"], &told["tasks"]), (&"succeeded".into(), &Value::Array(vec![])));
    drop(worker);
    // A server that starts again has ended runs in its tables only.
    let dir = rig.stop().await;
    let rig =
        Rig::start_in(dir, mainspring_api::ApiConfig::default(), mainspring_runtime::ShardConfig::default())
            .await;
    let own = rig.get(&format!("/v1/tasks/{}/diagnosis", id_of(&start))).await.json();
    assert_eq!((&own["reason"], &own["run_id"]), (&"ended".into(), &run.as_str().into()));
    assert_eq!(own["run_task"], "only");
    assert_eq!(diagnosis(&rig, &run).await["state"], "succeeded");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_only_waits_for_other_jobs_says_for_which() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    applied(
        &rig,
        "job: load\ntasks:\n  join: {noop: {}, needs_jobs: [{job: extract, within: 1h, timeout: 2h}]}\n",
    )
    .await;
    let run = triggered(&rig, "load").await;
    let told = diagnosis(&rig, &run).await;
    assert_eq!((&told["state"], &told["reason"]), (&"running".into(), &"waits_for_jobs".into()));
    let join = &told["tasks"][0];
    assert_eq!((&join["name"], &join["reason"]), (&"join".into(), &"waits_for_jobs".into()));
    let wait = &join["waits_for_jobs"][0];
    assert_eq!((&wait["job"], &wait["exists"]), (&"extract".into(), &false.into()));
    assert_eq!((&wait["within_ms"], &wait["last_success_at"]), (&3_600_000.into(), &Value::Null));
    assert!(wait["since"].is_string() && wait["fails_at"].is_string(), "{wait:#}");
    applied(&rig, "job: extract\ntasks:\n  only: {noop: {}}\n").await;
    assert_eq!(diagnosis(&rig, &run).await["tasks"][0]["waits_for_jobs"][0]["exists"], true);
    let request = v1::DiagnoseRunRequest { run_id: run.clone() };
    let same = grpc.runs.diagnose(request).await.expect("told").into_inner();
    let need = &same.tasks[0].waits_for_jobs[0];
    assert_eq!((need.job.as_str(), need.exists, need.last_success_at), ("extract", true, None));
    assert_eq!(need.within.map(|span| span.seconds), Some(3600));
    let (since, fails) = (need.since.expect("since"), need.fails_at.expect("an end"));
    assert_eq!(fails.seconds - since.seconds, 7200);

    triggered(&rig, "extract").await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let start = worker.start().await;
    worker.succeed(&start, "1").await;
    let told = until(&rig, &run, |told| told["reason"] == "working").await;
    assert_eq!(told["tasks"][0]["waits_for_jobs"], Value::Null);
    drop(worker);
    rig.stop().await;
}
