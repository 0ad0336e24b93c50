//! Refusals carry their details, and bounds have names.

use mainspring_api::ApiConfig;
use mainspring_core::engine::EngineConfig;
use mainspring_core::values::Limits;
use mainspring_proto::v1;
use mainspring_runtime::ShardConfig;
use tonic::Code;
use tonic_types::StatusExt;

use super::{Clients, noop, reason, with_metadata};
use crate::rig::Rig;

const NONE: &str = "task_00000000000000000000000000000001";

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_says_which_task_which_request_and_where_to_read() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let request =
        with_metadata(v1::GetTaskRequest { task_id: NONE.into(), wait: None }, &[("x-request-id", "mine")]);
    let refused = grpc.tasks.get(request).await.expect_err("not there");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "TASK_NOT_FOUND"));
    let details = refused.get_error_details();
    assert_eq!(details.error_info().map(|info| info.metadata["task_id"].as_str()), Some(NONE));
    assert_eq!(details.request_info().map(|info| info.request_id.as_str()), Some("mine"));
    assert_eq!(refused.metadata().get("x-request-id").and_then(|id| id.to_str().ok()), Some("mine"));
    assert!(!refused.message().is_empty());

    let answered = grpc.stats.get(v1::GetStatsRequest {}).await.expect("figures");
    let given = answered.metadata().get("x-request-id").and_then(|id| id.to_str().ok());
    assert!(given.is_some_and(|id| id.starts_with("req_")), "{given:?}");

    let scrape = rig.get("/metrics").await.text;
    let counted = r#"mainspring_requests_refused_total{code="TASK_NOT_FOUND"} 1"#;
    assert!(scrape.contains(counted), "{scrape}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_server_says_when_to_come_back() {
    let limits = Limits { tasks_max: 1, ..Limits::default() };
    let engine = EngineConfig { limits, ..EngineConfig::default() };
    let rig = Rig::start_with(ApiConfig::default(), ShardConfig { engine, ..ShardConfig::default() }).await;
    let mut grpc = Clients::of(&rig).await;
    grpc.submit(noop()).await.expect("the first fits");
    let refused = grpc.submit(noop()).await.expect_err("full");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "TOO_MANY_TASKS"));
    let after = refused.get_error_details().retry_info().and_then(|info| info.retry_delay);
    assert_eq!(after, Some(std::time::Duration::from_secs(2)));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_have_the_bounds_of_bodies() {
    let config = ApiConfig {
        body_bytes_max: 2_000,
        batch_bytes_max: 4_000,
        batch_tasks_max: 3,
        ..ApiConfig::default()
    };
    let rig = Rig::start_with(config, ShardConfig::default()).await;
    let mut grpc = Clients::of(&rig).await;
    let sized = |message_bytes: usize| {
        // Tag and length around the text and around the task take 6 bytes, the executor another 6.
        let text = "x".repeat(message_bytes - 14);
        v1::TaskSpec { payload_json: Some(format!("\"{text}\"")), ..noop() }
    };
    let length = prost::Message::encoded_len(&v1::SubmitRequest { task: Some(sized(2_000)) });
    assert_eq!(length, 2_000, "the row below stands at the bound");
    grpc.submit(sized(2_000)).await.expect("at the bound");
    let refused = grpc.submit(sized(2_001)).await.expect_err("one beyond");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "BODY_TOO_LARGE"));
    assert!(refused.message().contains("2000"), "{}", refused.message());

    let batch = |tasks| v1::SubmitBatchRequest { tasks };
    grpc.tasks.submit_batch(batch(vec![sized(1_900); 2])).await.expect("a batch may be longer");
    let refused = grpc.tasks.submit_batch(batch(vec![sized(1_900); 3])).await.expect_err("too large");
    assert_eq!(reason(&refused), "BODY_TOO_LARGE");
    let refused = grpc.tasks.submit_batch(batch(vec![noop(); 4])).await.expect_err("too long");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "BATCH_TOO_LONG"));
    let refused = grpc.tasks.submit_batch(batch(vec![])).await.expect_err("none");
    assert_eq!(reason(&refused), "INVALID_FIELD");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_is_told_so_and_an_unknown_method_too() {
    let rig = Rig::start().await;
    let grpc = Clients::of(&rig).await;
    let mut raw = tonic::client::Grpc::new(grpc.channel.clone());
    let call = async |raw: &mut tonic::client::Grpc<_>, path: &'static str| {
        raw.ready().await.expect("ready");
        // Field 1 of a submission is a message; a text that is no message stands there.
        let message = v1::GetTaskRequest { task_id: "\u{1}\u{1}\u{1}".into(), wait: None };
        let codec = tonic_prost::ProstCodec::<v1::GetTaskRequest, v1::Task>::default();
        let path = http::uri::PathAndQuery::from_static(path);
        raw.unary(tonic::Request::new(message), path, codec).await.expect_err("refused")
    };
    let refused = call(&mut raw, "/mainspring.v1.TaskService/Submit").await;
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
    let unknown = call(&mut raw, "/mainspring.v1.TaskService/Explode").await;
    assert_eq!(unknown.code(), Code::Unimplemented);
    let unknown = call(&mut raw, "/mainspring.v1.NoService/Get").await;
    assert_eq!((unknown.code(), reason(&unknown).as_str()), (Code::Unimplemented, "ROUTE_NOT_FOUND"));
    rig.stop().await;
}
