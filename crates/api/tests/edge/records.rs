//! What can be read back of a task and of a job: attempts, changes of state, figures.

use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::{FakeWorker, hello, open};

fn changes(history: &Value) -> Vec<(String, String)> {
    let changes = history["changes"].as_array().expect("changes").iter();
    let text = |change: &Value, field: &str| change[field].as_str().unwrap_or_default().to_owned();
    changes.map(|change| (text(change, "state"), text(change, "cause"))).collect()
}

fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(state, cause)| ((*state).to_owned(), (*cause).to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_and_changes_of_a_task_can_be_read_back() {
    let rig = Rig::start().await;
    let body = r#"{"task_type":"process","payload":{"argv":["x"]},
        "retry_policy":{"max_retries":3,"backoff":"fixed","initial_delay_ms":1}}"#;
    let id = rig.submit(body).await.task_id();
    let path = format!("/v1/tasks/{id}");
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let start = worker.start().await;
    worker.fail(&start, "transient", "no route").await;
    let start = worker.start().await;
    worker.fail(&start, "timeout", "too long").await;
    let start = worker.start().await;
    worker.succeed(&start, "1").await;
    let task = rig.until(&id, "succeeded").await;
    let attempts = task["attempts"].as_array().expect("attempts");
    let outcomes: Vec<_> = attempts.iter().map(|attempt| &attempt["outcome"]).collect();
    assert_eq!(outcomes, ["failed", "timed_out", "succeeded"], "{task:#}");
    let codes: Vec<_> = attempts.iter().map(|attempt| attempt["exit_code"].as_i64()).collect();
    assert_eq!(codes, [Some(3), Some(3), Some(0)], "{task:#}");
    assert!(attempts.iter().all(|attempt| attempt["duration_ms"].is_u64()), "{task:#}");

    let history = rig.get(&format!("{path}/history")).await.json();
    let wanted = [
        ("queued", "submitted"),
        ("assigned", "assigned"),
        ("retry_wait", "attempt_failed"),
        ("assigned", "assigned"),
        ("retry_wait", "attempt_failed"),
        ("assigned", "assigned"),
        ("succeeded", "attempt_succeeded"),
    ];
    assert_eq!(changes(&history), pairs(&wanted), "{history:#}");
    assert_eq!(history["changes"][2]["error"]["message"], "no route");
    let times: Vec<_> =
        history["changes"].as_array().expect("changes").iter().map(|one| &one["at"]).collect();
    assert!(times.is_sorted_by_key(|at| at.as_str()), "{times:?}");
    let mut grpc = Clients::of(&rig).await;
    let request = v1::TaskHistoryRequest { task_id: id.clone() };
    let same = grpc.tasks.history(request).await.expect("a history").into_inner();
    assert_eq!((same.changes.len(), same.changes[6].state()), (7, v1::TaskState::Succeeded));
    assert_eq!(same.changes[2].error.as_ref().map(|error| error.message.as_str()), Some("no route"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_shows_what_it_asked_for_and_used_and_how_far_it_came() {
    let rig = Rig::start().await;
    let body = r#"{"task_type":"process","payload":{"argv":["x"]},"timeouts":{"hard_ms":60000},
        "resources":{"cpu_milli":500,"memory_bytes":1000,"custom":{"license":1}},
        "retry_policy":{"max_retries":3,"backoff":"fixed","initial_delay_ms":1}}"#;
    let id = rig.submit(body).await.task_id();
    let path = format!("/v1/tasks/{id}");
    let custom = [("license".to_owned(), 1)].into();
    let capacity = v1::Resources { cpu_milli: 1000, memory_bytes: 1 << 30, custom, ..Default::default() };
    let mut first = hello(1, 1, 4);
    first.offer = first.offer.map(|offer| v1::Offer { capacity: Some(capacity), ..offer });
    let mut worker =
        open(rig.address, v1::WorkerMessage { hello: Some(first), ..v1::WorkerMessage::default() }).await;
    let start = worker.start().await;
    worker.report(&start, What::Progress("1 of 3".into())).await;
    worker.heartbeat().await;
    let task = rig.get(&path).await.json();
    assert_eq!(task["attempts"][0]["progress"], "1 of 3", "shown while it runs: {task:#}");
    assert_eq!(task["attempts"][0]["used"], Value::Null, "{task:#}");
    assert_eq!(
        (&task["timeouts"]["hard_ms"], &task["timeouts"]["grace_ms"]),
        (&json!(60_000), &json!(30_000))
    );

    let details = |memory_peak_bytes, cpu_ms, progress: &str| {
        Some(v1::AttemptDetails { memory_peak_bytes, cpu_ms, ran_ms: None, progress: Some(progress.into()) })
    };
    let failure = v1::Failure { class: "resource".into(), code: 137, ..v1::Failure::default() };
    worker.report_with(&start, What::Failure(failure), details(Some(999), Some(7), "2 of 3")).await;
    let start = worker.start().await;
    let success = What::Success(v1::Success::default());
    worker.report_with(&start, success, details(None, Some(8), "3 of 3")).await;
    let task = rig.until(&id, "succeeded").await;
    let asked = |memory: u64| json!({"cpu_milli": 500, "memory_bytes": memory, "disk_bytes": 0, "gpus": 0, "custom": {"license": 1}});
    let attempts = task["attempts"].as_array().expect("attempts");
    let shown: Vec<_> = attempts.iter().map(|one| (&one["asked"], &one["used"], &one["progress"])).collect();
    let wanted = [
        (asked(1_000), json!({"memory_peak_bytes": 999, "cpu_ms": 7}), json!("2 of 3")),
        (asked(1_500), json!({"cpu_ms": 8}), json!("3 of 3")),
    ];
    assert_eq!(shown, wanted.each_ref().map(|(asked, used, progress)| (asked, used, progress)), "{task:#}");
    assert_eq!(task["resources"], asked(1_000));

    let mut grpc = Clients::of(&rig).await;
    let same = grpc
        .tasks
        .get(v1::GetTaskRequest { task_id: id.clone(), wait: None })
        .await
        .expect("a task")
        .into_inner();
    let [first, second] = &same.attempts[..] else { panic!("{same:?}") };
    assert_eq!((first.memory_peak_bytes, first.progress.as_deref()), (Some(999), Some("2 of 3")));
    assert_eq!(second.asked.as_ref().map(|asked| asked.memory_bytes), Some(1_500));
    assert_eq!((second.memory_peak_bytes, second.cpu.map(|cpu| cpu.nanos)), (None, Some(8_000_000)));
    assert_eq!(same.timeouts.and_then(|limits| limits.hard).map(|hard| hard.seconds), Some(60));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_says_who_forced_a_task() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await.task_id();
    let path = format!("/v1/tasks/{id}");
    let force = r#"{"state":"failed","actor":"ann","reason":"broken"}"#;
    rig.call("POST", &format!("{path}:force-state"), force).await;
    let history = rig.get(&format!("{path}/history")).await.json();
    assert_eq!(changes(&history), pairs(&[("pending", "submitted"), ("failed", "forced")]), "{history:#}");
    let forced = &history["changes"][1];
    assert_eq!((&forced["actor"], &forced["reason"]), (&json!("ann"), &json!("broken")));
    rig.call("POST", &format!("{path}:retry"), r#"{"actor":"ben","reason":"again"}"#).await;
    let history = rig.get(&format!("{path}/history")).await.json();
    let wanted = [("pending", "submitted"), ("failed", "forced"), ("queued", "requeued")];
    assert_eq!(changes(&history), pairs(&wanted), "{history:#}");
    let actors: Vec<_> = (1..3).map(|at| &history["changes"][at]["actor"]).collect();
    assert_eq!(actors, ["ann", "ben"]);
    let missing = rig.get("/v1/tasks/task_00000000000000000000000000000001/history").await;
    assert_eq!((missing.status, missing.code().as_str()), (404, "TASK_NOT_FOUND"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_runs_of_a_job_are_summed_up_by_version() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let file = "job: etl\nparameters: {v: 1}\ntasks:\n  a: {noop: {}, retries: 0}\n";
    for (version, ends) in [("1", "sf"), ("2", "ss")] {
        let text = file.replace("v: 1", &format!("v: {version}"));
        assert_eq!(rig.call("POST", "/v1/jobs", &text).await.status, 200);
        for end in ends.chars() {
            let run = rig.call("POST", "/v1/jobs/etl:trigger", "").await.json();
            let start = worker.start().await;
            match end {
                's' => worker.succeed(&start, "1").await,
                _ => worker.fail(&start, "permanent", "no").await,
            }
            rig.get(&format!("/v1/runs/{}?wait=20s", run["run_id"].as_str().expect("a run"))).await;
        }
    }
    let open = rig.call("POST", "/v1/jobs/etl:trigger", "").await;
    assert!(open.status < 300, "one that has not ended does not count: {}", open.text);
    let stats = rig.get("/v1/jobs/etl/stats").await.json();
    assert_eq!((&stats["looked_at"], &stats["is_all"]), (&json!(4), &json!(true)), "{stats:#}");
    let all = &stats["all"];
    assert_eq!(
        (&all["runs"], &all["succeeded"], &all["failed"]),
        (&json!(4), &json!(3), &json!(1)),
        "{all:#}"
    );
    assert_eq!(all["success_rate"], 0.75);
    assert!(all["p50_ms"].is_u64() && all["p95_ms"].is_u64(), "{all:#}");
    let versions: Vec<_> = stats["versions"]
        .as_array()
        .expect("versions")
        .iter()
        .map(|one| (&one["version"], &one["success_rate"]))
        .collect();
    assert_eq!(versions, [(&json!(2), &json!(1.0)), (&json!(1), &json!(0.5))], "{stats:#}");
    let newest = rig.get("/v1/jobs/etl/stats?last=2").await.json();
    assert_eq!((&newest["looked_at"], &newest["is_all"]), (&json!(2), &json!(false)), "{newest:#}");
    assert_eq!(newest["all"]["success_rate"], 1.0);
    let mut grpc = Clients::of(&rig).await;
    let request = v1::JobStatsRequest { job: "etl".into(), ..v1::JobStatsRequest::default() };
    let same = grpc.jobs.stats(request).await.expect("figures").into_inner();
    assert_eq!((same.looked_at, same.all.and_then(|all| all.success_rate)), (4, Some(0.75)));
    for (path, status, code) in [
        ("/v1/jobs/none/stats", 404, "JOB_NOT_FOUND"),
        ("/v1/jobs/etl/stats?last=0", 400, "INVALID_QUERY"),
        ("/v1/jobs/etl/stats?last=1001", 400, "PAGE_TOO_LONG"),
    ] {
        let refused = rig.get(path).await;
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{path}");
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_beginning_of_an_id_can_be_looked_up_within_a_tenant() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop","tenant":"acme","delay_ms":3600000}"#).await.task_id();
    let found = async |query: String| rig.get(&format!("/v1/tasks?{query}")).await.json()["tasks"].clone();
    assert_eq!(found(format!("id_prefix={id}&tenant=acme")).await[0]["task_id"], json!(id));
    assert_eq!(found(format!("id_prefix={id}&tenant=beta")).await, json!([]));
    let mixed = rig.get(&format!("/v1/tasks?id_prefix={id}&job=x")).await;
    assert_eq!((mixed.status, mixed.code().as_str()), (400, "INVALID_QUERY"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payload_that_nobody_could_read_is_refused() {
    let rig = Rig::start().await;
    let body = |depth: usize| {
        let payload = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"task_type":"noop","payload":{payload}}}"#)
    };
    assert_eq!(rig.submit(&body(100)).await.status, 202);
    let refused = rig.submit(&body(101)).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_FIELD"), "{}", refused.text);
    assert!(refused.text.contains("deeper than 100"), "{}", refused.text);
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let job = r#"{"job":"j","parameters":{"x":{"type":"list","default":[]}},"tasks":{"a":{"noop":{}}}}"#;
    assert_eq!(rig.call("POST", "/v1/jobs", job).await.status, 200);
    for (depth, event_status, run_status) in [(99, 202, 202), (101, 400, 400)] {
        let data = nested(depth);
        let event =
            format!(r#"{{"specversion":"1.0","type":"t","source":"/s","id":"{depth}","data":{data}}}"#);
        let sent = rig.call("POST", "/v1/events", &event).await;
        assert_eq!(sent.status, event_status, "{}", sent.text);
        let body = format!(r#"{{"parameters":{{"x":{data}}}}}"#);
        let begun = rig.call("POST", "/v1/jobs/j:trigger", &body).await;
        assert_eq!(begun.status, run_status, "{}", begun.text);
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_says_who_changed_what_by_hand() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await.task_id();
    let path = format!("/v1/tasks/{id}");
    let said = [("mainspring-actor", "ann"), ("mainspring-reason", "month end")];
    assert_eq!(rig.call_with("PATCH", &path, r#"{"priority":"P0"}"#, &said).await.status, 200);
    assert_eq!(rig.call_with("POST", &format!("{path}:run-now"), "", &said).await.status, 200);
    assert_eq!(rig.call_with("DELETE", &path, "", &said).await.status, 200);
    let refused = rig.call_with("DELETE", &path, "", &said).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(rig.call_with("POST", &format!("{path}:retry"), "", &said).await.status, 200);
    let history = rig.get(&format!("{path}/history")).await.json();
    let wanted = [
        ("pending", "submitted"),
        ("pending", "amended"),
        ("queued", "run_now"),
        ("cancelled", "cancelled"),
        ("queued", "requeued"),
    ];
    assert_eq!(changes(&history), pairs(&wanted), "{history:#}");
    let by_hand = &history["changes"].as_array().expect("changes")[1..];
    assert!(by_hand.iter().all(|one| one["actor"] == "ann" && one["reason"] == "month end"), "{history:#}");
    rig.stop().await;
}
