//! The server itself: one answer, the same over gRPC, and it moves with the journal.

use mainspring_proto::v1;

use crate::grpc::Clients;
use crate::rig::Rig;
use crate::worker::FakeWorker;

#[tokio::test(flavor = "multi_thread")]
async fn the_server_tells_of_itself() {
    let rig = Rig::start().await;
    let before = rig.get("/v1/system").await.json();
    assert_eq!(before["version"], env!("CARGO_PKG_VERSION"));
    assert!(before["started_at"].as_str() <= before["at"].as_str(), "{before}");
    assert!(before["reasons"].as_array().is_some_and(Vec::is_empty), "{before}");
    assert_eq!(before["settings"]["log_days"], 7);

    rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await;
    let worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    let after = rig.get("/v1/system").await.json();
    assert!(after["records"].as_u64() > before["records"].as_u64(), "{after}");
    assert!(after["journal_bytes"].as_u64() > before["journal_bytes"].as_u64(), "{after}");
    assert!(after["tables_through"].as_u64() <= after["records"].as_u64(), "{after}");
    assert_eq!((&after["epoch"], after["sessions"].as_u64()), (&before["epoch"], Some(1)), "{after}");

    let mut grpc = Clients::of(&rig).await;
    let told = grpc.stats.system(v1::GetSystemRequest {}).await.expect("told").into_inner();
    assert_eq!(Some(told.epoch), after["epoch"].as_u64());
    assert!(Some(told.records) >= after["records"].as_u64());
    let lease = told.settings.and_then(|settings| settings.lease).map(|lease| lease.seconds);
    assert_eq!(lease.map(|seconds| seconds as u64 * 1000), after["settings"]["lease_ms"].as_u64());
    drop(worker);
    rig.stop().await;
}
