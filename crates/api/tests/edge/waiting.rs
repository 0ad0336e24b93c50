//! What queued tasks wait for: counted by reason, and listed by it.

use mainspring_proto::v1;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::FakeWorker;

async fn ids(rig: &Rig, path: &str) -> Vec<String> {
    let page = rig.get(path).await.json();
    let tasks = page["tasks"].as_array().unwrap_or_else(|| panic!("{page}"));
    tasks.iter().map(|task| task["task_id"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_queued_tasks_wait_for_is_counted_and_listed() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 9).await;
    let limited = r#"{"task_type":"noop","limits":[{"name":"warehouse","max":1}]}"#;
    rig.submit(limited).await;
    worker.start().await;
    let mut of_limit = Vec::new();
    for _ in 0..3 {
        of_limit.push(rig.submit(limited).await.task_id());
    }
    let other = r#"{"task_type":"noop","limits":[{"name":"press","max":1}]}"#;
    rig.submit(other).await;
    worker.start().await;
    rig.submit(other).await;
    let of_gpu = rig.submit(r#"{"task_type":"noop","pool":"gpu","priority":"P0"}"#).await.task_id();
    let ended = rig.submit(r#"{"task_type":"noop","pool":"gpu"}"#).await.task_id();
    assert_eq!(rig.call("DELETE", &format!("/v1/tasks/{ended}"), "").await.status, 200);

    let page = rig.get("/v1/waiting").await.json();
    let told = |row: &Value| (row["reason"].clone(), row["limit"].clone(), row["queued"].clone());
    let groups: Vec<_> = page["waiting"].as_array().expect("a list").iter().map(told).collect();
    assert_eq!(groups[0], (json!("limit"), json!("warehouse"), json!(3)), "{page}");
    assert!(groups.contains(&(json!("limit"), json!("press"), json!(1))), "{page}");
    assert!(groups.contains(&(json!("no_workers"), Value::Null, json!(1))), "{page}");
    assert_eq!(
        (&page["waiting"][0]["example"], groups.len()),
        (&json!(of_limit[0]), 3),
        "the oldest: {page}"
    );
    assert_eq!(page["waiting"][0]["message"], "limit `warehouse` has 1 of at most 1 holders");
    let queues = page["queues"].as_array().expect("a list");
    let default = queues.iter().find(|queue| queue["pool"] == "default").expect("it runs two");
    assert_eq!((&default["queued"], &default["running"]), (&json!(4), &json!(2)), "{page}");
    assert_eq!(default["oldest_since"], page["waiting"][0]["oldest_since"]);

    assert_eq!(ids(&rig, "/v1/tasks?limit_name=warehouse").await, of_limit);
    assert_eq!(ids(&rig, "/v1/tasks?reason=limit").await.len(), 4);
    assert_eq!(ids(&rig, "/v1/tasks?reason=no_workers&pool=gpu").await, std::slice::from_ref(&of_gpu));
    assert_eq!(ids(&rig, "/v1/tasks?pool=gpu").await, [of_gpu], "what has ended waits for nothing");
    assert!(ids(&rig, "/v1/tasks?reason=no_room").await.is_empty());
    for (query, field) in
        [("reason=hunger", "reason"), ("reason=no_room&limit_name=press", "limit_name"), ("pool=", "pool")]
    {
        let refused = rig.get(&format!("/v1/tasks?{query}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_QUERY"), "{query}");
        assert!(refused.text.contains(field), "{}", refused.text);
    }
    let mut grpc = Clients::of(&rig).await;
    let same = grpc.pools.list_waiting(v1::ListWaitingRequest {}).await.expect("listed").into_inner();
    assert_eq!((same.waiting.len(), same.waiting[0].queued, same.more), (3, 3, false));
    assert_eq!(same.waiting[0].limit.as_deref(), Some("warehouse"));
    let wanted = v1::ListTasksRequest { limit_name: Some("press".into()), ..v1::ListTasksRequest::default() };
    assert_eq!(grpc.tasks.list(wanted).await.expect("a page").into_inner().tasks.len(), 1);
    drop(worker);
    rig.stop().await;
}
