//! The session against a server double: what is said, what is said again, what survives.

mod double;

use std::collections::BTreeSet;

use double::*;
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;

fn holding(hello: &v1::Hello) -> BTreeSet<u128> {
    let id = |holding: &v1::Holding| u128::from_be_bytes(holding.task.clone().try_into().expect("16 bytes"));
    hello.holding.iter().map(id).collect()
}

fn id(report: &v1::Report) -> u128 {
    u128::from_be_bytes(report.task.clone().try_into().expect("16 bytes"))
}

#[tokio::test]
async fn hello_says_who_and_what() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut server = Server::start();
    let mut settings = config(&server.url(), dir.path());
    settings.labels.insert("disk".into(), "ssd".into());
    settings.zone = "north".into();
    let worker = Worker::spawn(settings.clone());
    let first = server.session().await.hello;
    let offer = first.offer.clone().expect("an offer");
    assert_eq!((first.worker.len(), first.session, first.name.as_str()), (16, 1, "double's worker"));
    assert_eq!((offer.pool.as_str(), offer.slots, offer.zone.as_str()), ("default", 4, "north"));
    assert_eq!(offer.labels["disk"], "ssd");
    assert!(offer.executors.iter().any(|known| known == "process"), "{:?}", offer.executors);
    let capacity = offer.capacity.expect("a capacity");
    assert!(capacity.cpu_milli >= 1000 && capacity.memory_bytes > 1 << 26, "{capacity:?}");
    assert!(first.holding.is_empty());

    // The double dropped the stream: the same life opens another.
    let second = server.session().await.hello;
    assert_eq!((second.session, &second.worker, second.incarnation), (2, &first.worker, first.incarnation));
    worker.ended().await;

    let worker = Worker::spawn(settings);
    let third = server.session().await.hello;
    assert!(third.session > second.session);
    assert_eq!(third.worker, first.worker);
    assert_ne!(third.incarnation, first.incarnation);
    worker.ended().await;
}

#[tokio::test]
async fn no_ops_are_done_and_reported_together() {
    let Connected { dir, server: _server, worker, mut talk } = connected(|_| ()).await;
    let starts = (0..10_000).map(|number| start(number, "noop", "")).collect();
    talk.send(v1::ServerMessage { starts, ..Default::default() }).await;
    let mut seen = BTreeSet::new();
    while seen.len() < 10_000 {
        let report = talk.report_where(is_result).await;
        assert_eq!(success(&report), None);
        assert!(seen.insert(id(&report)), "once each");
        talk.acknowledge(&report).await;
    }
    assert!(talk.messages < 100, "{} messages", talk.messages);
    worker.ended().await;
    assert_eq!(std::fs::metadata(dir.path().join("spool")).expect("the spool").len(), 0);
}

#[tokio::test]
async fn orders_of_an_owner_that_was_replaced_are_not_obeyed() {
    let Connected { dir: _dir, server: _server, worker, mut talk } = connected(|_| ()).await;
    assert_eq!((talk.hello.epoch, talk.hello.link), (0, 1));
    // Tasks of group 3; those of other groups have another owner.
    let task = |number: u128| 3 << (64 + 4) | number;
    let of = |epoch, number, executor, payload| v1::Start { epoch, ..start(number, executor, payload) };
    let long = of(1, task(1), "sleep", r#"{"ms":3600000}"#);
    talk.start(long.clone()).await;
    talk.start(of(1, 9, "sleep", r#"{"ms":3600000}"#)).await;
    for _ in 0..2 {
        talk.report_where(|what| matches!(what, What::Accepted(_))).await;
    }

    let say = v1::SayHello { epoch: 2, link: 2, groups: vec![3] };
    talk.send(v1::ServerMessage { say_hello: Some(say), ..Default::default() }).await;
    // On their way when the owner changed.
    talk.start(of(1, task(2), "noop", "")).await;
    talk.stop(&long, 0, "cancel").await;
    talk.start(of(2, task(3), "noop", "")).await;
    // The owner of another group is who it was.
    talk.start(of(1, 4, "noop", "")).await;
    let mut done = BTreeSet::new();
    while done.len() < 2 {
        done.insert(id(&talk.result().await));
    }
    assert_eq!(done, BTreeSet::from([task(3), 4]), "no start and no stop of the old owner");
    let again = talk.hellos.pop().expect("a hello to the new owner");
    assert_eq!((again.epoch, again.link, again.session), (2, 2, talk.hello.session));
    assert_eq!(holding(&again), BTreeSet::from([task(1)]), "what the new owner owns");

    talk.stop(&v1::Start { epoch: 2, ..long }, 0, "cancel").await;
    assert_eq!(id(&talk.result().await), task(1));
    talk.stop(&of(1, 9, "sleep", ""), 0, "cancel").await;
    assert_eq!(id(&talk.result().await), 9);
    worker.ended().await;
}

#[tokio::test]
async fn heartbeats_are_numbered() {
    let Connected { dir: _dir, server: _server, worker, mut talk } = connected(|_| ()).await;
    while talk.heartbeats.len() < 3 {
        assert!(talk.hear().await, "the stream is open");
    }
    assert_eq!(talk.heartbeats, [1, 2, 3]);
    worker.ended().await;
}

#[tokio::test]
async fn a_start_that_is_held_changes_nothing() {
    let Connected { dir: _dir, server: _server, worker, mut talk } = connected(|_| ()).await;
    let twice = start(1, "sleep", r#"{"ms":50}"#);
    let starts = vec![twice.clone(), twice.clone(), start(2, "noop", ""), start(2, "noop", "")];
    talk.send(v1::ServerMessage { starts, ..Default::default() }).await;
    let noop = talk.result().await;
    assert_eq!(id(&noop), 2);
    talk.start(twice.clone()).await;
    let slept = talk.report_where(is_result).await;
    assert_eq!((id(&slept), success(&slept)), (1, None));
    // Ended and not acknowledged is still held.
    talk.start(twice).await;
    talk.start(start(3, "noop", "")).await;
    let next = talk.report_where(is_result).await;
    assert_eq!(id(&next), 3, "nothing of 1 in between");
    talk.acknowledge(&slept).await;
    talk.acknowledge(&next).await;
    worker.ended().await;
}

#[tokio::test]
async fn more_than_fits_waits_and_more_than_that_is_refused() {
    let Connected { dir: _dir, server: _server, worker, mut talk } =
        connected(|settings| settings.slots = 1).await;
    let long = start(1, "sleep", r#"{"ms":3600000}"#);
    let waiting = start(2, "sleep", r#"{"ms":1}"#);
    let starts = vec![long.clone(), waiting.clone(), start(3, "sleep", r#"{"ms":1}"#)];
    talk.send(v1::ServerMessage { starts, ..Default::default() }).await;
    let refused = talk.report_where(|what| matches!(what, What::Refused(_))).await;
    assert_eq!(id(&refused), 3);
    let mut greedy = start(4, "sleep", r#"{"ms":1}"#);
    greedy.memory_bytes = u64::MAX;
    talk.start(greedy).await;
    let refused = talk.report_where(|what| matches!(what, What::Refused(_))).await;
    assert_eq!(id(&refused), 4);
    talk.stop(&long, 0, "cancel").await;
    let stopped = talk.result().await;
    assert_eq!((id(&stopped), failure(&stopped).0), (1, "cancelled"));
    assert_eq!(id(&talk.result().await), 2);
    talk.start(start(5, "brew", "")).await;
    let unknown = talk.report_where(|what| matches!(what, What::Refused(_))).await;
    assert_eq!(unknown.what, Some(What::Refused("this worker has no executor `brew`".into())));
    worker.ended().await;
}

#[tokio::test]
async fn results_outlive_the_server() {
    let Connected { dir, server, worker, mut talk } = connected(|_| ()).await;
    let file = dir.path().join("go");
    let waits = format!(
        r#"{{"argv":["until [ -e {} ]; do sleep 0.01; done; echo done > $MAINSPRING_CONTROL/output"],"shell":true}}"#,
        file.display()
    );
    talk.start(start(1, "process", &waits)).await;
    talk.report_where(|what| matches!(what, What::Accepted(_))).await;
    talk.start(start(2, "noop", "")).await;
    talk.report_where(is_result).await;
    drop(talk);
    let address = server.vanish().await;

    // The work ends while nobody listens.
    std::fs::write(&file, "").expect("written");
    let spool = dir.path().join("spool");
    soon("both results on disk", async {
        while !std::fs::read(&spool).is_ok_and(|bytes| bytes.windows(5).any(|part| part == b"done\n")) {
            tokio::task::yield_now().await;
        }
    })
    .await;

    let mut server = Server::start_at(address);
    let mut talk = server.session().await;
    assert_eq!(holding(&talk.hello), BTreeSet::from([1, 2]));
    let results =
        BTreeSet::from([id(&talk.report_where(is_result).await), id(&talk.report_where(is_result).await)]);
    assert_eq!(results, BTreeSet::from([1, 2]));
    // Not acknowledged, so they come again, also from another life of the worker.
    worker.kill().await;
    drop(talk);
    let worker = Worker::spawn(config(&server.url(), dir.path()));
    let mut talk = server.session().await;
    while holding(&talk.hello).is_empty() {
        // Streams of the killed life may still arrive.
        talk = server.session().await;
    }
    assert_eq!(holding(&talk.hello), BTreeSet::from([1, 2]));
    let mut outputs = vec![success(&talk.result().await), success(&talk.result().await)];
    outputs.sort();
    assert_eq!(outputs, [None, Some(b"done\n".to_vec())]);
    worker.ended().await;
    assert_eq!(std::fs::metadata(&spool).expect("the spool").len(), 0);
}

#[tokio::test]
async fn running_and_waiting_work_is_named_again() {
    let Connected { dir: _dir, mut server, worker, mut talk } =
        connected(|settings| settings.slots = 1).await;
    let running = start(1, "sleep", r#"{"ms":3600000}"#);
    let waiting = start(2, "sleep", r#"{"ms":3600000}"#);
    talk.start(running.clone()).await;
    talk.start(waiting.clone()).await;
    talk.start(start(3, "noop", "")).await;
    talk.report_where(is_result).await;
    drop(talk);
    let mut talk = server.session().await;
    assert_eq!(holding(&talk.hello), BTreeSet::from([1, 2, 3]));
    assert_eq!(id(&talk.result().await), 3);
    talk.stop(&waiting, 0, "cancel").await;
    assert_eq!(id(&talk.result().await), 2);
    talk.stop(&running, 0, "hard_timeout").await;
    assert_eq!(failure(&talk.result().await).0, "timeout");
    worker.ended().await;
}

#[tokio::test]
async fn a_silent_server_is_left() {
    let Connected { dir: _dir, mut server, worker, talk: quiet } = connected(|_| ()).await;
    let second = server.session().await;
    assert_eq!((quiet.hello.session, second.hello.session), (1, 2));
    worker.ended().await;
}

#[tokio::test]
async fn a_number_that_a_copy_has_used_is_skipped() {
    let Connected { dir: _dir, mut server, worker, talk } = connected(|_| ()).await;
    assert_eq!(talk.hello.session, 1);
    let mut status = tonic::Status::failed_precondition("session 1 is not greater than 41");
    status.metadata_mut().insert(mainspring_proto::NEWEST_SESSION, 41.into());
    talk.refuse(status).await;
    assert_eq!(server.session().await.hello.session, 42);
    worker.ended().await;
}

#[tokio::test]
async fn leaving_waits_for_work_and_takes_nothing_new() {
    let Connected { dir, server: _server, mut worker, mut talk } = connected(|_| ()).await;
    let file = dir.path().join("go");
    let waits =
        format!(r#"{{"argv":["until [ -e {} ]; do sleep 0.01; done"],"shell":true}}"#, file.display());
    talk.start(start(1, "process", &waits)).await;
    talk.report_where(|what| matches!(what, What::Accepted(_))).await;
    worker.shut_down();
    while !talk.draining {
        assert!(talk.hear().await);
    }
    talk.start(start(2, "noop", "")).await;
    let refused = talk.report_where(|what| matches!(what, What::Refused(_))).await;
    assert_eq!(id(&refused), 2);
    std::fs::write(&file, "").expect("written");
    assert_eq!(success(&talk.result().await), None);
    while talk.hear().await {}
    worker.ended().await;
}

#[tokio::test]
async fn leaving_stops_what_does_not_end_and_keeps_its_result() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut server = Server::start();
    let mut settings = config(&server.url(), dir.path());
    settings.drain_deadline = std::time::Duration::from_millis(50);
    let worker = Worker::spawn(settings.clone());
    let mut talk = server.session().await;
    talk.start(start(1, "process", r#"{"argv":["sleep","3600"]}"#)).await;
    talk.report_where(|what| matches!(what, What::Accepted(_))).await;
    // Nobody acknowledges: the result must be found by the next life.
    drop(talk);
    server.vanish().await;
    worker.ended().await;
    let mut server = Server::start();
    settings.server = server.url();
    let worker = Worker::spawn(settings);
    let mut talk = server.session().await;
    let result = talk.result().await;
    assert_eq!(failure(&result), ("preempted", 143, "stopped: the worker is leaving"));
    worker.ended().await;
}

#[tokio::test]
async fn a_server_that_is_no_address_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    for bad in ["", "localhost", "ftp://x", "https://x", "http://"] {
        let ran = mainspring_agent::Agent::run(config(bad, dir.path()), std::future::ready(())).await;
        assert!(ran.is_err(), "{bad}");
    }
}
