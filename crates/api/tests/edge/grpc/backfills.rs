//! Backfills: every verb, and that REST sees the same.

use mainspring_proto::v1;
use mainspring_proto::v1::create_backfill_response::Outcome;
use prost_types::Timestamp;
use tonic::Code;

use super::{Clients, reason, refused_alike, with_metadata};
use crate::rig::Rig;

const JOB: &str = r#"
job: report
parameters: { region: eu }
schedule: { cron: "0 9 * * *" }
tasks: { x: { noop: {} } }
"#;

/// The first ten days of 2024.
fn create() -> v1::CreateBackfillRequest {
    let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
    v1::CreateBackfillRequest {
        job: "report".into(),
        from: at(1_704_067_200),
        to: at(1_704_931_200),
        ..v1::CreateBackfillRequest::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_is_planned_begun_paused_and_cancelled() {
    let rig = Rig::start().await;
    assert_eq!(rig.call("POST", "/v1/jobs", JOB).await.status, 200);
    let mut grpc = Clients::of(&rig).await;
    let dry = v1::CreateBackfillRequest { dry_run: true, ..create() };
    let Some(Outcome::Plan(plan)) = grpc.backfills.create(dry).await.expect("planned").into_inner().outcome
    else {
        panic!("only planned");
    };
    assert_eq!((plan.windows, plan.in_range, plan.only.as_str(), plan.version), (10, 10, "missing", 1));
    assert_eq!(plan.oldest, Some(Timestamp { seconds: 1_704_099_600, nanos: 0 }));

    let mut ids = Vec::new();
    for _ in 0..2 {
        let wanted = v1::CreateBackfillRequest { max_active: Some(2), ..create() };
        let request = with_metadata(wanted, &[("idempotency-key", "k1")]);
        let made = grpc.backfills.create(request).await.expect("begun").into_inner().outcome;
        let Some(Outcome::Backfill(made)) = made else { panic!("{made:?}") };
        assert_eq!((made.job.as_str(), made.schedule.as_str(), made.max_active), ("report", "default", 2));
        ids.push(made.backfill_id);
    }
    assert_eq!(ids[0], ids[1], "one for its key");
    let id = ids.remove(0);
    let active = grpc.backfills.create(create()).await.expect_err("one at a time");
    assert_eq!((active.code(), reason(&active).as_str()), (Code::FailedPrecondition, "BACKFILL_ACTIVE"));

    let pause = v1::PauseBackfillRequest { backfill_id: id.clone(), ..v1::PauseBackfillRequest::default() };
    assert_eq!(grpc.backfills.pause(pause).await.expect("paused").into_inner().state, "paused");
    assert_eq!(rig.get(&format!("/v1/backfills/{id}")).await.json()["state"], "paused");
    let resume =
        v1::ResumeBackfillRequest { backfill_id: id.clone(), ..v1::ResumeBackfillRequest::default() };
    assert_eq!(grpc.backfills.resume(resume).await.expect("resumed").into_inner().state, "running");
    let list = v1::ListBackfillsRequest::default();
    let list = grpc.backfills.list(list).await.expect("a page").into_inner();
    assert_eq!((list.backfills[0].backfill_id.as_str(), list.backfills[0].windows), (id.as_str(), 10));
    let cancel =
        v1::CancelBackfillRequest { backfill_id: id.clone(), ..v1::CancelBackfillRequest::default() };
    grpc.backfills.cancel(cancel).await.expect("asked to stop");
    let get = || v1::GetBackfillRequest { backfill_id: id.clone() };
    while grpc.backfills.get(get()).await.expect("there").into_inner().state != "cancelled" {
        tokio::task::yield_now().await;
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_mistake_gets_the_same_code() {
    let rig = Rig::start().await;
    assert_eq!(rig.call("POST", "/v1/jobs", JOB).await.status, 200);
    let mut grpc = Clients::of(&rig).await;
    let body = |more: &str| {
        format!(r#"{{"job":"report","from":"2024-01-01T00:00:00Z","to":"2024-01-11T00:00:00Z"{more}}}"#)
    };
    let rest = async |more: &str| rig.call("POST", "/v1/backfills", &body(more)).await;
    let none = format!("backfill_{}", "0".repeat(32));
    let cancel = v1::CancelBackfillRequest { backfill_id: none.clone(), ..Default::default() };
    let rows = [
        (
            "no job",
            rig.call("POST", "/v1/backfills", r#"{"job":"x","from":0,"to":1}"#).await,
            grpc.backfills.create(v1::CreateBackfillRequest { job: "x".into(), ..create() }).await.err(),
        ),
        (
            "no beginning",
            rig.call("POST", "/v1/backfills", r#"{"job":"report","to":1}"#).await,
            grpc.backfills.create(v1::CreateBackfillRequest { from: None, ..create() }).await.err(),
        ),
        (
            "only what",
            rest(r#","only":"x""#).await,
            grpc.backfills
                .create(v1::CreateBackfillRequest { only: Some("x".into()), ..create() })
                .await
                .err(),
        ),
        (
            "no such version",
            rest(r#","version":9"#).await,
            grpc.backfills.create(v1::CreateBackfillRequest { version: Some(9), ..create() }).await.err(),
        ),
        (
            "read none",
            rig.get(&format!("/v1/backfills/{none}")).await,
            grpc.backfills.get(v1::GetBackfillRequest { backfill_id: none.clone() }).await.err(),
        ),
        (
            "cancel none",
            rig.call("POST", &format!("/v1/backfills/{none}:cancel"), "").await,
            grpc.backfills.cancel(cancel).await.err(),
        ),
    ];
    refused_alike(rows);
    rig.stop().await;
}
