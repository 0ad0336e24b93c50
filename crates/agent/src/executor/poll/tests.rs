//! Polls at real files and real sockets.

use std::io::{Read, Write};
use std::net::TcpListener;

use mainspring_core::values::{Bucket, Fence, Group, TaskId};
use tokio::sync::{mpsc, watch};

use super::*;
use crate::attempt::{Event, Key, Reporter, StopSignal};
use crate::config::AgentConfig;
use crate::guard::{Allowed, Guard};

fn attempt(payload: String, checkpoint: Option<Vec<u8>>) -> (Attempt, mpsc::UnboundedReceiver<Event>) {
    let key = Key { task: TaskId::new(1, Bucket::spread(Group::ZERO, 2), 3), fence: Fence::from_bits(7) };
    let (events, told) = mpsc::unbounded_channel();
    let attempt = Attempt {
        key,
        number: 1,
        tenant: "t".into(),
        job: "j".into(),
        payload: payload.into_bytes(),
        checkpoint,
        deadline_unix_ms: None,
        hard_timeout_ms: 0,
        grace: std::time::Duration::ZERO,
        devices: crate::devices::DeviceSet::default(),
        exclusive: false,
        memory_bytes: 0,
        cpu_milli: 0,
        secrets: crate::mask::Secrets::default(),
        stop: stop(),
        reporter: Reporter { key, events },
    };
    (attempt, told)
}

/// Nobody says stop.
fn stop() -> StopSignal {
    let (keep, signal) = watch::channel(None);
    std::mem::forget(keep);
    StopSignal(signal)
}

async fn once(payload: String, checkpoint: Option<Vec<u8>>) -> (Outcome, Option<Vec<u8>>) {
    let config = AgentConfig::new("http://127.0.0.1:1", "/nowhere");
    let loopback = "127.0.0.0/8".parse::<Allowed>().expect("a network");
    let poll = Poll::new(Http::new(&config, Guard::new(vec![loopback])));
    let (attempt, mut told) = attempt(payload, checkpoint);
    let outcome = poll.run(attempt).await;
    let saved = std::iter::from_fn(|| told.try_recv().ok()).find_map(|event| match event {
        Event::Checkpoint(_, bytes) => Some(bytes),
        _ => None,
    });
    (outcome, saved)
}

/// Answers as many calls as there are texts, then hears nobody any more.
fn answers(texts: &'static [&'static str]) -> String {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = socket.local_addr().expect("an address");
    std::thread::spawn(move || {
        for text in texts {
            let Ok((mut stream, _)) = socket.accept() else { return };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(text.as_bytes());
        }
    });
    format!("http://{address}/")
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nready";
const GONE: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn a_file_is_there_or_not_yet() {
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("ready");
    let payload = format!(r#"{{"file":{{"path":{path:?},"min_bytes":3}},"every_ms":500}}"#);
    let (outcome, saved) = once(payload.clone(), None).await;
    assert_eq!(outcome, Outcome::Deferred { after_ms: 500 });
    let since = saved.expect("when it polled first");
    std::fs::write(&path, "ab").expect("written");
    let (outcome, saved) = once(payload.clone(), Some(since.clone())).await;
    assert_eq!((outcome, saved), (Outcome::Deferred { after_ms: 500 }, None), "too small");
    std::fs::write(&path, "abc").expect("written");
    let (outcome, _) = once(payload, Some(since)).await;
    let Outcome::Success { output: Some(output) } = outcome else { panic!("{outcome:?}") };
    assert!(String::from_utf8_lossy(&output).contains(r#""bytes":3"#));
}

#[tokio::test]
async fn what_did_not_come_in_time_fails_for_good() {
    let payload = r#"{"file":{"path":"/nowhere/at/all"},"timeout_ms":1000}"#;
    let long_ago = (now_ms() - 1_000).to_be_bytes().to_vec();
    let (outcome, _) = once(payload.to_owned(), Some(long_ago)).await;
    assert_eq!(outcome, Outcome::permanent("it was not there within 1000 ms"));
    // The last poll is at the deadline, however long the pause is.
    let just_now = (now_ms() - 400).to_be_bytes().to_vec();
    let (outcome, _) = once(payload.to_owned(), Some(just_now)).await;
    assert!(matches!(outcome, Outcome::Deferred { after_ms: 100..=600 }), "{outcome:?}");
}

#[tokio::test]
async fn an_address_answers_as_it_should_or_not_yet() {
    let rows: [(&[&str], &str, bool); 6] = [
        (&[OK], "", true),
        (&[GONE], "", false),
        (&[GONE], r#","status":[404]"#, true),
        (&[OK], r#","status":[204]"#, false),
        (&[OK], r#","contains":"ready""#, true),
        (&[OK], r#","contains":"done""#, false),
    ];
    for (texts, more, there) in rows {
        let url = answers(texts);
        let (outcome, _) = once(format!(r#"{{"http":{{"url":"{url}"{more}}}}}"#), None).await;
        let seen = matches!(outcome, Outcome::Success { .. });
        let later = outcome == Outcome::Deferred { after_ms: EVERY_DEFAULT_MS };
        assert_eq!((seen, later), (there, !there), "{texts:?} {more}: {outcome:?}");
    }
}

#[tokio::test]
async fn one_that_nobody_serves_is_looked_at_again() {
    let url = answers(&[]);
    let (outcome, _) = once(format!(r#"{{"http":{{"url":"{url}"}}}}"#), None).await;
    assert_eq!(outcome, Outcome::Deferred { after_ms: EVERY_DEFAULT_MS });
}

#[tokio::test]
async fn what_can_never_be_looked_at_fails() {
    let rows = [
        (r#"{"http":{"url":"http://169.254.169.254/"}}"#, "169.254.169.254"),
        (r#"{"http":{"url":"ftp://x/"}}"#, "webhooks are http or https"),
        (r#"{"file":{"path":"relative"}}"#, "no absolute path"),
        ("{}", "needs one of"),
        ("nonsense", "not a payload of `poll`"),
    ];
    for (payload, why) in rows {
        let (outcome, _) = once(payload.to_owned(), None).await;
        let Outcome::Failure { message, .. } = &outcome else { panic!("{payload}: {outcome:?}") };
        assert!(message.contains(why), "{payload}: {message}");
    }
}
