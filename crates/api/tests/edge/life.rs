//! The life of a task read back as it was: states, causes and who did what; and what it wrote, by stream.

use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::FakeWorker;

/// State, cause and actor of each change.
async fn life(rig: &Rig, id: &str) -> Vec<[String; 3]> {
    let history = rig.get(&format!("/v1/tasks/{id}/history")).await.json();
    let changes = history["changes"].as_array().unwrap_or_else(|| panic!("{history}"));
    let text = |change: &Value, field: &str| change[field].as_str().unwrap_or_default().to_owned();
    changes.iter().map(|change| ["state", "cause", "actor"].map(|field| text(change, field))).collect()
}

fn rows(rows: &[[&str; 3]]) -> Vec<[String; 3]> {
    rows.iter().map(|row| row.map(str::to_owned)).collect()
}

fn failure(ran_ms: u64) -> (What, Option<v1::AttemptDetails>) {
    let failure =
        v1::Failure { class: "permanent".into(), code: 1, message: "no".into(), outcome_unknown: false };
    (
        What::Failure(failure),
        Some(v1::AttemptDetails { ran_ms: Some(ran_ms), ..v1::AttemptDetails::default() }),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happened_stays_as_it_was_whatever_comes_after() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let once = r#"{"task_type":"process","payload":{"argv":["x"]},"retry_policy":{"max_retries":0}}"#;
    let id = rig.submit(once).await.task_id();
    let start = worker.start().await;
    let (what, details) = failure(0);
    worker.report_with(&start, what, details).await;
    rig.until(&id, "failed").await;
    let first = [
        ["queued", "submitted", ""],
        ["assigned", "assigned", ""],
        ["running", "started", ""],
        ["failed", "attempt_failed", ""],
    ];
    assert_eq!(life(&rig, &id).await, rows(&first));
    let again = rig
        .call("POST", &format!("/v1/tasks/{id}:retry"), r#"{"actor":"ada","reason":"disk is back"}"#)
        .await;
    assert_eq!(again.status, 200, "{}", again.text);
    let start = worker.start().await;
    let mut wanted = rows(&first);
    wanted.extend(rows(&[["queued", "requeued", "ada"], ["assigned", "assigned", ""]]));
    assert_eq!(life(&rig, &id).await, wanted, "the first attempt failed for good, and still did");
    let stop = rig.call("POST", &format!("/v1/tasks/{id}:cancel?force=true"), r#"{"actor":"ben"}"#).await;
    assert_eq!(stop.status, 200, "{}", stop.text);
    worker.fail(&start, "cancelled", "stopped").await;
    rig.until(&id, "cancelled").await;
    let last = life(&rig, &id).await.pop();
    assert_eq!(last.map(|[state, cause, _]| (state, cause)), Some(("cancelled".into(), "cancelled".into())));
    let task = rig.get(&format!("/v1/tasks/{id}")).await.json();
    assert!(task["attempts"][0]["started_at"].is_string(), "{task}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_work_and_the_end_of_a_run_say_who() {
    let rig = Rig::start().await;
    let later = r#"{"task_type":"noop","delay_ms":3600000,"labels":{"team":"ops"}}"#;
    let id = rig.submit(later).await.task_id();
    let bulk = r#"{"verb":"cancel_tasks","labels":{"team":"ops"},"actor":"ada","reason":"too many"}"#;
    let begun = rig.call("POST", "/v1/operations", bulk).await;
    assert!(begun.status < 300, "{}", begun.text);
    rig.until(&id, "cancelled").await;
    assert_eq!(life(&rig, &id).await[1], ["cancelled", "cancelled", "ada"].map(str::to_owned));

    let job = "job: slow\ntasks:\n  a: {noop: {}, retries: 0}\n";
    assert_eq!(rig.call("POST", "/v1/jobs", job).await.status, 200);
    let run = rig.call("POST", "/v1/jobs/slow:trigger", "").await.json();
    let run = run["run_id"].as_str().expect("a run").to_owned();
    let task = rig.get(&format!("/v1/runs/{run}")).await.json()["tasks"][0]["task_id"].clone();
    let cancel =
        rig.call("POST", &format!("/v1/runs/{run}:cancel"), r#"{"actor":"ben","reason":"wrong day"}"#).await;
    assert!(cancel.status < 300, "{}", cancel.text);
    rig.get(&format!("/v1/runs/{run}?wait=10s")).await;
    let life = life(&rig, task.as_str().expect("a task")).await;
    assert_eq!(life.last(), Some(&["cancelled", "cancelled", "ben"].map(str::to_owned)), "{life:?}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_a_schedule_is_noted_with_its_job() {
    let rig = Rig::start().await;
    let job = "job: etl\ntasks:\n  a: {noop: {}}\nschedules:\n  - {name: nightly, cron: '0 3 * * *'}\n";
    assert_eq!(rig.call("POST", "/v1/jobs", job).await.status, 200);
    let pause = r#"{"actor":"ada","reason":"maintenance"}"#;
    assert!(rig.call("POST", "/v1/schedules/etl/nightly:pause", pause).await.status < 300);
    let notes = rig.get("/v1/jobs/etl").await.json()["notes"].clone();
    let note = notes.as_array().and_then(|notes| notes.last()).unwrap_or_else(|| panic!("{notes}"));
    let told = ["actor", "reason", "what"].map(|field| note[field].as_str().unwrap_or_default());
    assert_eq!(told, ["ada", "maintenance", "paused schedule `nightly`"]);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_that_had_passed_stays_readable() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop","scheduled_at":"2026-01-02T03:04:05Z"}"#).await.task_id();
    let task = rig.get(&format!("/v1/tasks/{id}")).await.json();
    assert_eq!(
        (&task["state"], &task["scheduled_at"]),
        (&json!("queued"), &json!("2026-01-02T03:04:05.000Z"))
    );
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stdout_and_stderr_are_told_apart() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let id = rig.submit(r#"{"task_type":"process","payload":{"argv":["x"]}}"#).await.task_id();
    let start = worker.start().await;
    let text = "out one\n\u{1b}]7070;2\u{7}err one\nerr two\n\u{1b}]7070;1\u{7}out two\n";
    worker.log(&start, 0, text, true).await;
    worker.succeed(&start, "1").await;
    worker.heartbeat().await;
    let path = format!("/v1/tasks/{id}/logs");
    for (query, wanted) in [
        ("", "out one\nerr one\nerr two\nout two\n"),
        ("?stream=all", "out one\nerr one\nerr two\nout two\n"),
        ("?stream=stdout", "out one\nout two\n"),
        ("?stream=stderr", "err one\nerr two\n"),
        ("?stream=marked", text),
        ("?stream=stderr&line=3", "err two\n"),
        ("?stream=stderr&download=true", "err one\nerr two\n"),
        ("?stream=stderr&follow=true&attempt=1", "err one\nerr two\n"),
    ] {
        assert_eq!(rig.get(&format!("{path}{query}")).await.text, wanted, "{query}");
    }
    let refused = rig.get(&format!("{path}?stream=stdin")).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_QUERY"));
    let found = rig.get(&format!("{path}/search?q=one")).await.json();
    let lines: Vec<String> = found["hits"]
        .as_array()
        .expect("hits")
        .iter()
        .map(|hit| ["before", "match", "after"].map(|part| hit[part].as_str().unwrap_or_default()).concat())
        .collect();
    assert_eq!(lines, ["out one", "err one"], "{found}");
    let mut grpc = Clients::of(&rig).await;
    let request =
        v1::TaskLogsRequest { task_id: id, stream: Some("stderr".into()), ..v1::TaskLogsRequest::default() };
    let mut pieces = grpc.tasks.logs(request).await.expect("a log").into_inner();
    let mut told = Vec::new();
    while let Some(piece) = pieces.message().await.expect("a piece") {
        told.extend(piece.content);
    }
    assert_eq!(String::from_utf8_lossy(&told), "err one\nerr two\n");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_recurs_over_grpc_as_over_rest() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let spec = |recurrence: &str| v1::SubmitRequest {
        task: Some(v1::TaskSpec {
            task_type: "noop".into(),
            recurrence_json: Some(recurrence.into()),
            ..v1::TaskSpec::default()
        }),
    };
    let stored = grpc
        .tasks
        .submit(spec(r#"{"name":"backup","cron":"0 3 * * *"}"#))
        .await
        .expect("stored")
        .into_inner();
    assert_eq!((stored.schedule.as_deref(), stored.next.is_some()), (Some("@tasks/backup"), true));
    let id = stored.task_id;
    assert_eq!(rig.get(&format!("/v1/tasks/{id}")).await.json()["state"], "pending");
    let get = v1::GetTaskRequest { task_id: id.clone(), wait: None };
    let read = grpc.tasks.get(get).await.expect("read").into_inner();
    assert_eq!((read.task_id.as_str(), read.state()), (id.as_str(), v1::TaskState::Pending));
    let amend = v1::AmendTaskRequest {
        task_id: id.clone(),
        recurrence_json: Some(r#"{"cron":"30 4 * * *"}"#.into()),
        ..v1::AmendTaskRequest::default()
    };
    grpc.tasks.amend(amend).await.expect("changed");
    let next = rig.get("/v1/schedules/@tasks/backup").await.json()["next"].clone();
    assert!(next.as_str().is_some_and(|at| at.contains("T04:30")), "{next}");
    let cancel = v1::CancelTaskRequest { task_id: id.clone(), ..v1::CancelTaskRequest::default() };
    assert_eq!(
        grpc.tasks.cancel(cancel).await.expect("ended").into_inner().state(),
        v1::TaskState::Cancelled
    );
    let wrong =
        grpc.tasks.submit(spec(r#"{"cron":"0 3 * * *","priority":"P0"}"#)).await.expect_err("refused");
    assert!(wrong.message().contains("recurrence_json"), "{wrong}");
    let other = rig.get(&format!("/v1/tasks/{id}/history")).await;
    assert_eq!((other.status, &other.json()["task_id"]), (404, &json!(id)), "{}", other.text);
    rig.stop().await;
}
