//! Lists, stats and metrics.

use std::collections::BTreeSet;

use mainspring_api::ApiConfig;
use mainspring_core::values::Millis;
use mainspring_runtime::ShardConfig;
use serde_json::Value;

use crate::rig::Rig;
use crate::worker::FakeWorker;

fn ids(page: &Value) -> Vec<String> {
    let tasks = page["tasks"].as_array().expect("a list");
    tasks.iter().map(|task| task["task_id"].as_str().expect("an id").to_owned()).collect()
}

/// All pages of a list.
async fn walk(rig: &Rig, path: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    for _ in 0..100 {
        let page = rig.get(&format!("{path}&limit=3{cursor}")).await.json();
        let found = ids(&page);
        assert!(found.len() <= 3, "{page}");
        all.extend(found);
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
    panic!("the list has no end");
}

/// Places in memory are those of one epoch; places in the history are for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_of_an_earlier_epoch_is_refused_by_name_or_still_valid() {
    let rig = Rig::start().await;
    for _ in 0..5 {
        let queued = rig.submit(r#"{"task_type":"noop"}"#).await;
        assert_eq!(queued.status, 202, "{}", queued.text);
        let id = rig.submit(r#"{"task_type":"noop","delay_ms":60000}"#).await.task_id();
        let ended = rig.call("POST", &format!("/v1/tasks/{id}:force-state"), r#"{"state":"failed"}"#).await;
        assert_eq!(ended.status, 200, "{}", ended.text);
    }
    let next = |page: Value| page["next_cursor"].as_str().expect("another page").to_owned();
    let memory = next(rig.get("/v1/tasks?limit=3&status=QUEUED").await.json());
    let history = next(rig.get("/v1/tasks?limit=3&status=FAILED").await.json());
    let before = ids(&rig.get(&format!("/v1/tasks?limit=9&status=FAILED&cursor={history}")).await.json());
    assert_eq!(ids(&rig.get(&format!("/v1/tasks?status=QUEUED&cursor={memory}")).await.json()).len(), 2);

    let rig = Rig::start_in(rig.stop().await, ApiConfig::default(), ShardConfig::default()).await;
    let refused = rig.get(&format!("/v1/tasks?status=QUEUED&cursor={memory}")).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "CURSOR_EXPIRED"), "{}", refused.text);
    let after = ids(&rig.get(&format!("/v1/tasks?limit=9&status=FAILED&cursor={history}")).await.json());
    assert_eq!((before.len(), &before), (2, &after), "the same rows as before the restart");
    let foreign = rig.get("/v1/tasks?cursor=m7.1.0").await;
    assert_eq!(foreign.code(), "CURSOR_EXPIRED", "there is no such shard");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_hold_each_task_once_and_filters_narrow() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    let mut ended = BTreeSet::new();
    for n in 0..7 {
        let body = format!(r#"{{"task_type":"noop","job":"j{}","labels":{{"n":"{n}"}}}}"#, n % 2);
        ended.insert(rig.submit(&body).await.task_id());
        let start = worker.start().await;
        worker.succeed(&start, "1").await;
    }
    let mut waiting = BTreeSet::new();
    for n in 0..4 {
        let body = format!(r#"{{"task_type":"noop","tenant":"t{}","delay_ms":60000}}"#, n % 2);
        waiting.insert(rig.submit(&body).await.task_id());
    }
    let all: BTreeSet<String> = ended.union(&waiting).cloned().collect();
    let rows = [
        ("all", "/v1/tasks?", all.len()),
        ("ended", "/v1/tasks?state=succeeded", 7),
        ("waiting", "/v1/tasks?state=pending,queued", 4),
        ("job", "/v1/tasks?job=j0", 4),
        ("tenant", "/v1/tasks?tenant=t1", 2),
        ("label", "/v1/tasks?label=n=3", 1),
        ("worker", "/v1/tasks?worker=worker_01010101010101010101010101010101", 7),
        ("other worker", "/v1/tasks?worker=worker_02010101010101010101010101010101", 0),
        ("later", "/v1/tasks?ended_from=2099-01-01T00:00:00Z", 0),
        ("dead letters", "/v1/dead-letters?job=j0", 0),
    ];
    for (name, path, count) in rows {
        let walked = walk(&rig, path).await;
        assert_eq!(walked.len(), count, "{name}");
        assert_eq!(walked.iter().collect::<BTreeSet<_>>().len(), count, "{name}: each once");
    }

    let stats = rig.get("/v1/stats").await.json();
    assert_eq!((&stats["workers"], &stats["sessions"]), (&1.into(), &1.into()), "{stats}");
    let metrics = rig.get("/metrics").await;
    assert!(
        metrics.headers["content-type"]
            .to_str()
            .is_ok_and(|kind| kind.starts_with("application/openmetrics-text"))
    );
    for line in [
        "mainspring_tasks_submitted_total 11",
        "mainspring_worker_sessions 1",
        "mainspring_worker_reports_total 7",
        "mainspring_tasks{state=\"pending\"} 4",
        "# EOF",
    ] {
        assert!(metrics.text.lines().any(|text| text == line), "{line}\n{}", metrics.text);
    }
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_holds_what_a_worker_was_just_told_has_ended() {
    // Without being asked the tables would follow after an hour.
    let shard = ShardConfig { cut_every: Millis::from_secs(3600), ..ShardConfig::default() };
    let rig = Rig::start_with(ApiConfig::default(), shard).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    for n in 1..=3 {
        let id = rig.submit(r#"{"task_type":"noop"}"#).await.task_id();
        let found = ids(&rig.get(&format!("/v1/tasks?id_prefix={id}")).await.json());
        assert_eq!(found, [id.as_str()], "just submitted");
        let start = worker.start().await;
        worker.succeed(&start, "1").await;
        let done = ids(&rig.get("/v1/tasks?state=succeeded").await.json());
        assert!(done.contains(&id) && done.len() == n, "{n}: {done:?}");
        assert_eq!(ids(&rig.get("/v1/tasks").await.json()).len(), n, "each once");
    }
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_task_is_explained() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop","pool":"gpu"}"#).await.task_id();
    let why = rig.get(&format!("/v1/tasks/{id}/diagnosis")).await.json();
    assert_eq!((&why["state"], &why["reason"]), (&"queued".into(), &"no_workers".into()), "{why}");
    assert!(why["advice"].as_str().is_some_and(|advice| advice.contains("--pool gpu")));
    let stats = rig.get("/v1/stats").await.json();
    assert_eq!((&stats["depths"][0]["pool"], &stats["depths"][0]["queued"]), (&"gpu".into(), &1.into()));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn far_tasks_are_listed_once_wherever_they_are_kept() {
    let rig = Rig::start().await;
    let mut all = BTreeSet::new();
    for n in 0..8 {
        let delay = if n % 2 == 0 { 60_000 } else { 86_400_000 * (n + 1) };
        let body = format!(r#"{{"task_type":"noop","tenant":"t{}","delay_ms":{delay}}}"#, n % 4);
        all.insert(rig.submit(&body).await.task_id());
    }
    // At first all are in memory; then the far ones are only in the tables.
    let stats = async || rig.get("/v1/stats").await.json()["tasks_in_memory"]["pending"].clone();
    let mut left = Value::Null;
    for _ in 0..500 {
        left = stats().await;
        if left == 4 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(left, 4, "the far ones have left memory");
    for (name, path, count) in [
        ("all", "/v1/tasks?", 8),
        ("pending", "/v1/tasks?state=pending", 8),
        ("queued", "/v1/tasks?state=queued", 0),
        ("tenant", "/v1/tasks?tenant=t1", 2),
        ("made since", "/v1/tasks?created_from=1000000000", 8),
        ("made later", "/v1/tasks?created_from=2099-01-01T00:00:00Z", 0),
        ("made before", "/v1/tasks?created_before=2099-01-01T00:00:00Z", 8),
        ("made earlier", "/v1/tasks?created_before=1000000000", 0),
    ] {
        let walked = walk(&rig, path).await;
        assert_eq!(walked.len(), count, "{name}: {walked:?}");
        assert_eq!(walked.iter().collect::<BTreeSet<_>>().len(), count, "{name}: each once");
    }
    let id = all.first().expect("one");
    let found = ids(&rig.get(&format!("/v1/tasks?id_prefix={id}")).await.json());
    assert_eq!(found, std::slice::from_ref(id));
    let short = &id[..11];
    assert_eq!(
        ids(&rig.get(&format!("/v1/tasks?id_prefix={short}")).await.json()).len(),
        8,
        "made within hours"
    );
    for bad in ["task_", "zzzzzz", "01234"] {
        let answer = rig.get(&format!("/v1/tasks?id_prefix={bad}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_QUERY"), "{bad}");
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_lacks_the_newest_is_refused_unless_the_caller_takes_it() {
    let mut shard = ShardConfig::default();
    shard.engine.watch = true;
    let (rig, go_on) = Rig::start_stuck(shard).await;
    assert_eq!(rig.submit(r#"{"task_type":"noop"}"#).await.status, 202, "answered before its effects");
    let (runs, tasks, dead, older) = tokio::join!(
        rig.get("/v1/runs"),
        rig.get("/v1/tasks?state=succeeded"),
        rig.get("/v1/dead-letters"),
        rig.get("/v1/runs?older=true"),
    );
    for refused in [runs, tasks, dead] {
        assert_eq!((refused.status, refused.code().as_str()), (503, "STORE_BEHIND"), "{}", refused.text);
    }
    assert_eq!(
        (older.status, older.json()["runs"].as_array().map(Vec::len)),
        (200, Some(0)),
        "{}",
        older.text
    );
    let odd = rig.get("/v1/tasks?older=perhaps").await;
    assert_eq!((odd.status, odd.code().as_str()), (400, "INVALID_QUERY"));
    drop(go_on);
    while rig.get("/v1/runs").await.status != 200 {}
    rig.stop().await;
}
