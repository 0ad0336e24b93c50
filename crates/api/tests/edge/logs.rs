//! Logs: from a worker's pieces to those who read and follow them.

use std::sync::mpsc::{Receiver, Sender, channel};

use mainspring_api::{ApiConfig, LogStorage};
use mainspring_core::engine::EngineConfig;
use mainspring_runtime::ShardConfig;
use mainspring_store::{Kept, LogError, LogPiece, WriteLogs};
use mainspring_store_local::{LocalLogs, LogOptions};
use serde_json::json;

use crate::rig::{Answered, Rig};
use crate::worker::FakeWorker;

const RETRIED: &str =
    r#"{"task_type":"process","payload":{"argv":["x"]},"retry_policy":{"max_retries":1,"backoff":"none"}}"#;

/// As the server is wired: followers are woken by changes of the task.
fn watched() -> ShardConfig {
    ShardConfig { engine: EngineConfig { watch: true, ..EngineConfig::default() }, ..ShardConfig::default() }
}

fn header<'a>(answer: &'a Answered, name: &str) -> &'a str {
    answer.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_are_kept_and_read_in_pages() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let id = rig.submit(RETRIED).await.task_id();
    let path = format!("/v1/tasks/{id}/logs");
    let none = rig.get(&path).await;
    assert_eq!((none.status, none.text.as_str(), header(&none, "mainspring-log-attempt")), (200, "", ""));

    let start = worker.start().await;
    worker.log(&start, 0, "one\n", false).await;
    // Sent again, as after a lost session.
    worker.log(&start, 0, "one\ntwo\n", false).await;
    worker.heartbeat().await;
    let log = rig.get(&path).await;
    assert_eq!(log.text, "one\ntwo\n", "a heartbeat's answer says that it is kept");
    assert_eq!(header(&log, "content-type"), "text/plain; charset=utf-8");
    assert_eq!((header(&log, "mainspring-log-attempt"), header(&log, "mainspring-log-next")), ("1", "8"));
    assert_eq!(header(&log, "mainspring-log-complete"), "false");

    worker.log(&start, 10, "four\n", true).await;
    worker.fail(&start, "transient", "broke").await;
    worker.heartbeat().await;
    let log = rig.get(&format!("{path}?offset=4&limit=4")).await;
    assert_eq!((log.text.as_str(), header(&log, "mainspring-log-offset")), ("two\n", "4"));
    let log = rig.get(&format!("{path}?offset=8")).await;
    assert_eq!(log.text, "\n… 2 bytes missing …\nfour\n");
    assert_eq!(
        (header(&log, "mainspring-log-next"), header(&log, "mainspring-log-complete")),
        ("15", "true")
    );

    let second = worker.start().await;
    assert_eq!(second.attempt, 2);
    assert_eq!(header(&rig.get(&path).await, "mainspring-log-attempt"), "1", "the newest that has one");
    worker.log(&second, 0, "again\n", true).await;
    worker.heartbeat().await;
    assert_eq!(rig.get(&path).await.text, "again\n");
    assert!(rig.get(&format!("{path}?attempt=1")).await.text.starts_with("one\n"));
    assert_eq!(rig.get(&format!("{path}?attempt=3")).await.text, "");
    let metrics = rig.get("/metrics").await.text;
    assert!(metrics.contains("mainspring_log_bytes_received_total 23\n"), "{metrics}");
    assert!(metrics.contains("mainspring_log_chunks_dropped_total 0\n"), "{metrics}");
    drop(worker);

    // Everything is there after a restart.
    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    assert_eq!(rig.get(&path).await.text, "again\n");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_read_from_its_end_and_from_a_line_searched_and_downloaded() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let id = rig.submit(RETRIED).await.task_id();
    let path = format!("/v1/tasks/{id}/logs");
    let none = rig.get(&format!("{path}/search?q=x")).await.json();
    assert_eq!((&none["hits"], &none["complete"]), (&json!([]), &json!(true)), "no attempt has a log");
    assert!(none.get("attempt").is_none());
    let start = worker.start().await;
    let lines: String =
        (1..=1_000).flat_map(|n| ["line ".to_owned(), n.to_string(), " of Many\n".to_owned()]).collect();
    worker.log(&start, 0, &lines, false).await;
    worker.heartbeat().await;

    let tail = rig.get(&format!("{path}?tail=30")).await;
    assert_eq!(tail.text, "line 1000 of Many\n");
    let offset = lines.len() - tail.text.len();
    assert_eq!(header(&tail, "mainspring-log-offset"), offset.to_string());
    assert_eq!(
        (header(&tail, "mainspring-log-line"), header(&tail, "mainspring-log-lines")),
        ("1000", "1000")
    );
    let size = lines.len().to_string();
    assert_eq!(
        (header(&tail, "mainspring-log-size"), header(&tail, "mainspring-log-next")),
        (&*size, &*size)
    );
    assert_eq!(rig.get(&format!("{path}?tail=64KiB")).await.text, lines, "all of a short log");
    let line = rig.get(&format!("{path}?line=500&limit=10")).await;
    assert_eq!((line.text.as_str(), header(&line, "mainspring-log-line")), ("line 500 o", "500"));
    let last = rig.get(&format!("{path}?line=-2")).await;
    assert_eq!(last.text, "line 999 of Many\nline 1000 of Many\n");
    assert_eq!(rig.get(&format!("{path}?line=1001")).await.text, "");
    let middle = rig.get(&format!("{path}?offset=15&limit=6")).await;
    assert_eq!((middle.text.as_str(), header(&middle, "mainspring-log-line")), ("line 2", "2"));

    let found = rig.get(&format!("{path}/search?q=of+many&ignore_case=true&limit=2")).await.json();
    let hit =
        json!({"line": 1, "offset": 7, "before": "line 1 ", "match": "of Many", "after": "", "cut": false});
    assert_eq!((&found["hits"][0], &found["attempt"]), (&hit, &json!(1)));
    assert_eq!(
        (&found["hits"][1]["line"], &found["complete"], &found["next_offset"]),
        (&json!(2), &json!(false), &json!(30))
    );
    let rest = rig.get(&format!("{path}/search?q=00+of&from=30")).await.json();
    let numbers: Vec<_> =
        rest["hits"].as_array().expect("a list").iter().map(|hit| hit["line"].as_u64()).collect();
    let hundreds: Vec<_> = (1..=10).map(|n| Some(n * 100)).collect();
    assert_eq!((numbers, &rest["complete"]), (hundreds, &json!(true)));
    assert_eq!(rig.get(&format!("{path}/search?q=of+many")).await.json()["hits"], json!([]));

    let file = rig.get(&format!("{path}?download=true")).await;
    assert!(file.text == lines, "the whole log");
    assert_eq!(header(&file, "content-disposition"), format!("attachment; filename=\"{id}-1.log\""));
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_request_is_named() {
    let rig = Rig::start().await;
    let unknown = rig.get("/v1/tasks/task_00000000000000000000000000000001/logs").await;
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "TASK_NOT_FOUND"));
    let id = rig.submit(RETRIED).await.task_id();
    for query in [
        "offset=-1",
        "limit=0",
        "limit=8388609",
        "attempt=0",
        "follow=maybe",
        "follow=1&limit=0",
        "from=1",
        "tail=0",
        "tail=9MiB",
        "tail=1GB",
        "line=0",
        "line=x",
        "line=1&offset=2",
        "line=1&tail=2",
        "follow=1&tail=1KiB",
        "download=true&follow=true",
        "download=true&limit=5",
    ] {
        let answer = rig.get(&format!("/v1/tasks/{id}/logs?{query}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_QUERY"), "{query}");
    }
    assert_eq!(rig.get(&format!("/v1/tasks/{id}/logs?limit=8388608")).await.status, 200);
    for query in [
        "",
        "?q=",
        "?q=a%0Ab",
        "?q=x&limit=0",
        "?q=x&limit=1001",
        "?q=x&from=-1",
        "?q=x&attempt=0",
        "?q=x&line=1",
    ] {
        let answer = rig.get(&format!("/v1/tasks/{id}/logs/search{query}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_QUERY"), "{query}");
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_sees_lines_as_they_come_and_goes_on_with_the_next_attempt() {
    let rig = Rig::start_with(ApiConfig::default(), watched()).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let id = rig.submit(RETRIED).await.task_id();
    let mut log = rig.stream(&format!("/v1/tasks/{id}/logs?follow=true")).await;
    let mut first = rig.stream(&format!("/v1/tasks/{id}/logs?follow=true&attempt=1&offset=4")).await;
    assert_eq!(log.headers["mainspring-log-attempt"], "1");
    assert!(rig.get("/metrics").await.text.contains("mainspring_log_followers 2\n"));

    let start = worker.start().await;
    worker.log(&start, 0, "one\n", false).await;
    log.until("one\n").await;
    worker.log(&start, 4, "two", false).await;
    log.until("two").await;
    worker.fail(&start, "transient", "broke").await;
    worker.log(&start, 7, "", true).await;
    let second = worker.start().await;
    worker.log(&second, 0, "three\n", false).await;
    log.until("three\n").await;
    // Ends with what it asked for.
    let bounded = rig.stream(&format!("/v1/tasks/{id}/logs?follow=true&attempt=1&limit=5")).await;
    assert_eq!(bounded.rest().await, "one\nt");
    first.until("two").await;
    assert_eq!(first.rest().await, "two", "only the attempt that was named, from the offset");
    // The report first: the end of the log is waited for all the same.
    worker.succeed(&second, "1").await;
    worker.log(&second, 6, "four\n", true).await;
    assert_eq!(log.rest().await, "one\ntwo\n── attempt 2 ──\nthree\nfour\n");
    // One that comes late reads all attempts and ends.
    let late = rig.stream(&format!("/v1/tasks/{id}/logs?follow=true")).await;
    assert_eq!(late.headers["mainspring-log-attempt"], "1");
    assert_eq!(late.rest().await, "one\ntwo\n── attempt 2 ──\nthree\nfour\n");
    assert!(rig.get("/metrics").await.text.contains("mainspring_log_followers 0\n"));
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_waits_for_a_log_that_comes_after_that_of_the_next_attempt() {
    let rig = Rig::start_with(ApiConfig::default(), watched()).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let id = rig.submit(RETRIED).await.task_id();
    let first = worker.start().await;
    worker.fail(&first, "transient", "broke").await;
    let second = worker.start().await;
    worker.log(&second, 0, "two\n", true).await;
    worker.succeed(&second, "1").await;
    worker.heartbeat().await;
    let log = rig.stream(&format!("/v1/tasks/{id}/logs?follow=true")).await;
    worker.log(&first, 0, "one\n", true).await;
    assert_eq!(log.rest().await, "one\n── attempt 2 ──\ntwo\n");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_without_a_word_ends_its_followers() {
    let rig = Rig::start_with(ApiConfig::default(), watched()).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let id = rig.submit(RETRIED).await.task_id();
    let path = format!("/v1/tasks/{id}/logs");
    let following = rig.stream(&format!("{path}?follow=true")).await;
    let start = worker.start().await;
    worker.succeed(&start, "1").await;
    worker.log(&start, 0, "", true).await;
    worker.heartbeat().await;
    assert_eq!(header(&rig.get(&path).await, "mainspring-log-complete"), "true", "the worker said so");
    assert_eq!(following.rest().await, "");
    // One that is cancelled before any attempt.
    let later = rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await.task_id();
    let following = rig.stream(&format!("/v1/tasks/{later}/logs?follow=true")).await;
    assert_eq!(rig.call("DELETE", &format!("/v1/tasks/{later}"), "").await.status, 200);
    assert_eq!(following.rest().await, "");
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn followers_are_bounded_and_are_broken_off_when_the_server_stops() {
    let config = ApiConfig { log_followers_max: 1, ..ApiConfig::default() };
    let rig = Rig::start_with(config, watched()).await;
    let id = rig.submit(RETRIED).await.task_id();
    let path = format!("/v1/tasks/{id}/logs?follow=true");
    let mut following = rig.stream(&path).await;
    let refused = rig.get(&path).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "TOO_MANY_FOLLOWERS"));
    assert_eq!(refused.headers["retry-after"], "1");
    rig.stop().await;
    let broken = loop {
        match following.more().await {
            Ok(true) => {}
            other => break other,
        }
    };
    assert!(broken.is_err(), "a stream that is not whole does not look so: {broken:?}");
}

/// Keeps nothing before it is let.
struct Stuck(Receiver<()>);

impl WriteLogs for Stuck {
    fn append(&mut self, _: LogPiece) -> Kept {
        let _ = self.0.recv();
        Kept::default()
    }

    fn flush(&mut self) -> Kept {
        Kept::default()
    }

    fn drop_before(&mut self, _: u32) -> Result<bool, LogError> {
        Ok(false)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_hangs_costs_logs_and_delays_no_report() {
    let dir = tempfile::tempdir().expect("a directory");
    let (free, stuck): (Sender<()>, Receiver<()>) = channel();
    let reader = LocalLogs::new(dir.path(), LogOptions::default()).reader();
    let storage = LogStorage::new(Stuck(stuck), reader);
    let rig = Rig::start_on(dir, storage, ApiConfig::default(), ShardConfig::default()).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let id = rig.submit(RETRIED).await.task_id();
    let start = worker.start().await;
    for number in 0..5_000 {
        worker.log(&start, number * 2, "x\n", false).await;
    }
    worker.succeed(&start, "1").await;
    rig.until(&id, "succeeded").await;
    worker.heartbeat().await;
    let metrics = rig.get("/metrics").await.text;
    let dropped = metrics.lines().find_map(|line| line.strip_prefix("mainspring_log_chunks_dropped_total "));
    let dropped: u64 = dropped.and_then(|count| count.parse().ok()).expect("a count");
    assert!(
        dropped >= 5_000 - 4_097,
        "{dropped} dropped: the queue has 4096 places, and one is being written"
    );
    drop((free, worker));
    rig.stop().await;
}
