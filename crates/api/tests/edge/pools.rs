//! Pools: room and demand.

use serde_json::json;

use crate::rig::Rig;
use crate::worker::FakeWorker;

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_shows_its_room_and_what_waits_for_it() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 2).await;
    for _ in 0..3 {
        rig.submit(r#"{"task_type":"noop"}"#).await;
    }
    rig.submit(r#"{"task_type":"noop","pool":"gpu","priority":"P0"}"#).await;
    for _ in 0..2 {
        worker.start().await;
    }
    let pools = rig.get("/v1/pools").await.json();
    let (default, gpu) = (&pools["pools"][0], &pools["pools"][1]);
    for (field, wanted) in [
        ("pool", json!("default")),
        ("workers", json!(1)),
        ("slots", json!(2)),
        ("used", json!(2)),
        ("utilisation_percent", json!(100)),
        ("queued", json!(1)),
        ("queued_by_band", json!({"P0": 0, "P1": 1, "P2": 0})),
    ] {
        assert_eq!(default[field], wanted, "{field}: {pools}");
    }
    assert_eq!((&gpu["workers"], &gpu["queued_by_band"]["P0"]), (&json!(0), &json!(1)), "{pools}");
    assert_eq!(rig.get("/v1/pools/gpu").await.json(), *gpu);
    let unknown = rig.get("/v1/pools/none").await;
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "POOL_NOT_FOUND"));

    let id = "worker_01010101010101010101010101010101";
    assert_eq!(rig.call("POST", &format!("/v1/workers/{id}:cordon"), "").await.status, 200);
    let pool = rig.get("/v1/pools/default").await.json();
    assert_eq!(
        (&pool["workers_away"], &pool["slots"]),
        (&json!(1), &json!(0)),
        "a cordoned worker has no room"
    );
    drop(worker);
    rig.stop().await;
}
