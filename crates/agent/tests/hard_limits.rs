//! Hard limits hold while the server is away, and over restarts of the worker. The double never sends a stop.

mod double;

use std::path::Path;

use double::*;
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use serde_json::json;

/// Runs for ever unless it is stopped; says where it is.
fn endless(pid: &Path, kept: bool, limit_ms: u64) -> v1::Start {
    let text = format!("echo $$ > {}; exec sleep 600", pid.display());
    let payload = json!({"argv": [text], "shell": true, "keep": kept});
    v1::Start { hard_timeout_ms: limit_ms, ..process(1, &payload) }
}

async fn gone(pid: &str) {
    soon("its end", async {
        while is_alive(pid) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_limit_holds_while_the_server_is_away() {
    tokio::join!(ends_without_a_server(false), ends_without_a_server(true));
}

async fn ends_without_a_server(kept: bool) {
    let Connected { dir, server, worker, talk } = connected(|_| ()).await;
    let pid = dir.path().join("pid");
    talk.start(endless(&pid, kept, 1_500)).await;
    let pid = written(&pid).await;
    drop(talk);
    let address = server.vanish().await;
    gone(&pid).await;

    let mut server = Server::start_at(address);
    let mut talk = server.session().await;
    assert_eq!(failure(&talk.result().await), ("timeout", 143, "stopped: hard_timeout"), "kept: {kept}");
    worker.ended().await;
}

#[tokio::test]
async fn a_limit_holds_over_a_restart_of_the_worker() {
    let Connected { dir, mut server, worker, mut talk } = connected(|_| ()).await;
    let pid = dir.path().join("pid");
    talk.start(endless(&pid, true, 1_500)).await;
    let pid = written(&pid).await;
    talk.report_where(|what| matches!(what, What::Accepted(_))).await;
    worker.kill().await;
    drop(talk);
    assert!(is_alive(&pid), "it survived its worker");
    let worker = Worker::spawn(config(&server.url(), dir.path()));
    let mut talk = server.session().await;
    let ran = talk.hello.holding[0].ran_ms.expect("it runs");
    assert!(ran > 0, "counted from its start, not from the worker's");
    assert_eq!(failure(&talk.result().await), ("timeout", 143, "stopped: hard_timeout"));
    assert!(!is_alive(&pid));
    worker.ended().await;
}

#[tokio::test]
async fn more_time_is_remembered_over_a_restart_of_the_worker() {
    let Connected { dir, mut server, worker, mut talk } = connected(|_| ()).await;
    let go = dir.path().join("go");
    let text = format!(
        "cd $MAINSPRING_CONTROL; echo 3600000 > next; mv next extend; until [ -e {} ]; do sleep 0.01; done",
        go.display()
    );
    let payload = json!({"argv": [text], "shell": true, "keep": true});
    talk.start(v1::Start { hard_timeout_ms: 2_500, ..process(1, &payload) }).await;
    talk.report_where(|what| matches!(what, What::ExtendMs(3_600_000))).await;
    worker.kill().await;
    drop(talk);
    let worker = Worker::spawn(config(&server.url(), dir.path()));
    let mut talk = server.session().await;
    // Heartbeats are answered meanwhile; when the first limit has passed it still runs.
    while talk.hello.holding[0].ran_ms.expect("it runs") < 2_600 {
        drop(talk);
        talk = server.session().await;
        assert_eq!(talk.hello.holding.len(), 1);
    }
    std::fs::write(&go, "").expect("written");
    assert_eq!(success(&talk.result().await), None);
    worker.ended().await;
}

#[tokio::test]
async fn hello_says_how_long_each_attempt_has_run() {
    let Connected { dir: _dir, mut server, worker, mut talk } =
        connected(|settings| settings.slots = 1).await;
    let (runs, waits) = (start(1, "sleep", r#"{"ms":3600000}"#), start(2, "sleep", r#"{"ms":3600000}"#));
    talk.start(runs.clone()).await;
    talk.start(waits.clone()).await;
    talk.report_where(|what| matches!(what, What::Accepted(_))).await;
    drop(talk);
    let mut talk = server.session().await;
    let ran = |task: &[u8]| {
        let held = talk.hello.holding.iter().find(|held| held.task == task).expect("it is held");
        held.ran_ms
    };
    assert!(ran(&runs.task).is_some_and(|ran| ran >= 20), "it was accepted after 20 ms");
    assert_eq!(ran(&waits.task), None, "it has not started");
    for order in [&waits, &runs] {
        talk.stop(order, 0, "cancel").await;
        talk.result().await;
    }
    worker.ended().await;
}
