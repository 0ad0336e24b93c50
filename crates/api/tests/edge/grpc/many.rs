//! Verbs on many tasks, pools, and lists by the beginning of an id.

use std::time::Duration;

use mainspring_proto::v1;
use mainspring_proto::v1::TaskState;
use mainspring_proto::v1::dead_letter_result::Result as Outcome;

use super::{Clients, noop, reason, with_metadata};
use crate::rig::Rig;
use crate::worker::FakeWorker;

async fn failed(rig: &Rig, grpc: &mut Clients) -> String {
    let task_id = grpc.submit(noop()).await.expect("accepted").task_id;
    let body = r#"{"state":"failed","actor":"ann","reason":"test"}"#;
    assert_eq!(rig.call("POST", &format!("/v1/tasks/{task_id}:force-state"), body).await.status, 200);
    task_id
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_letters_are_queued_again_and_discarded() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let (again, away) = (failed(&rig, &mut grpc).await, failed(&rig, &mut grpc).await);
    let alive = grpc.submit(noop()).await.expect("accepted").task_id;

    let ask = v1::DeadLettersRequest {
        task_ids: vec![again.clone(), alive, "nonsense".into()],
        ..v1::DeadLettersRequest::default()
    };
    let key = [("idempotency-key", "requeue")];
    for _ in 0..2 {
        let requeued = grpc.dead.requeue(with_metadata(ask.clone(), &key)).await.expect("done").into_inner();
        assert_eq!((requeued.done, requeued.refused), (1, 2));
        let results: Vec<_> = requeued.results.into_iter().filter_map(|result| result.result).collect();
        let [Outcome::Task(task), Outcome::Refusal(alive), Outcome::Refusal(unknown)] = results.as_slice()
        else {
            panic!("{results:?}");
        };
        assert_eq!((task.task_id.as_str(), task.state()), (again.as_str(), TaskState::Queued));
        assert_eq!(
            (alive.error_code.as_str(), unknown.error_code.as_str()),
            ("NOT_A_DEAD_LETTER", "TASK_NOT_FOUND")
        );
    }

    let ask = v1::DeadLettersRequest {
        task_ids: vec![away.clone()],
        actor: Some("ben".into()),
        reason: Some("known".into()),
        ..v1::DeadLettersRequest::default()
    };
    let discarded = grpc.dead.discard(ask).await.expect("done").into_inner();
    assert_eq!((discarded.done, discarded.refused), (1, 0));
    let task = grpc.get(&away).await;
    assert_eq!((task.state(), task.forced_by.map(|by| by.actor)), (TaskState::Skipped, Some("ben".into())));

    let none = grpc.dead.discard(v1::DeadLettersRequest::default()).await.expect_err("nothing is named");
    assert_eq!(reason(&none), "INVALID_FIELD");
    let many = v1::DeadLettersRequest { task_ids: vec![away; 1001], ..v1::DeadLettersRequest::default() };
    assert_eq!(reason(&grpc.dead.discard(many).await.expect_err("too many")), "TOO_MANY_ENTRIES");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pools_show_room_and_demand() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let worker = FakeWorker::join(rig.address, 1, 1, 2).await;
    grpc.submit(v1::TaskSpec { pool: Some("gpu".into()), ..noop() }).await.expect("accepted");
    let pools = grpc.pools.list(v1::ListPoolsRequest {}).await.expect("listed").into_inner().pools;
    let [default, gpu] = pools.as_slice() else { panic!("{pools:?}") };
    assert_eq!((default.pool.as_str(), default.workers, default.slots), ("default", 1, 2));
    assert_eq!((gpu.workers, gpu.queued, gpu.queued_by_band["P1"], gpu.tenants), (0, 1, 1, 1));
    let one = grpc.pools.get(v1::GetPoolRequest { pool: "gpu".into() }).await.expect("there").into_inner();
    assert_eq!(one, *gpu);
    let none = grpc.pools.get(v1::GetPoolRequest { pool: "none".into() }).await.expect_err("unknown");
    assert_eq!(reason(&none), "POOL_NOT_FOUND");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_are_cancelled_by_selector() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let of = |tenant: &str| v1::TaskSpec { tenant: Some(tenant.into()), ..noop() };
    let ours = grpc.submit(of("a")).await.expect("accepted").task_id;
    let other = grpc.submit(of("b")).await.expect("accepted").task_id;
    let ask = v1::CancelManyRequest { tenant: Some("a".into()), ..v1::CancelManyRequest::default() };
    let key = [("idempotency-key", "once")];
    let begun = grpc.tasks.cancel_many(with_metadata(ask.clone(), &key)).await.expect("begun").into_inner();
    let operation_id = begun.operation_id;
    let mut process = begun;
    for _ in 0..500 {
        if !process.running {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        let asked = grpc.operations.get(v1::GetOperationRequest { operation_id }).await;
        process = asked.expect("known").into_inner();
    }
    assert_eq!((process.running, process.handled), (false, Some(1)));
    assert_eq!(
        (rig.status(&ours).await.as_str(), rig.status(&other).await.as_str()),
        ("cancelled", "queued")
    );
    let again = grpc.tasks.cancel_many(with_metadata(ask, &key)).await.expect("answered").into_inner();
    assert_eq!(again.operation_id, operation_id, "the same key begins nothing new");

    let ask = v1::CancelManyRequest {
        task_type: Some("noop".into()),
        states: vec![TaskState::Queued.into(), TaskState::Pending.into()],
        ..v1::CancelManyRequest::default()
    };
    let mut process = grpc.tasks.cancel_many(ask).await.expect("begun").into_inner();
    while process.running {
        let ask = v1::GetOperationRequest { operation_id: process.operation_id };
        process = grpc.operations.get(ask).await.expect("known").into_inner();
    }
    assert_eq!((process.handled, rig.status(&other).await.as_str()), (Some(1), "cancelled"));
    let ended =
        v1::CancelManyRequest { states: vec![TaskState::Failed.into()], ..v1::CancelManyRequest::default() };
    assert_eq!(reason(&grpc.tasks.cancel_many(ended).await.expect_err("ended")), "INVALID_FIELD");

    let nothing = grpc.tasks.cancel_many(v1::CancelManyRequest::default()).await.expect_err("no selector");
    assert_eq!(reason(&nothing), "INVALID_FIELD");
    let unknown = v1::GetOperationRequest { operation_id: 99 };
    let unknown = grpc.operations.get(unknown).await.expect_err("unknown");
    assert_eq!(reason(&unknown), "OPERATION_NOT_FOUND");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_know_the_beginning_of_an_id_and_when_tasks_were_made() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let accepted = grpc.submit(noop()).await.expect("accepted");
    let begins = v1::ListTasksRequest {
        id_prefix: Some(accepted.task_id[..25].to_owned()),
        ..v1::ListTasksRequest::default()
    };
    let found = grpc.tasks.list(begins.clone()).await.expect("listed").into_inner().tasks;
    let ids: Vec<_> = found.iter().map(|task| task.task_id.as_str()).collect();
    assert_eq!(ids, [accepted.task_id.as_str()]);
    let both = v1::ListTasksRequest { job: Some("x".into()), ..begins };
    assert_eq!(reason(&grpc.tasks.list(both).await.expect_err("not together")), "INVALID_QUERY");

    let mut later = accepted.created_at.expect("a time");
    for (seconds, count) in [(0, 1), (60, 0)] {
        later.seconds += seconds;
        let from = v1::ListTasksRequest { created_from: Some(later), ..v1::ListTasksRequest::default() };
        assert_eq!(grpc.tasks.list(from).await.expect("listed").into_inner().tasks.len(), count);
    }
    rig.stop().await;
}
