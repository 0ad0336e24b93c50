//! Where the time of a run went.

use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::FakeWorker;

const JOB: &str = "
job: etl
tasks:
  load: {noop: {}, limits: [warehouse]}
  aside: {noop: {}}
  check: {noop: {}, needs: load, retries: {max_retries: 1, backoff: fixed, initial_delay: 50ms}}
";

fn causes(task: &Value) -> Vec<&str> {
    let spans = task["spans"].as_array().expect("spans");
    for pair in spans.windows(2) {
        assert_eq!(pair[0]["to_ms"], pair[1]["from_ms"], "TI-1: {task}");
    }
    spans.iter().map(|span| span["cause"].as_str().expect("a word")).collect()
}

async fn moves_on(rig: &Rig) {
    // Spans have whole milliseconds.
    tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    assert_eq!(rig.get("/healthz").await.status, 200);
}

/// The next attempt, and the name of its task.
async fn next(rig: &Rig, worker: &mut FakeWorker, run: &str) -> (v1::Start, String) {
    let start = worker.start().await;
    let bits: [u8; 16] = start.task.clone().try_into().expect("an id");
    let id = mainspring_core::values::TaskId::from_bits(u128::from_be_bytes(bits)).to_string();
    let run = rig.get(&format!("/v1/runs/{run}")).await.json();
    let tasks = run["tasks"].as_array().expect("tasks");
    let name = tasks.iter().find(|task| task["task_id"] == json!(id)).map(|task| task["name"].as_str());
    (start, name.flatten().unwrap_or_default().to_owned())
}

fn task(page: &Value, name: &str) -> Value {
    let tasks = page["tasks"].as_array().expect("tasks").iter();
    tasks.clone().find(|task| task["name"] == json!(name)).cloned().unwrap_or_else(|| panic!("{page}"))
}

fn success() -> What {
    What::Success(v1::Success { output: None })
}

fn failure() -> What {
    What::Failure(v1::Failure {
        class: "transient".into(),
        code: 1,
        message: "no".into(),
        outcome_unknown: false,
    })
}

/// What an ended run tells; the task that waited for the limit.
fn tells_of_all(page: &Value) -> Value {
    let load = task(page, "load");
    assert!(causes(&load).contains(&"limit"), "{page}");
    let waited = load["spans"].as_array().expect("spans").iter().find(|span| span["cause"] == "limit");
    assert_eq!(waited.map(|span| &span["limit"]), Some(&json!("warehouse")));
    let check = task(page, "check");
    let words = causes(&check);
    assert_eq!((words[0], words.iter().filter(|word| **word == "run").count()), ("upstream", 2), "{page}");
    assert!(words.contains(&"retry_wait"), "{page}");
    assert_eq!(
        [&load["critical"], &check["critical"], &task(page, "aside")["critical"]],
        [&json!(true), &json!(true), &json!(false)]
    );
    let total = |cause: &str| {
        let totals = page["totals"].as_array().expect("totals").iter();
        totals.clone().find(|total| total["cause"] == json!(cause)).and_then(|total| total["ms"].as_u64())
    };
    assert!(
        total("retry_wait") > Some(0) && total("limit") > Some(0) && total("upstream").is_none(),
        "{page}"
    );
    let all: u64 =
        page["totals"].as_array().expect("totals").iter().filter_map(|total| total["ms"].as_u64()).sum();
    let instant = |field: &str| page[field].as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    let took = instant("ended_at")
        .zip(instant("created_at"))
        .map(|(end, from)| end.as_millisecond() - from.as_millisecond());
    assert!(i64::try_from(all).ok() <= took, "a chain takes no longer than its run: {page}");
    load
}

#[tokio::test(flavor = "multi_thread")]
async fn each_task_tells_what_it_waited_for_and_the_critical_path_is_summed_up() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 9).await;
    let limited = r#"{"task_type":"noop","limits":[{"name":"warehouse"}]}"#;
    rig.submit(limited).await;
    let holder = worker.start().await;
    assert_eq!(rig.call("POST", "/v1/jobs", JOB).await.status, 200);
    let run = rig.call("POST", "/v1/jobs/etl:trigger", "").await.json();
    let run = run["run_id"].as_str().expect("an id").to_owned();
    let path = format!("/v1/runs/{run}/timeline");

    let (aside, name) = next(&rig, &mut worker, &run).await;
    assert_eq!(name, "aside", "`load` waits for the limit");
    worker.report(&aside, success()).await;
    moves_on(&rig).await;
    let live = rig.get(&path).await.json();
    assert_eq!(
        causes(&task(&live, "load")).last(),
        Some(&"queue"),
        "what it waits for is known when it has it: {live}"
    );

    worker.report(&holder, success()).await;
    let (load, name) = next(&rig, &mut worker, &run).await;
    assert_eq!(name, "load");
    moves_on(&rig).await;
    worker.report(&load, success()).await;
    let (check, _) = next(&rig, &mut worker, &run).await;
    moves_on(&rig).await;
    worker.report(&check, failure()).await;
    let (again, name) = next(&rig, &mut worker, &run).await;
    assert_eq!(name, "check");
    moves_on(&rig).await;
    worker.report(&again, success()).await;
    let ended = rig.get(&format!("/v1/runs/{run}?wait=10s")).await.json();
    assert_eq!(ended["state"], "succeeded", "{ended}");

    let page = rig.get(&path).await.json();
    let load = tells_of_all(&page);
    let attempt = rig.get(&format!("/v1/tasks/{}", load["task_id"].as_str().expect("an id"))).await.json();
    assert_eq!(attempt["attempts"][0]["waited_for_limit"], "warehouse", "{attempt}");
    let mut grpc = Clients::of(&rig).await;
    let same = grpc.runs.timeline(v1::RunTimelineRequest { run_id: run }).await.expect("told").into_inner();
    assert_eq!(
        (same.tasks.len(), same.tasks[0].name.as_str(), same.more),
        (3, page["tasks"][0]["name"].as_str().expect("a name"), false)
    );
    assert_eq!(
        rig.get("/v1/runs/run_00000000000070008000000000000000/timeline").await.code(),
        "RUN_NOT_FOUND"
    );
    drop(worker);
    rig.stop().await;
}
