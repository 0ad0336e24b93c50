//! Listeners to events that do not read: what waits for them is bounded, and they are ended.

use std::time::Duration;

use mainspring_api::ApiConfig;
use mainspring_runtime::ShardConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::rig::Rig;
use crate::worker::FakeWorker;

/// Small, so that a listener that does not read is stuck soon.
const RECEIVE_BYTES: u32 = 4 << 10;
/// More than all buffers between the server and such a listener hold, if they are bounded.
const TASKS: usize = 3_000;

async fn listener(rig: &Rig) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(RECEIVE_BYTES).expect("a socket");
    let mut stream = socket.connect(rig.address).await.expect("connects");
    let request = format!("GET /v1/events HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", rig.address);
    stream.write_all(request.as_bytes()).await.expect("sent");
    stream
}

/// Tasks that are submitted and cancelled: at least two pieces of news each.
async fn make_news(rig: &Rig) {
    let task = r#"{"task_type":"noop","job":"j","delay_ms":3600000}"#;
    let batch = format!("[{}]", vec![task; TASKS / 3].join(","));
    for _ in 0..3 {
        assert_eq!(rig.call("POST", "/v1/tasks:batch", &batch).await.status, 202);
    }
    let answer = rig.call("POST", "/v1/tasks:cancel", r#"{"job":"j"}"#).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
}

/// Until another one may listen: the place of the first was given away.
async fn until_there_is_room(rig: &Rig) {
    for _ in 0..1_000 {
        if rig.get("/v1/events?for_ms=1").await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("its place was not given away");
}

/// Everything that comes until the server ends it; false if it did not end it well.
async fn rest(mut stream: TcpStream) -> (String, bool) {
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await;
    let whole = read.expect("it ends").is_ok();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let ended = whole && text.ends_with("0\r\n\r\n");
    (text, ended)
}

fn config() -> ApiConfig {
    ApiConfig { log_followers_max: 1, listener_patience: Duration::from_millis(200), ..ApiConfig::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_does_not_read_loses_its_place_and_is_told_why() {
    let rig = Rig::start_with(config(), ShardConfig::default()).await;
    let mut stuck = listener(&rig).await;
    // It has begun to listen.
    let mut first = [0; 12];
    stuck.read_exact(&mut first).await.expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 200");
    assert_eq!(rig.get("/v1/events?for_ms=1").await.code(), "TOO_MANY_FOLLOWERS", "the place is taken");
    make_news(&rig).await;
    until_there_is_room(&rig).await;
    let (text, ended) = rest(stuck).await;
    assert!(ended, "the answer is whole: {:?}", &text[text.len().saturating_sub(200)..]);
    let last = text.lines().rfind(|line| line.starts_with('{')).expect("a line");
    assert!(last.contains("mainspring.events.closed") && last.contains("nothing was read"), "{last}");
    // Without bounds the kernel and the server would have kept nearly all of it.
    assert!(text.len() < 400_000, "{} bytes were kept for it", text.len());
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_takes_nothing_is_closed() {
    let patience = Duration::from_millis(300);
    let config = ApiConfig { log_followers_max: 1, write_patience: patience, ..ApiConfig::default() };
    let rig = Rig::start_with(config, ShardConfig::default()).await;
    let mut stuck = listener(&rig).await;
    stuck.read_exact(&mut [0; 12]).await.expect("an answer");
    make_news(&rig).await;
    until_there_is_room(&rig).await;
    let (text, ended) = rest(stuck).await;
    assert!(!ended && text.len() < 400_000, "it was broken off: {} bytes", text.len());
    rig.stop().await;
}

/// Lines until each of the wanted types has come, as events.
async fn until_told(stream: &mut TcpStream, wanted: &[&str]) -> Vec<Value> {
    let mut text = String::new();
    let read = async {
        let mut bytes = [0; 4096];
        while !wanted.iter().all(|kind| text.contains(&format!("\"mainspring.{kind}\"")))
            || !text.ends_with('\n')
        {
            let count = stream.read(&mut bytes).await.expect("read");
            assert!(count > 0, "it ended: {text}");
            text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    };
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("told in time");
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn listeners_hear_of_jobs_schedules_workers_and_names() {
    let rig = Rig::start().await;
    let mut stream = listener(&rig).await;
    // Only what happens from now on is told.
    while rig.get("/v1/system").await.json()["listeners"] != 1 {
        tokio::task::yield_now().await;
    }
    let mut head = [0; 1];
    stream.read_exact(&mut head).await.expect("answered");
    let job = r#"{"job":"report","schedules":[{"name":"far","at":["2090-01-01T00:00:00Z"]}],"tasks":{"load":{"noop":{}}}}"#;
    assert_eq!(rig.call("POST", "/v1/jobs", job).await.status, 200);
    let run = rig.call("POST", "/v1/jobs/report:trigger", "").await.json()["run_id"].clone();
    assert_eq!(rig.call("POST", "/v1/schedules/report/far:pause", "").await.status, 200);
    assert_eq!(rig.call("POST", "/v1/jobs/report:pause", "").await.status, 200);
    let worker = FakeWorker::join(rig.address, 1, 1, 0).await;
    drop(worker);
    let kinds = [
        "job.stored",
        "schedule.stored",
        "schedule.paused",
        "job.paused",
        "worker.joined",
        "worker.left",
        "task.queued",
    ];
    let events = until_told(&mut stream, &kinds).await;
    let of = |kind: &str| {
        let wanted = format!("mainspring.{kind}");
        events
            .iter()
            .find(|event| event["type"] == *wanted)
            .unwrap_or_else(|| panic!("no {kind}: {events:?}"))
    };
    assert_eq!(
        (&of("schedule.paused")["subject"], &of("schedule.paused")["data"]["schedule"]),
        (&json!("report/far"), &json!("far"))
    );
    assert_eq!(of("job.stored")["data"]["job"], "report");
    assert!(of("worker.joined")["subject"].as_str().is_some_and(|id| id.starts_with("worker_")));
    let task = &of("task.queued")["data"];
    assert_eq!((&task["task"], &task["run_id"]), (&json!("load"), &run));
    let records: Vec<u64> = events.iter().filter_map(|event| event["data"]["record"].as_u64()).collect();
    assert!(records.len() >= kinds.len() && records.is_sorted(), "{records:?}");
    let seen: u64 = rig.get("/v1/jobs/report").await.headers["mainspring-record"]
        .to_str()
        .expect("text")
        .parse()
        .expect("a number");
    assert!(records.iter().all(|record| *record <= seen), "{records:?} of {seen}");
    drop(stream);
    rig.stop().await;
}

/// Events that came by now, without the empty lines.
fn events(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn ids(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| event["id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_lost_its_connection_goes_on_where_it_was() {
    let rig = Rig::start().await;
    let mut first = rig.stream("/v1/events?kind=task").await;
    let before = rig.submit(r#"{"task_type":"noop","job":"a"}"#).await.task_id();
    first.until(&before).await;
    while !first.text.ends_with('\n') {
        first.more().await.expect("not broken off");
    }
    let known = ids(&events(&first.text));
    drop(first);
    // Nobody listens any more.
    while rig.get("/v1/system").await.json()["listeners"] != 0 {
        tokio::task::yield_now().await;
    }
    let job = rig.call("POST", "/v1/jobs", r#"{"job":"b","tasks":{"x":{"noop":{}}}}"#).await;
    assert_eq!(job.status, 200);
    let missed = rig.submit(r#"{"task_type":"noop","job":"b"}"#).await.task_id();
    let mut second = rig.stream(&format!("/v1/events?kind=task&after={}", known[known.len() - 1])).await;
    second.until(&missed).await;
    let later = rig.submit(r#"{"task_type":"noop","job":"c"}"#).await.task_id();
    second.until(&later).await;
    let told = events(&second.text);
    let all = [known.clone(), ids(&told)].concat();
    let mut once = all.clone();
    once.dedup();
    assert_eq!(all, once, "each once, in order");
    assert!(!second.text.contains(&before) && !second.text.contains("job.stored"), "{}", second.text);
    // From the start of what is kept, all of it again.
    let mut third = rig.stream(&format!("/v1/events?after={}", known[0])).await;
    third.until(&later).await;
    assert!(third.text.contains("mainspring.job.stored"), "{}", third.text);

    let epoch = known[0].split_once('-').expect("two numbers").0;
    for gone in [format!("{epoch}-999999999"), format!("{epoch}9-1"), "0-0".to_owned()] {
        let answer = rig.get(&format!("/v1/events?for_ms=1&after={gone}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (410, "FEED_GONE"), "{gone}");
    }
    for wrong in ["after=", "after=7", "after=a-b", "digest=1ms", "digest=1h", "digest=x"] {
        let answer = rig.get(&format!("/v1/events?for_ms=1&{wrong}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_QUERY"), "{wrong}");
    }
    drop((second, third));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_counts_what_happened_and_names_runs() {
    let rig = Rig::start().await;
    let mut stream = rig.stream("/v1/events?digest=50ms").await;
    let job = r#"{"job":"report","tasks":{"load":{"noop":{}}}}"#;
    assert_eq!(rig.call("POST", "/v1/jobs", job).await.status, 200);
    let run = rig.call("POST", "/v1/jobs/report:trigger", "").await.json()["run_id"].clone();
    make_news(&rig).await;
    let total = |text: &str, state: &str| -> u64 {
        let digests = events(text);
        let rows = digests.iter().flat_map(|event| event["data"]["counts"].as_array().expect("a list"));
        let rows = rows.filter(|row| row["job"] == "j" && row["state"] == state);
        rows.map(|row| row["count"].as_u64().expect("a number")).sum()
    };
    while total(&stream.text, "cancelled") < TASKS as u64 {
        assert!(stream.more().await.expect("not broken off"), "{}", stream.text);
    }
    assert_eq!(total(&stream.text, "pending"), TASKS as u64);
    let digests = events(&stream.text);
    assert!(digests.len() < TASKS / 10, "{} lines", digests.len());
    assert!(digests.iter().all(|event| event["type"] == "mainspring.events.digest"));
    assert!(digests.iter().any(|event| event["data"]["run_ids"] == json!([run])), "{digests:?}");
    assert!(digests.iter().any(|event| event["data"]["events"]["job"] == 1), "{digests:?}");
    // A digest can be gone on from like any event.
    let last = digests[digests.len() - 1]["id"].as_str().expect("an id").to_owned();
    assert_eq!(rig.get(&format!("/v1/events?for_ms=1&after={last}")).await.status, 200);
    drop(stream);
    rig.stop().await;
}
