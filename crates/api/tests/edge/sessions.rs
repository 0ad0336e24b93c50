//! The session protocol.

use std::time::Duration;

use mainspring_api::ApiConfig;
use mainspring_core::values::Millis;
use mainspring_proto::v1;
use mainspring_runtime::ShardConfig;
use tonic::Code;

use crate::rig::Rig;
use crate::worker::{FakeWorker, hello, open};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_proper_hello_ends_the_session() {
    let rig = Rig::start().await;
    let short = v1::Hello { worker: vec![1; 15], ..hello(1, 1, 1) };
    let nobody = v1::Hello { worker: vec![0; 16], ..hello(1, 1, 1) };
    let long = v1::Hello {
        offer: Some(v1::Offer { pool: "x".repeat(201), ..v1::Offer::default() }),
        ..hello(1, 1, 1)
    };
    let rows = [
        ("no hello", None),
        ("short id", Some(short)),
        ("no id", Some(nobody)),
        ("long name", Some(long)),
        ("no offer", Some(v1::Hello { offer: None, ..hello(1, 1, 1) })),
        ("session zero", Some(hello(1, 0, 1))),
    ];
    for (name, hello) in rows {
        let first = v1::WorkerMessage { hello, heartbeat: 1, ..v1::WorkerMessage::default() };
        let ended = open(rig.address, first).await.receive().await;
        assert_eq!(ended.expect_err(name).code(), Code::FailedPrecondition, "{name}");
    }
    assert_eq!(
        rig.get("/v1/workers").await.json()["workers"].as_array().map(Vec::len),
        Some(0),
        "nobody was heard"
    );
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_session_replaces_the_older_and_an_older_one_is_refused() {
    let rig = Rig::start().await;
    let mut old = FakeWorker::join(rig.address, 1, 5, 1).await;
    let mut new = FakeWorker::join(rig.address, 1, 6, 1).await;
    assert_eq!(old.receive().await.expect_err("ended").code(), Code::Aborted);
    let first = v1::WorkerMessage { hello: Some(hello(1, 6, 1)), ..v1::WorkerMessage::default() };
    let mut same = open(rig.address, first).await;
    assert_eq!(same.receive().await.expect_err("refused").code(), Code::FailedPrecondition);

    rig.submit(r#"{"task_type":"noop"}"#).await;
    let start = new.start().await;
    new.succeed(&start, "1").await;
    let beat = v1::WorkerMessage { heartbeat: 1, ..v1::WorkerMessage::default() };
    new.to.send(beat).await.expect("the session lives");
    while new.heartbeats == 0 {
        new.receive().await.expect("the session lives");
    }
    // Reported again, as after a lost acknowledgement.
    let success = v1::report::What::Success(v1::Success { output: None });
    new.report(&start, success).await;
    assert!(new.acknowledged().await.ignored);
    drop(new);
    // A number that was used cannot be used again, even when its session is over.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let first = v1::WorkerMessage { hello: Some(hello(1, 6, 1)), ..v1::WorkerMessage::default() };
    let mut used = open(rig.address, first).await;
    assert_eq!(used.receive().await.expect_err("refused").code(), Code::FailedPrecondition);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_with_one_identity_waits_for_the_first() {
    let config = ApiConfig { heartbeat: Duration::from_millis(200), ..ApiConfig::default() };
    let rig = Rig::start_with(config, ShardConfig::default()).await;
    let mut first = FakeWorker::join(rig.address, 1, 5, 1).await;
    let as_copy = |session| v1::WorkerMessage {
        hello: Some(v1::Hello { incarnation: 2, name: "copy".into(), ..hello(1, session, 1) }),
        ..v1::WorkerMessage::default()
    };
    first.heartbeat().await;
    let refused = open(rig.address, as_copy(9)).await.receive().await.expect_err("refused");
    assert_eq!(refused.code(), Code::AlreadyExists);
    assert!(refused.message().contains("`fake-1`"), "it says who has it: {}", refused.message());
    // The first one is not disturbed.
    rig.submit(r#"{"task_type":"noop"}"#).await;
    let start = first.start().await;
    first.succeed(&start, "1").await;

    // The connection closes: the copy is taken at once, with a number that the server can tell it.
    drop(first);
    let mut lowest = None;
    let mut copy = loop {
        let session = lowest.map_or(3, |lowest: u64| lowest + 1);
        let mut copy = open(rig.address, as_copy(session)).await;
        match copy.receive().await {
            Ok(message) => {
                assert!(message.welcome.is_some());
                break copy;
            }
            // The server has not seen the end of the connection yet.
            Err(status) if status.code() == Code::AlreadyExists => {}
            Err(status) => {
                let newest = status.metadata().get("mainspring-newest-session").expect("a number");
                lowest = Some(newest.to_str().expect("text").parse().expect("a number"));
                assert_eq!(lowest, Some(5));
            }
        }
    };
    rig.submit(r#"{"task_type":"noop"}"#).await;
    let start = copy.start().await;
    copy.succeed(&start, "2").await;

    // It falls silent without closing its connection: the next process has to wait for three heartbeats at most.
    let third = |session| v1::WorkerMessage {
        hello: Some(v1::Hello { incarnation: 3, ..hello(1, session, 1) }),
        ..v1::WorkerMessage::default()
    };
    for session in 100.. {
        if open(rig.address, third(session)).await.receive().await.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(copy.receive().await.expect_err("replaced").code(), Code::Aborted);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draining_worker_gets_nothing_new_until_it_comes_back() {
    let rig = Rig::start().await;
    let worker = FakeWorker::join(rig.address, 7, 1, 3).await;
    let id = format!("worker_{}", "07".repeat(16));
    let drain = v1::WorkerMessage { draining: true, ..v1::WorkerMessage::default() };
    worker.to.send(drain).await.expect("the session lives");
    let state = async |wanted: &str| {
        for _ in 0..200 {
            let body = rig.get(&format!("/v1/workers/{id}")).await.json();
            if body["state"] == wanted {
                return body;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("never {wanted}");
    };
    let body = state("drained").await;
    assert_eq!(
        (&body["name"], &body["slots"], &body["cordoned"]),
        (&"fake-7".into(), &3.into(), &true.into())
    );
    drop(worker);
    state("disconnected").await;

    let mut worker = FakeWorker::join(rig.address, 7, 2, 3).await;
    assert_eq!(state("healthy").await["cordoned"], false);
    let cordon = rig.call("POST", &format!("/v1/workers/{id}:cordon"), "").await;
    assert_eq!(cordon.status, 200, "{}", cordon.text);
    let task = rig.submit(r#"{"task_type":"noop"}"#).await.task_id();
    let why = rig.get(&format!("/v1/tasks/{task}/diagnosis")).await.json();
    assert_eq!(why["reason"], "no_room", "{why}");
    rig.call("POST", &format!("/v1/workers/{id}:uncordon"), "").await;
    assert_eq!(worker.start().await.attempt, 1);
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_orders_go_in_few_messages() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 20_000).await;
    let batch = format!("[{}]", vec![r#"{"task_type":"noop","payload":1}"#; 5_000].join(","));
    assert_eq!(rig.call("POST", "/v1/tasks:batch", &batch).await.status, 202);
    let mut reports = Vec::new();
    for _ in 0..5_000 {
        let start = worker.start().await;
        let what = Some(v1::report::What::Success(v1::Success { output: None }));
        reports.push(v1::Report { task: start.task, fence: start.fence, what, details: None });
    }
    worker.to.send(v1::WorkerMessage { reports, ..v1::WorkerMessage::default() }).await.expect("lives");
    let mut messages = 0;
    while worker.acknowledgements.len() < 5_000 {
        worker.receive().await.expect("the session lives");
        messages += 1;
    }
    assert!(messages < 100, "{messages} messages for 5000 acknowledgements");
    assert!(worker.acknowledgements.iter().all(|ack| !ack.ignored));
    drop(worker);
    rig.stop().await;
}

/// It stays connected, but the shard would never give it work again.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_given_up_ends_when_its_worker_speaks_again() {
    let lease = Duration::from_secs(1);
    let mut shard = ShardConfig::default();
    shard.engine.limits.lease = Millis::from_secs(1);
    let config = ApiConfig { lease, heartbeat: lease / 3, ..ApiConfig::default() };
    let rig = Rig::start_with(config, shard).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    while rig.get("/v1/workers").await.json()["workers"].as_array().is_none_or(|workers| !workers.is_empty())
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let beat = v1::WorkerMessage { heartbeat: 1, ..v1::WorkerMessage::default() };
    worker.to.send(beat).await.expect("the stream is open");
    let ended = loop {
        if let Err(status) = worker.receive().await {
            break status;
        }
    };
    assert_eq!(ended.code(), Code::Aborted, "{ended}");
    let again = FakeWorker::join(rig.address, 1, 2, 1).await;
    drop(again);
    rig.stop().await;
}

/// As when the journal does not answer: nothing that a worker reports is taken in.
#[tokio::test(flavor = "multi_thread")]
async fn a_heartbeat_behind_reports_is_answered_although_the_shard_takes_nothing() {
    let (rig, go_on) = Rig::start_stuck(ShardConfig::default()).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    assert_eq!(rig.submit(r#"{"task_type":"noop"}"#).await.status, 202);
    for fence in 0..500 {
        let what = Some(v1::report::What::Progress(String::new()));
        let reports = vec![v1::Report { task: vec![9; 16], fence, what, details: None }];
        worker
            .to
            .send(v1::WorkerMessage { reports, ..v1::WorkerMessage::default() })
            .await
            .expect("it is read");
    }
    worker.heartbeat().await;
    drop(go_on);
    let start = worker.start().await;
    worker.succeed(&start, "1").await;
    drop(worker);
    rig.stop().await;
}
