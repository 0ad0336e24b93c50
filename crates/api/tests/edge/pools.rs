//! Pools: room and demand.

use mainspring_core::dispatch::{POOL_DEFAULT, PoolLimit, TENANT_DEFAULT, TenantShare};
use mainspring_core::engine::Configure;
use mainspring_core::values::Name;
use mainspring_proto::v1;
use serde_json::json;
use tonic::Code;

use crate::grpc::{Clients, noop, reason};
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
        ("queued_by_band", json!({"P0": 0, "P1": 1, "P2": 0, "backfill": 0})),
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

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_kept_shown_and_named() {
    let rig = Rig::start().await;
    let pool = |pool, limit| Configure::Pool { pool: Name::fixed(pool), limit };
    rig.configure(vec![
        pool("mail", PoolLimit { queued_max: 2, ..POOL_DEFAULT }),
        pool("default", PoolLimit { running_max: 3, ..POOL_DEFAULT }),
        Configure::Tenant {
            tenant: Name::fixed("small"),
            share: TenantShare { running_max: 1, ..TENANT_DEFAULT },
        },
    ]);
    let body = r#"{"task_type":"noop","pool":"mail"}"#;
    for _ in 0..2 {
        assert_eq!(rig.submit(body).await.status, 202);
    }
    let full = rig.submit(body).await;
    assert_eq!((full.status, full.code().as_str()), (429, "QUEUE_FULL"), "{}", full.text);
    let advice = full.json()["advice"].as_str().unwrap_or_default().to_owned();
    assert!(advice.contains("`pools.mail.queued_max`"), "{advice}");
    let mut grpc = Clients::of(&rig).await;
    let refused = grpc.submit(v1::TaskSpec { pool: Some("mail".into()), ..noop() }).await.expect_err("full");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "QUEUE_FULL"));

    let mail = rig.get("/v1/pools/mail").await.json();
    assert_eq!((&mail["queued"], &mail["queued_max"]), (&json!(2), &json!(2)), "{mail}");
    assert!(mail.get("running_max").is_none(), "no limit was set: {mail}");
    let listed = grpc.pools.list(v1::ListPoolsRequest {}).await.expect("listed").into_inner().pools;
    let limits: Vec<_> = listed.iter().map(|pool| (&*pool.pool, pool.running_max, pool.queued_max)).collect();
    assert_eq!(limits, [("default", Some(3), None), ("mail", None, Some(2))], "also without workers");

    // Room for nine: the pool takes three, one of them of the small tenant.
    let mut worker = FakeWorker::join(rig.address, 1, 1, 9).await;
    let small = r#"{"task_type":"noop","tenant":"small"}"#;
    rig.submit(small).await;
    worker.start().await;
    let second = rig.submit(small).await.task_id();
    let why = rig.get(&format!("/v1/tasks/{second}/diagnosis")).await.json();
    assert_eq!(why["reason"], "tenant_limit", "{why}");
    assert!(why["advice"].as_str().is_some_and(|text| text.contains("`tenants.small.running_max`")), "{why}");
    for _ in 0..3 {
        rig.submit(r#"{"task_type":"noop"}"#).await;
    }
    for _ in 0..2 {
        worker.start().await;
    }
    let why = rig.get(&format!("/v1/tasks/{second}/diagnosis")).await.json();
    assert_eq!(why["reason"], "pool_limit", "{why}");
    assert!(why["advice"].as_str().is_some_and(|text| text.contains("`pools.default.running_max`")), "{why}");
    let default = rig.get("/v1/pools/default").await.json();
    assert_eq!((&default["used"], &default["running_max"]), (&json!(3), &json!(3)), "{default}");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_listed_with_their_holders_and_who_waits() {
    let rig = Rig::start().await;
    rig.configure(vec![Configure::Limit { limit: Name::fixed("idle"), max: Some(7) }]);
    let mut worker = FakeWorker::join(rig.address, 1, 1, 9).await;
    let body = r#"{"task_type":"noop","limits":[{"name":"warehouse","max":2}]}"#;
    let first = rig.submit(body).await.task_id();
    let start = worker.start().await;
    for _ in 0..4 {
        rig.submit(body).await;
    }
    worker.start().await;
    for key in ["a", "a", "b"] {
        let keyed = json!({"task_type": "noop", "limits": [{"name": "customer", "key": key}]}).to_string();
        rig.submit(&keyed).await;
    }
    for _ in 0..2 {
        worker.start().await;
    }
    let page = rig.get("/v1/limits").await.json();
    let rows: Vec<_> = page["limits"].as_array().expect("a list").iter().collect();
    let names: Vec<_> = rows.iter().map(|row| row["limit"].as_str().unwrap_or_default()).collect();
    assert_eq!(names, ["warehouse", "customer", "idle"], "the most waiting first: {page}");
    let warehouse = rows[0];
    assert_eq!(
        (&warehouse["used"], &warehouse["max"], &warehouse["queued"]),
        (&json!(2), &json!(2), &json!(3))
    );
    assert_eq!((&warehouse["full"], &warehouse["configured"]), (&json!(1), &json!(false)));
    assert!(warehouse["holders"].as_array().is_some_and(|ids| ids.contains(&json!(first))), "{page}");
    assert_eq!((&rows[1]["keys"], &rows[1]["queued"]), (&json!(2), &json!(1)), "{page}");
    let busiest = json!({"key": "a", "max": 1, "used": 1, "queued": 1});
    assert_eq!(rows[1]["busiest"][0], busiest);
    assert_eq!(
        (&rows[2]["max"], &rows[2]["configured"], rows[2].get("tenant")),
        (&json!(7), &json!(true), None)
    );

    worker.succeed(&start, "").await;
    worker.start().await;
    let mut grpc = Clients::of(&rig).await;
    let listed = grpc.pools.list_limits(v1::ListLimitsRequest {}).await.expect("listed").into_inner();
    let after = &listed.limits[0];
    assert_eq!((after.limit.as_str(), after.used, after.queued), ("warehouse", 2, 2), "one ended, one began");
    assert!(!after.holders.contains(&first) && !listed.more);
    drop(worker);
    rig.stop().await;
}
