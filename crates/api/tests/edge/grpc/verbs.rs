//! Every verb, and that REST sees the same.

use mainspring_proto::v1;
use mainspring_proto::v1::TaskState;
use mainspring_proto::v1::report::What;
use mainspring_proto::v1::submit_result::Result as Outcome;
use prost_types::{Duration, Timestamp};

use super::{Clients, noop, with_metadata};
use crate::rig::Rig;
use crate::worker::{FakeWorker, id_of};

fn rich() -> v1::TaskSpec {
    v1::TaskSpec {
        tenant: Some("acme".into()),
        job: Some("mail".into()),
        payload_json: Some(r#"{"n": 1.50}"#.into()),
        priority: Some(v1::Priority { band: Some("p0".into()), level: Some(7) }),
        retry_policy: Some(v1::RetryPolicy {
            max_retries: Some(1),
            backoff: v1::Backoff::None.into(),
            ..v1::RetryPolicy::default()
        }),
        timeouts: Some(v1::Timeouts {
            hard: Some(Duration { seconds: 60, nanos: 0 }),
            ..v1::Timeouts::default()
        }),
        resources: Some(v1::Resources { cpu_milli: 0, ..v1::Resources::default() }),
        labels: [("team".to_owned(), "a".to_owned())].into(),
        delivery: v1::Delivery::AtMostOnce.into(),
        ..noop()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_submitted_run_and_read_on_both_edges() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let accepted = grpc.submit(rich()).await.expect("accepted");
    assert_eq!((accepted.state(), accepted.duplicate), (TaskState::Queued, false));
    assert!(accepted.created_at.is_some());
    let id = accepted.task_id;

    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let start = worker.start().await;
    assert_eq!(id_of(&start), id);
    assert_eq!(start.payload, br#"{"n": 1.50}"#, "the payload is handed on as it came");
    assert_eq!((start.tenant.as_str(), start.hard_timeout_ms), ("acme", 60_000));
    worker.fail(&start, "transient", "broke").await;
    let start = worker.start().await;
    worker.report(&start, What::Accepted(true)).await;
    worker.succeed(&start, "plain text").await;

    let seen = rig.until(&id, "succeeded").await;
    let task = grpc.get(&id).await;
    assert_eq!(task.state(), TaskState::Succeeded);
    assert_eq!(task.payload_json.as_deref(), Some(r#"{"n": 1.50}"#));
    assert_eq!(task.output_json.as_deref(), Some("\"plain text\""));
    assert_eq!(seen["output"], "plain text");
    assert_eq!(task.labels["team"], seen["labels"]["team"].as_str().unwrap_or_default());
    let priority = task.priority.as_ref().expect("a priority");
    assert_eq!((priority.band.as_deref(), priority.level), (Some("P0"), Some(7)));
    assert_eq!(task.delivery(), v1::Delivery::AtMostOnce);
    assert_eq!((task.attempt_count, task.retry_count, task.max_retries), (2, 1, 1));
    let attempts: Vec<_> =
        task.attempts.iter().map(|a| a.error.as_ref().map(|e| e.message.as_str())).collect();
    assert_eq!(attempts, [Some("broke"), None]);
    assert_eq!(task.last_error.as_ref().map(|error| error.class.as_str()), Some("transient"));
    assert_eq!(task.worker.as_deref(), seen["worker"].as_str());
    let (created, ended) = (task.created_at.expect("created"), task.ended_at.expect("ended"));
    assert!((created.seconds, created.nanos) <= (ended.seconds, ended.nanos));

    // And the other way: what REST submitted, gRPC reads.
    let other = rig.submit(r#"{"task_type":"noop","payload":[1,2]}"#).await.task_id();
    assert_eq!(grpc.get(&other).await.payload_json.as_deref(), Some("[1,2]"));
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_task_is_amended_diagnosed_run_now_forced_retried_and_cancelled() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let delay = Some(Duration { seconds: 3600, nanos: 0 });
    let accepted = grpc.submit(v1::TaskSpec { delay, ..noop() }).await.expect("accepted");
    assert_eq!(accepted.state(), TaskState::Pending);
    let id = || accepted.task_id.clone();

    let at = Timestamp { seconds: 4_070_908_800, nanos: 0 };
    let amend = v1::AmendTaskRequest {
        task_id: id(),
        scheduled_at: Some(at),
        priority: Some(v1::Priority { band: Some("P2".into()), level: None }),
        payload_json: Some("7".into()),
        ..v1::AmendTaskRequest::default()
    };
    let changed = grpc.tasks.amend(amend).await.expect("amended").into_inner();
    assert_eq!((changed.state(), changed.stopping), (TaskState::Pending, false));
    let seen = rig.get(&format!("/v1/tasks/{}", id())).await.json();
    assert_eq!(
        (&seen["scheduled_at"], &seen["priority"]["band"], &seen["payload"]),
        (&"2099-01-01T00:00:00.000Z".into(), &"P2".into(), &7.into())
    );
    let why =
        grpc.tasks.diagnose(v1::DiagnoseTaskRequest { task_id: id() }).await.expect("told").into_inner();
    assert_eq!((why.reason.as_str(), why.due_at), ("waits_for_time", Some(at)));
    assert!(!why.message.is_empty() && !why.advice.is_empty());

    let now = grpc
        .tasks
        .run_now(v1::RunTaskNowRequest { task_id: id(), ..Default::default() })
        .await
        .expect("now")
        .into_inner();
    assert_eq!(now.state(), TaskState::Queued);
    let force = v1::ForceTaskStateRequest {
        task_id: id(),
        state: TaskState::Failed.into(),
        actor: Some("ops".into()),
        reason: Some("test".into()),
    };
    let forced = grpc.tasks.force_state(force).await.expect("forced").into_inner();
    assert_eq!(forced.state(), TaskState::Failed);
    let by = grpc.get(&id()).await.forced_by.expect("it says who");
    assert_eq!((by.actor.as_str(), by.reason.as_str()), ("ops", "test"));
    let retry = v1::RetryTaskRequest { task_id: id(), ..v1::RetryTaskRequest::default() };
    assert_eq!(grpc.tasks.retry(retry).await.expect("again").into_inner().state(), TaskState::Queued);
    let cancel = v1::CancelTaskRequest { task_id: id(), force: false, ..Default::default() };
    let cancelled = grpc.tasks.cancel(cancel).await.expect("cancelled").into_inner();
    assert_eq!(cancelled.state(), TaskState::Cancelled);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_task_is_stopped_with_force_only() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let id = grpc.submit(noop()).await.expect("accepted").task_id;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    let start = worker.start().await;
    let cancel = |force| v1::CancelTaskRequest { task_id: id.clone(), force, ..Default::default() };
    let refused = grpc.tasks.cancel(cancel(false)).await.expect_err("it runs");
    assert_eq!(super::reason(&refused), "TASK_ALREADY_RUNNING");
    let changed = grpc.tasks.cancel(cancel(true)).await.expect("asked").into_inner();
    assert_eq!((changed.state(), changed.stopping), (TaskState::Unspecified, true));
    assert_eq!(worker.stop().await.task, start.task);
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_makes_one_task_on_both_edges() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let spec = |payload: &str| v1::TaskSpec { payload_json: Some(payload.into()), ..noop() };
    let keyed = |payload| v1::TaskSpec { idempotency_key: Some("k".into()), ..spec(payload) };
    let first = grpc.submit(keyed("1")).await.expect("accepted");
    let again = grpc.submit(keyed("1")).await.expect("accepted");
    assert_eq!((&again.task_id, again.created_at), (&first.task_id, first.created_at));
    assert_eq!((first.duplicate, again.duplicate), (false, true));
    let in_metadata = |payload| {
        let request = v1::SubmitRequest { task: Some(spec(payload)) };
        with_metadata(request, &[("idempotency-key", "k")])
    };
    let by_metadata = grpc.tasks.submit(in_metadata("1")).await.expect("the same key").into_inner();
    assert_eq!(by_metadata.task_id, first.task_id);
    let body = r#"{"task_type":"noop","payload":1,"idempotency_key":"k"}"#;
    assert_eq!(rig.submit(body).await.task_id(), first.task_id, "REST knows the key too");

    for refused in [
        grpc.submit(keyed("2")).await,
        grpc.tasks.submit(in_metadata("2")).await.map(tonic::Response::into_inner),
    ] {
        let refused = refused.expect_err("another request");
        assert_eq!(
            (refused.code(), super::reason(&refused).as_str()),
            (tonic::Code::AlreadyExists, "IDEMPOTENCY_KEY_REUSED")
        );
        let details = tonic_types::StatusExt::get_error_details(&refused);
        assert_eq!(details.error_info().map(|info| &info.metadata["task_id"]), Some(&first.task_id));
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_has_a_result_for_each_task() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    // Enough to be checked on a thread of its own, with one that is wrong in between.
    let mut tasks = vec![noop(); 300];
    tasks[1].task_type = "EMAIL".into();
    let batch =
        || with_metadata(v1::SubmitBatchRequest { tasks: tasks.clone() }, &[("idempotency-key", "b")]);
    let first = grpc.tasks.submit_batch(batch()).await.expect("answered").into_inner();
    assert_eq!((first.accepted, first.refused, first.results.len()), (299, 1, 300));
    let Some(Outcome::Refusal(refusal)) = &first.results[1].result else { panic!("{:?}", first.results[1]) };
    assert_eq!(
        (refusal.error_code.as_str(), refusal.docs.as_str()),
        ("UNKNOWN_EXECUTOR", "/docs/errors/UNKNOWN_EXECUTOR")
    );
    let again = grpc.tasks.submit_batch(batch()).await.expect("answered").into_inner();
    for (place, (first, again)) in first.results.iter().zip(&again.results).enumerate() {
        if let (Some(Outcome::Task(first)), Some(Outcome::Task(again))) = (&first.result, &again.result) {
            assert_eq!((&first.task_id, true), (&again.task_id, again.duplicate), "{place}");
        } else {
            assert_eq!(place, 1);
        }
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_page_filter_and_show_the_dead() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..5 {
        let spec = v1::TaskSpec { tenant: Some("a".into()), ..noop() };
        ids.insert(grpc.submit(spec).await.expect("accepted").task_id);
    }
    grpc.submit(noop()).await.expect("accepted");
    let mut seen = std::collections::BTreeSet::new();
    let mut cursor = None;
    loop {
        let request = v1::ListTasksRequest {
            tenant: Some("a".into()),
            states: vec![TaskState::Queued.into()],
            limit: Some(2),
            cursor: cursor.take(),
            ..v1::ListTasksRequest::default()
        };
        let page = grpc.tasks.list(request).await.expect("a page").into_inner();
        assert!(page.tasks.len() <= 2);
        assert!(page.tasks.iter().all(|task| task.payload_json.is_none() && task.tenant == "a"));
        seen.extend(page.tasks.into_iter().map(|task| task.task_id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, ids);

    let id = ids.first().expect("one").clone();
    let state = TaskState::Failed.into();
    let force =
        v1::ForceTaskStateRequest { task_id: id.clone(), state, ..v1::ForceTaskStateRequest::default() };
    grpc.tasks.force_state(force).await.expect("forced");
    // History follows by milliseconds.
    for _ in 0..200 {
        let request = v1::ListTasksRequest::default();
        let dead = grpc.dead.list(request).await.expect("a page").into_inner().tasks;
        if dead.iter().any(|task| task.task_id == id) {
            assert_eq!(dead.len(), 1);
            return drop(rig.stop().await);
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("{id} never was among the dead letters");
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_are_shown_cordoned_and_drained_and_figures_add_up() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let mut worker = FakeWorker::join(rig.address, 7, 1, 3).await;
    let worker_id = format!("worker_{}", "07".repeat(16));
    let listed =
        grpc.workers.list(v1::ListWorkersRequest::default()).await.expect("listed").into_inner().workers;
    assert_eq!(listed.len(), 1);
    let get = || v1::GetWorkerRequest { worker_id: worker_id.clone() };
    let one = grpc.workers.get(get()).await.expect("there").into_inner();
    assert_eq!((one.name.as_str(), one.slots, one.state.as_str()), ("fake-7", 3, "healthy"));

    let (actor, reason) = (Some("anna".to_owned()), Some("disk".to_owned()));
    let cordon = v1::CordonWorkerRequest { worker_id: worker_id.clone(), actor, reason };
    assert!(grpc.workers.cordon(cordon).await.expect("done").into_inner().cordoned);
    let one = grpc.workers.get(get()).await.expect("there").into_inner();
    assert_eq!(one.state, "cordoned");
    let cordon = one.cordon.expect("who and why");
    assert_eq!((cordon.actor.as_str(), cordon.reason.as_str(), cordon.draining), ("anna", "disk", false));
    let rest = rig.get(&format!("/v1/workers/{worker_id}")).await.json();
    assert_eq!(
        (&rest["cordon"]["actor"], &rest["cordon"]["reason"]),
        (&"anna".into(), &"disk".into()),
        "{rest}"
    );
    assert!(cordon.since.is_some() && rest["cordon"]["since"].is_string(), "{rest}");
    let id = grpc.submit(noop()).await.expect("accepted").task_id;
    let why = v1::DiagnoseTaskRequest { task_id: id };
    assert_eq!(grpc.tasks.diagnose(why).await.expect("told").into_inner().reason, "no_room");
    let uncordon = v1::UncordonWorkerRequest { worker_id: worker_id.clone(), ..Default::default() };
    assert!(!grpc.workers.uncordon(uncordon).await.expect("done").into_inner().cordoned);
    worker.start().await;
    let drain = v1::DrainWorkerRequest { worker_id: worker_id.clone(), ..Default::default() };
    let drained = grpc.workers.drain(drain).await.expect("done").into_inner();
    assert_eq!((drained.cordoned, drained.state.as_str(), drained.running), (true, "draining", 1));
    let told = worker.receive().await.expect("the session lives");
    assert_eq!(told.draining, Some(true), "{told:?}");
    grpc.submit(noop()).await.expect("accepted");

    let stats = grpc.stats.get(v1::GetStatsRequest {}).await.expect("figures").into_inner();
    let rest = rig.get("/v1/stats").await.json();
    assert_eq!((stats.queued, stats.running, stats.workers, stats.sessions), (1, 1, 1, 1));
    assert_eq!((rest["queued"].as_u64(), rest["running"].as_u64()), (Some(1), Some(1)));
    assert_eq!(stats.tasks_in_memory["queued"], 1);
    let depths: Vec<_> =
        stats.depths.iter().map(|d| (d.pool.as_str(), d.band.as_str(), d.queued, d.running)).collect();
    assert_eq!(depths, [("default", "P1", 1, 1)]);
    drop(worker);
    rig.stop().await;
}
