//! The newest checkpoint of an attempt is told before its result, whatever happens to session and worker.

mod double;

use double::*;
use mainspring_proto::v1::report::What;
use serde_json::json;

const TWO_PAGES: &str = r#"
    cd "$MAINSPRING_CONTROL"
    echo "page 1" > next; mv next checkpoint; while [ -e checkpoint ]; do sleep 0.01; done
    echo "page 2" > next; mv next checkpoint; exit 1
"#;

#[tokio::test]
async fn one_that_is_written_right_before_the_end_is_told() {
    for kept in [false, true] {
        let Connected { dir: _dir, server: _server, worker, mut talk } = connected(|_| ()).await;
        talk.start(process(1, &json!({"argv": [TWO_PAGES], "shell": true, "keep": kept}))).await;
        let mut pages = Vec::new();
        let result = loop {
            match talk.report().await.what {
                Some(What::Checkpoint(bytes)) => pages.push(String::from_utf8(bytes).expect("text")),
                Some(What::Failure(failure)) => break failure,
                _ => {}
            }
        };
        assert_eq!(pages, ["page 1\n", "page 2\n"], "both, and before the failure");
        assert_eq!(result.code, 1);
        worker.ended().await;
    }
}

#[tokio::test]
async fn one_of_an_attempt_that_ended_without_a_server_is_told_later() {
    let Connected { dir, server, worker, mut talk } = connected(|_| ()).await;
    let go = dir.path().join("go");
    let text = format!("until [ -e {} ]; do sleep 0.01; done\n{TWO_PAGES}", go.display());
    talk.start(script(1, &text)).await;
    talk.report_where(|what| matches!(what, What::Accepted(_))).await;
    drop(talk);
    let address = server.vanish().await;
    std::fs::write(&go, "").expect("written");
    let spool = dir.path().join("spool");
    soon("the result on disk", async {
        while std::fs::metadata(&spool).map_or(0, |data| data.len()) == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;

    let mut server = Server::start_at(address);
    let mut talk = server.session().await;
    let first = talk.report().await;
    assert_eq!(first.what, Some(What::Checkpoint(b"page 2\n".to_vec())), "the newest");
    assert!(is_result(&talk.report().await.what.expect("a report")), "then the result");
    // Not acknowledged: the next life of the worker tells both again.
    worker.kill().await;
    drop(talk);
    let worker = Worker::spawn(config(&server.url(), dir.path()));
    let mut talk = server.session().await;
    while talk.hello.holding.is_empty() {
        talk = server.session().await;
    }
    assert_eq!(talk.report().await.what, Some(What::Checkpoint(b"page 2\n".to_vec())));
    talk.result().await;
    worker.ended().await;
    assert_eq!(std::fs::metadata(&spool).expect("the spool").len(), 0, "and then it is forgotten");
}
