//! Logs as a stream of pieces.

use mainspring_api::ApiConfig;
use mainspring_core::engine::EngineConfig;
use mainspring_proto::v1;
use mainspring_runtime::ShardConfig;
use tonic::Streaming;

use super::{Clients, reason};
use crate::rig::Rig;
use crate::worker::FakeWorker;

async fn all(mut pieces: Streaming<v1::TaskLogsResponse>) -> Vec<v1::TaskLogsResponse> {
    let mut all = Vec::new();
    while let Some(piece) = pieces.message().await.expect("not broken off") {
        all.push(piece);
    }
    all
}

fn text(pieces: &[v1::TaskLogsResponse]) -> String {
    let bytes = pieces.iter().flat_map(|piece| piece.content.clone()).collect();
    String::from_utf8(bytes).expect("text")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_read_and_followed_over_attempts() {
    let shard = ShardConfig {
        engine: EngineConfig { watch: true, ..EngineConfig::default() },
        ..ShardConfig::default()
    };
    let rig = Rig::start_with(ApiConfig::default(), shard).await;
    let mut grpc = Clients::of(&rig).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let retry = v1::RetryPolicy {
        max_retries: Some(1),
        backoff: v1::Backoff::None.into(),
        ..v1::RetryPolicy::default()
    };
    // Of other work nobody waits for output.
    let spec = v1::TaskSpec {
        task_type: "process".into(),
        payload_json: Some(r#"{"argv":["x"]}"#.into()),
        retry_policy: Some(retry),
        ..v1::TaskSpec::default()
    };
    let task_id = grpc.submit(spec).await.expect("accepted").task_id;
    let ask = v1::TaskLogsRequest { task_id, ..v1::TaskLogsRequest::default() };
    let none = all(grpc.tasks.logs(ask.clone()).await.expect("begun").into_inner()).await;
    assert_eq!((none.len(), none[0].attempt, none[0].content.len()), (1, 0, 0));

    let follow = v1::TaskLogsRequest { follow: true, ..ask.clone() };
    let mut followed = grpc.tasks.logs(follow).await.expect("begun").into_inner();
    let start = worker.start().await;
    // Longer than one message.
    let long = format!("{}\n", "x".repeat(300 << 10));
    worker.log(&start, 0, &long, false).await;
    let first = followed.message().await.expect("not broken off").expect("a piece");
    assert_eq!((first.attempt, first.offset), (1, 0), "it comes while the task runs");
    worker.heartbeat().await;
    let pieces = all(grpc.tasks.logs(ask.clone()).await.expect("begun").into_inner()).await;
    assert!(text(&pieces) == long && pieces.len() == 2, "{} pieces", pieces.len());
    assert_eq!((pieces[1].offset, pieces[1].next_offset), (256 << 10, long.len() as u64));
    assert!(!pieces[1].complete);

    worker.log(&start, long.len() as u64, "", true).await;
    worker.fail(&start, "transient", "broke").await;
    let second = worker.start().await;
    worker.log(&second, 0, "again\n", true).await;
    worker.succeed(&second, "1").await;
    let rest = all(followed).await;
    assert_eq!(rest.last().map(|piece| (piece.attempt, piece.offset)), Some((2, 0)));
    assert!([text(&[first]), text(&rest)].concat() == long + "again\n", "without headings of attempts");

    let end = v1::TaskLogsRequest { attempt: Some(2), offset: 2, limit: Some(3), ..ask.clone() };
    let end = all(grpc.tasks.logs(end).await.expect("begun").into_inner()).await;
    assert_eq!((text(&end).as_str(), end.len()), ("ain", 1));
    for (limit, follow, attempt) in
        [(Some(0), false, None), (Some(9 << 20), false, None), (Some(0), true, None), (None, true, Some(0))]
    {
        let wrong = v1::TaskLogsRequest { limit, follow, attempt, ..ask.clone() };
        let refused = grpc.tasks.logs(wrong).await.expect_err("refused");
        assert_eq!(reason(&refused), "INVALID_QUERY", "{limit:?} {follow} {attempt:?}");
    }
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_read_from_its_end_and_searched() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let task = v1::TaskSpec {
        task_type: "process".into(),
        payload_json: Some(r#"{"argv":["x"]}"#.into()),
        ..v1::TaskSpec::default()
    };
    let task_id = grpc.submit(task).await.expect("accepted").task_id;
    let ask = v1::TaskLogsRequest { task_id, ..v1::TaskLogsRequest::default() };
    let start = worker.start().await;
    worker.log(&start, 0, "again\n", true).await;
    worker.heartbeat().await;
    let tail = v1::TaskLogsRequest { line: Some(-1), ..ask.clone() };
    let tail = all(grpc.tasks.logs(tail).await.expect("begun").into_inner()).await;
    assert_eq!(
        (text(&tail).as_str(), tail[0].line, tail[0].size, tail[0].lines),
        ("again\n", Some(1), Some(6), Some(1))
    );
    let tail = v1::TaskLogsRequest { tail: Some(3), attempt: Some(1), ..ask.clone() };
    let tail = all(grpc.tasks.logs(tail).await.expect("begun").into_inner()).await;
    assert_eq!((text(&tail).as_str(), tail[0].offset), ("in\n", 3));
    let search = v1::SearchTaskLogsRequest {
        task_id: ask.task_id.clone(),
        text: "GAI".into(),
        ignore_case: true,
        ..Default::default()
    };
    let found = grpc.tasks.search_logs(search.clone()).await.expect("searched").into_inner();
    let hit = &found.hits[0];
    assert_eq!((&*hit.before, &*hit.r#match, &*hit.after, hit.line, hit.offset), ("a", "gai", "n", 1, 1));
    assert_eq!((found.attempt, found.complete, found.looked_at), (1, true, 6));
    let wrong = grpc.tasks.search_logs(v1::SearchTaskLogsRequest { text: String::new(), ..search }).await;
    assert_eq!(reason(&wrong.expect_err("refused")), "INVALID_QUERY");
    drop(worker);
    rig.stop().await;
}
