//! Verbs under an idempotency key: done once, answered alike.

use mainspring_proto::v1;
use mainspring_proto::v1::TaskState;
use prost_types::Duration;
use tonic::Code;

use super::{Clients, noop, reason, with_metadata};
use crate::rig::Rig;

const KEY: [(&str, &str); 1] = [("idempotency-key", "once")];

async fn waiting(grpc: &mut Clients) -> String {
    let delay = Some(Duration { seconds: 3600, nanos: 0 });
    grpc.submit(v1::TaskSpec { delay, ..noop() }).await.expect("accepted").task_id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verb_under_a_key_is_done_once() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let (task_id, other) = (waiting(&mut grpc).await, waiting(&mut grpc).await);

    let cancel = v1::CancelTaskRequest { task_id: task_id.clone(), force: false, ..Default::default() };
    for _ in 0..2 {
        let answer = grpc.tasks.cancel(with_metadata(cancel.clone(), &KEY)).await.expect("cancelled");
        assert_eq!(answer.into_inner().state(), TaskState::Cancelled);
    }
    let late = grpc.tasks.cancel(cancel.clone()).await.expect_err("without the key");
    assert_eq!(reason(&late), "TASK_ALREADY_ENDED");

    let another = v1::CancelTaskRequest { task_id: other.clone(), force: false, ..Default::default() };
    let reused = grpc.tasks.cancel(with_metadata(another, &KEY)).await.expect_err("another task");
    assert_eq!((reused.code(), reason(&reused).as_str()), (Code::AlreadyExists, "IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(rig.status(&other).await, "pending", "a refused call changes nothing");
    let rest = rig.call_with("POST", &format!("/v1/tasks/{other}:cancel"), "", &KEY).await;
    assert_eq!((rest.status, rest.code().as_str()), (422, "IDEMPOTENCY_KEY_REUSED"), "REST knows the key");

    // A key belongs to one operation.
    let amend = |seconds| v1::AmendTaskRequest {
        task_id: other.clone(),
        delay: Some(Duration { seconds, nanos: 0 }),
        ..v1::AmendTaskRequest::default()
    };
    for _ in 0..2 {
        grpc.tasks.amend(with_metadata(amend(7200), &KEY)).await.expect("amended");
    }
    let reused = grpc.tasks.amend(with_metadata(amend(60), &KEY)).await.expect_err("another time");
    assert_eq!(reason(&reused), "IDEMPOTENCY_KEY_REUSED");
    rig.stop().await;
}
