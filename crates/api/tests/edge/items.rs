//! Items of mapped tasks and tasks of a run, over both edges, while it runs, afterwards, and from the tables.

use mainspring_api::ApiConfig;
use mainspring_proto::v1;
use mainspring_runtime::ShardConfig;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::{FakeWorker, id_of};

const FAN: &str = "
job: fan
failure_policy: fail_after_all
tasks:
  load: {noop: {}, retries: 0, for_each: {items: [a.csv, b.csv, c.csv, d.csv, e.csv], max_active: 2}}
  after: {noop: {}, needs: load}
";

async fn begun(rig: &Rig, file: &str, job: &str) -> String {
    let answer = rig.call("POST", "/v1/jobs", file).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer = rig.call("POST", &format!("/v1/jobs/{job}:trigger"), "").await.json();
    answer["run_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

async fn ended(rig: &Rig, run: &str) -> Value {
    rig.get(&format!("/v1/runs/{run}?wait=20s")).await.json()
}

async fn items(rig: &Rig, run: &str, more: &str) -> Value {
    let answer = rig.get(&format!("/v1/runs/{run}/tasks/load/items{more}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

fn states(page: &Value) -> Vec<&str> {
    page["items"].as_array().expect("items").iter().filter_map(|item| item["state"].as_str()).collect()
}

/// Two of five succeed, one fails, and two are never made, because that was one too many.
async fn failed_fan(rig: &Rig) -> (String, String) {
    let run = begun(rig, FAN, "fan").await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let (first, second) = (worker.start().await, worker.start().await);
    let live = items(rig, &run, "").await;
    assert!(states(&live)[..2].iter().all(|state| ["assigned", "running"].contains(state)), "{live:#}");
    assert_eq!(states(&live)[2..], ["pending"; 3], "{live:#}");
    assert_eq!(live["items"][2].get("task_id"), None, "it was not released: {live:#}");
    worker.succeed(&first, "1").await;
    let third = worker.start().await;
    worker.fail(&second, "permanent", "no such file").await;
    worker.succeed(&third, "3").await;
    assert_eq!(ended(rig, &run).await["state"], "failed");
    (run, id_of(&second))
}

/// What is shown of it, from memory or from the tables.
async fn is_shown(rig: &Rig, run: &str, failed: &str) {
    let all = items(rig, run, "").await;
    assert_eq!(states(&all), ["succeeded", "failed", "succeeded", "cancelled", "cancelled"], "{all:#}");
    assert_eq!((&all["count"], &all["looked_at"]), (&json!(5), &json!(5)));
    assert_eq!(
        all["items"][1],
        json!({
            "index": 1, "state": "failed", "task_id": failed, "value": "b.csv",
            "error": {"class": "permanent", "code": 3, "message": "no such file"},
        })
    );
    assert_eq!(all["items"][4], json!({"index": 4, "state": "cancelled", "value": "e.csv"}));
    let counts = &rig.get(&format!("/v1/runs/{run}")).await.json()["tasks"][0]["items"];
    assert_eq!(
        (&counts["succeeded"], &counts["failed"], &counts["cancelled"]),
        (&json!(2), &json!(1), &json!(2)),
        "what was never made did not fail: {counts:#}"
    );
    let told = rig.get(&format!("/v1/runs/{run}/diagnosis")).await.json();
    assert_eq!(told["tasks"][0]["items"]["failed"], 1, "{told:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_listed_by_state_and_counted_right_also_after_a_restart() {
    let rig = Rig::start().await;
    let (run, failed) = failed_fan(&rig).await;
    is_shown(&rig, &run, &failed).await;
    let mut grpc = Clients::of(&rig).await;
    let request = v1::ListItemsRequest {
        run_id: run.clone(),
        task: "load".into(),
        states: vec![v1::TaskState::Failed as i32],
        ..v1::ListItemsRequest::default()
    };
    let page = grpc.runs.list_items(request).await.expect("a page").into_inner();
    assert_eq!((page.items.len(), page.count, page.looked_at), (1, 5, 5));
    let item = &page.items[0];
    assert_eq!((item.index, item.state(), item.task_id.as_ref()), (1, v1::TaskState::Failed, Some(&failed)));
    assert_eq!(item.value_json.as_deref(), Some("\"b.csv\""));
    assert_eq!(item.error.as_ref().map(|error| error.message.as_str()), Some("no such file"));
    drop(grpc);
    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    is_shown(&rig, &run, &failed).await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_items_go_on_where_the_last_ended_and_mistakes_are_refused() {
    let rig = Rig::start().await;
    let (run, _) = failed_fan(&rig).await;
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = items(&rig, &run, &format!("?limit=1&state=succeeded,cancelled{cursor}")).await;
        seen.extend(page["items"].as_array().expect("items").iter().map(|item| item["index"].clone()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, [0, 2, 3, 4]);
    assert_eq!(items(&rig, &run, "?state=skipped").await["items"], json!([]));
    let rows = [
        ("load/items?state=broken", 400, "INVALID_QUERY"),
        ("load/items?cursor=x", 400, "INVALID_QUERY"),
        ("load/items?limit=0", 400, "INVALID_QUERY"),
        ("load/items?limit=1001", 400, "PAGE_TOO_LONG"),
        ("load/items?job=x", 400, "INVALID_QUERY"),
        ("other/items", 404, "RUN_HAS_NO_SUCH_TASK"),
    ];
    for (path, status, code) in rows {
        let answer = rig.get(&format!("/v1/runs/{run}/tasks/{path}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{path}");
    }
    let none = rig.get(&format!("/v1/runs/{run}/tasks/after/items")).await.json();
    assert_eq!((&none["items"], &none["count"]), (&json!([]), &json!(0)), "it is not mapped");
    let missing = rig.get("/v1/runs/run_00000000000000000000000000000000/tasks/load/items").await;
    assert_eq!((missing.status, missing.code().as_str()), (404, "RUN_NOT_FOUND"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_of_a_run_carry_their_place_in_it() {
    let rig = Rig::start().await;
    let (run, failed) = failed_fan(&rig).await;
    let list = rig.get(&format!("/v1/tasks?run_id={run}")).await.json();
    let places = |list: &Value| -> Vec<(String, u64)> {
        let tasks = list["tasks"].as_array().expect("tasks").iter();
        let place = |task: &Value| {
            let name = task["run_task"].as_str().unwrap_or_default().to_owned();
            (name, task["item"].as_u64().unwrap_or(99))
        };
        tasks.map(place).collect()
    };
    assert_eq!(places(&list), [("load".into(), 0), ("load".into(), 1), ("load".into(), 2)], "{list:#}");
    let only = rig.get(&format!("/v1/tasks?run_id={run}&state=failed&limit=10")).await.json();
    assert_eq!((places(&only), &only["tasks"][0]["task_id"]), (vec![("load".into(), 1)], &json!(failed)));
    let page = rig.get(&format!("/v1/tasks?run_id={run}&limit=2")).await.json();
    let next = page["next_cursor"].as_str().expect("another page");
    let rest = rig.get(&format!("/v1/tasks?run_id={run}&cursor={next}")).await.json();
    assert_eq!(places(&rest), [("load".into(), 2)]);
    let task = rig.get(&format!("/v1/tasks/{failed}")).await.json();
    assert_eq!(
        (&task["run_id"], &task["run_task"], &task["item"]),
        (&json!(run), &json!("load"), &json!(1)),
        "{task:#}"
    );
    let mut grpc = Clients::of(&rig).await;
    let request = v1::ListTasksRequest { run_id: Some(run.clone()), ..v1::ListTasksRequest::default() };
    let same = grpc.tasks.list(request).await.expect("a page").into_inner();
    assert_eq!(same.tasks.len(), 3);
    assert_eq!((same.tasks[1].run_task.as_deref(), same.tasks[1].item), (Some("load"), Some(1)));
    let mixed = rig.get(&format!("/v1/tasks?run_id={run}&tenant=default")).await;
    assert_eq!((mixed.status, mixed.code().as_str()), (400, "INVALID_QUERY"));
    // A value that only looks like the parameter is not one.
    let label = rig.get("/v1/tasks?label=run_id%3D7").await;
    assert_eq!((label.status, &label.json()["tasks"]), (200, &json!([])), "{}", label.text);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_undoes_a_task_is_shown_with_it() {
    let rig = Rig::start().await;
    let file = "
job: saga
tasks:
  book: {noop: {}, undo: {run: [echo]}}
  pay: {noop: {}, needs: book, retries: 0}
";
    let run = begun(&rig, file, "saga").await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let book = worker.start().await;
    worker.succeed(&book, "1").await;
    let pay = worker.start().await;
    let before = rig.get(&format!("/v1/runs/{run}")).await.json();
    assert_eq!(before["tasks"][0].get("undo_task_id"), None, "{before:#}");
    worker.fail(&pay, "permanent", "no money").await;
    let undo = worker.start().await;
    let during = rig.get(&format!("/v1/runs/{run}")).await.json();
    assert_eq!(during["tasks"][0]["undo_task_id"], json!(id_of(&undo)), "{during:#}");
    worker.fail(&undo, "permanent", "no answer").await;
    let after = ended(&rig, &run).await;
    assert_eq!(after["tasks"][0]["undo_task_id"], json!(id_of(&undo)), "one that failed, too: {after:#}");
    let list = rig.get(&format!("/v1/tasks?run_id={run}")).await.json();
    let tasks = list["tasks"].as_array().expect("tasks");
    let undos: Vec<_> = tasks.iter().map(|task| (&task["run_task"], task["undo"] == true)).collect();
    assert_eq!(undos, [(&json!("book"), false), (&json!("book"), true), (&json!("pay"), false)], "{list:#}");
    rig.stop().await;
}

/// Five items of which three fail, with all of them having run.
async fn three_of_five(rig: &Rig) -> (String, FakeWorker, Vec<String>) {
    let file = "
job: fan
failure_policy: fail_after_all
tasks:
  load: {noop: {}, retries: 0, for_each: {items: [a, b, c, d, e]}}
  after: {noop: {}, retries: 0, needs: load}
";
    let run = begun(rig, file, "fan").await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 8).await;
    let mut starts = Vec::new();
    for _ in 0..5 {
        starts.push(worker.start().await);
    }
    let listed = items(rig, &run, "").await;
    let id = |index: usize| listed["items"][index]["task_id"].as_str().unwrap_or_default().to_owned();
    for start in &starts {
        if [id(0), id(3)].contains(&id_of(start)) {
            worker.succeed(start, "7").await;
        } else {
            worker.fail(start, "permanent", "no such file").await;
        }
    }
    assert_eq!(ended(rig, &run).await["state"], "failed");
    let dead = vec![id(1), id(2), id(4)];
    (run, worker, dead)
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_repaired_one_by_one_over_every_edge_and_from_history() {
    let rig = Rig::start().await;
    let (run, worker, dead) = three_of_five(&rig).await;
    drop(worker);
    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    let before = items(&rig, &run, "").await;
    let path = format!("/v1/runs/{run}:clear");
    // One over REST, one over gRPC, one as a dead letter.
    let cleared = rig.call("POST", &path, r#"{"tasks": ["load"], "items": [1], "actor": "ana"}"#).await;
    assert_eq!(cleared.status, 200, "{}", cleared.text);
    let mut grpc = Clients::of(&rig).await;
    let request = v1::ClearRunRequest {
        run_id: run.clone(),
        tasks: vec!["load".into()],
        items: vec![2],
        ..v1::ClearRunRequest::default()
    };
    grpc.runs.clear(request).await.expect("cleared");
    let requeued = rig.call("POST", &format!("/v1/dead-letters/{}:requeue", dead[2]), "").await;
    assert_eq!(requeued.status, 200, "{}", requeued.text);
    let listed = rig.get("/v1/dead-letters").await.json();
    assert_eq!(listed["tasks"], json!([]), "what runs again is no dead letter: {listed:#}");
    let mut worker = FakeWorker::join(rig.address, 2, 2, 8).await;
    for _ in 0..3 {
        let start = worker.start().await;
        assert!(!dead.contains(&id_of(&start)), "another turn has another id");
        worker.succeed(&start, "8").await;
    }
    let after = worker.start().await;
    worker.succeed(&after, "9").await;
    assert_eq!(ended(&rig, &run).await["state"], "succeeded");
    let all = items(&rig, &run, "").await;
    assert_eq!(states(&all), ["succeeded"; 5]);
    for kept in [0, 3] {
        assert_eq!(all["items"][kept]["task_id"], before["items"][kept]["task_id"], "{all:#}");
    }
    drop(grpc);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_failed_runs_again_and_mistakes_are_refused() {
    let rig = Rig::start().await;
    let (run, mut worker, dead) = three_of_five(&rig).await;
    let path = format!("/v1/runs/{run}:clear");
    let rows = [
        (r#"{"tasks": ["load"], "items": [5]}"#, 404, "TASK_HAS_NO_SUCH_ITEM"),
        (r#"{"tasks": ["after"], "items": [0]}"#, 409, "TASK_HAS_NO_ITEMS"),
        (r#"{"items": [0]}"#, 400, "INVALID_FIELD"),
        (r#"{"tasks": ["load"], "items": [0], "only_failed": true}"#, 400, "INVALID_FIELD"),
    ];
    for (body, status, code) in rows {
        let refused = rig.call("POST", &path, body).await;
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{body}: {}", refused.text);
    }
    // One of them is put away: the run stays as it ended.
    let discarded = rig.call("POST", &format!("/v1/dead-letters/{}:discard", dead[0]), "").await;
    assert_eq!(
        (discarded.status, discarded.json()["state"].as_str()),
        (200, Some("skipped")),
        "{}",
        discarded.text
    );
    let run_now = rig.get(&format!("/v1/runs/{run}")).await.json();
    assert_eq!((&run_now["state"], &run_now["tasks"][0]["items"]["failed"]), (&json!("failed"), &json!(3)));
    let cleared = rig.call("POST", &path, r#"{"tasks": ["load"], "only_failed": true}"#).await;
    assert_eq!(cleared.status, 200, "{}", cleared.text);
    for _ in 0..3 {
        let start = worker.start().await;
        worker.succeed(&start, "8").await;
    }
    let after = worker.start().await;
    worker.succeed(&after, "9").await;
    assert_eq!(ended(&rig, &run).await["state"], "succeeded");
    let none = rig.call("POST", &path, r#"{"tasks": ["load"], "only_failed": true}"#).await;
    assert_eq!((none.status, none.code().as_str()), (409, "NOTHING_FAILED"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_within_the_tolerance_is_no_dead_letter_and_says_why() {
    let rig = Rig::start().await;
    let file = "
job: fan
owner: media
tasks:
  load: {noop: {}, retries: 0, for_each: {items: [a, b], tolerate: 1}}
";
    let run = begun(&rig, file, "fan").await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 8).await;
    let (first, second) = (worker.start().await, worker.start().await);
    worker.fail(&first, "permanent", "no such file").await;
    worker.succeed(&second, "1").await;
    assert_eq!(ended(&rig, &run).await["state"], "succeeded");
    let id = id_of(&first);
    let refused = rig.call("POST", &format!("/v1/dead-letters/{id}:requeue"), "").await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "NOT_A_DEAD_LETTER"), "{}", refused.text);
    let said =
        format!("task `{id}` is no dead letter: it is `failed`, and its run `{run}` succeeded all the same");
    assert_eq!(refused.json()["message"], said);
    let path = format!("/v1/runs/{run}:clear");
    let none = rig.call("POST", &path, "{}").await;
    assert_eq!((none.status, none.code().as_str()), (409, "NOTHING_FAILED"), "{}", none.text);
    let item = rig.call("POST", &path, r#"{"tasks": ["load"], "only_failed": true}"#).await;
    assert_eq!(item.status, 200, "{}", item.text);
    let again = worker.start().await;
    worker.succeed(&again, "2").await;
    assert_eq!(ended(&rig, &run).await["tasks"][0]["items"]["failed"], 0);
    let refused = rig.call("POST", &format!("/v1/dead-letters/{id}:requeue"), "").await.json();
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("succeeded")), "{refused}");
    rig.stop().await;
}
