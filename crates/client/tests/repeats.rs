//! What the client sends again, and with what, against a server that drops connections.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use mainspring_client::operations::{self, ListJobsQuery};
use mainspring_client::types::OverrideBody;
use mainspring_client::{Client, ClientError};
use serde_json::json;

/// What the server does with a connection.
enum Deed {
    /// Reads the request and closes.
    Drop,
    /// Answers half of what it promises, and closes.
    Half,
    /// Status line and headers, and a body.
    Answer(&'static str, &'static str),
}

/// A server that does these, one a connection; the heads of the requests that came.
fn server(deeds: Vec<Deed>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("bound"));
    let (heads, seen) = channel();
    std::thread::spawn(move || {
        for deed in deeds {
            let (mut stream, _) = listener.accept().expect("a connection");
            heads.send(head(&mut stream)).expect("somebody looks");
            let sent = match deed {
                Deed::Drop => String::new(),
                Deed::Half => "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{".to_owned(),
                Deed::Answer(first, body) => format!(
                    "HTTP/1.1 {first}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                ),
            };
            stream.write_all(sent.as_bytes()).expect("written");
        }
    });
    (address, seen)
}

/// All of a request: its head, and as much body as it promises.
fn head(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut byte = [0];
    while !text.ends_with("\r\n\r\n") && stream.read(&mut byte).expect("read") == 1 {
        text.push(char::from(byte[0]));
    }
    let length = field(&text, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    stream.read_exact(&mut vec![0; length]).expect("the body");
    text
}

fn field(head: &str, name: &str) -> Option<String> {
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_under_the_same_key() {
    let (address, seen) =
        server(vec![Deed::Drop, Deed::Half, Deed::Answer("200 OK", r#"{"run_id":"run_1"}"#)]);
    let client = Client::new(&address).expect("an address");
    let answer = client.post("/v1/jobs/etl:trigger", &json!({})).await.expect("the third answer");
    assert_eq!(answer["run_id"], "run_1");
    let keys: Vec<String> = seen.iter().filter_map(|head| field(&head, "idempotency-key")).collect();
    assert_eq!(keys.len(), 3, "every try has a key");
    assert!(keys.iter().all(|key| *key == keys[0]), "and it is the same: {keys:?}");
}

#[tokio::test]
async fn two_requests_have_two_keys() {
    let (address, seen) = server(vec![Deed::Answer("200 OK", "{}"), Deed::Answer("200 OK", "{}")]);
    let client = Client::new(&address).expect("an address");
    client.post("/v1/jobs/etl:pause", &json!({})).await.expect("an answer");
    client.clone().delete("/v1/jobs/etl").await.expect("an answer");
    let keys: Vec<String> = seen.iter().filter_map(|head| field(&head, "idempotency-key")).collect();
    assert!(keys.len() == 2 && keys[0] != keys[1], "{keys:?}");
}

#[tokio::test]
async fn a_server_that_is_busy_is_asked_again_and_one_that_refuses_is_not() {
    let busy = "503 Service Unavailable";
    let (address, seen) = server(vec![
        Deed::Answer(busy, r#"{"error_code":"STORE_BEHIND","retry_after_ms":1}"#),
        Deed::Answer("200 OK", "{}"),
        Deed::Answer("409 Conflict", r#"{"error_code":"IDEMPOTENCY_KEY_REUSED","message":"another body"}"#),
    ]);
    let client = Client::new(&address).expect("an address");
    client.post("/v1/tasks/x:retry", &json!({})).await.expect("the second answer");
    let refused = client.post("/v1/tasks/x:retry", &json!({})).await.expect_err("refused");
    assert_eq!(refused.code(), Some("IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(seen.iter().count(), 3);
}

#[tokio::test]
async fn what_has_no_key_is_sent_once() {
    let (address, seen) = server(vec![Deed::Drop]);
    let client = Client::new(&address).expect("an address");
    let lost = client.call(http::Method::POST, "/v1/tasks", Some(&json!({})), &[]).await;
    assert!(matches!(lost, Err(ClientError::BrokenOff { .. })), "{lost:?}");
    assert_eq!(seen.iter().count(), 1);
}

#[tokio::test]
async fn the_greatest_record_that_was_seen_is_sent_with_every_request() {
    let (address, seen) = server(vec![
        Deed::Answer("200 OK\r\nmainspring-record: 7", "{}"),
        Deed::Answer("200 OK\r\nmainspring-record: 5", "{}"),
        Deed::Answer("200 OK\r\nmainspring-record: nonsense", "{}"),
        Deed::Answer("404 Not Found\r\nmainspring-record: 9", "{}"),
        Deed::Answer("200 OK", "{}"),
    ]);
    let client = Client::new(&address).expect("an address");
    for _ in 0..3 {
        client.get("/v1/jobs").await.expect("an answer");
    }
    client.clone().get("/v1/jobs/none").await.expect_err("refused");
    client.get("/v1/jobs").await.expect("an answer");
    let records: Vec<Option<String>> = seen.iter().map(|head| field(&head, "mainspring-record")).collect();
    let records: Vec<Option<&str>> = records.iter().map(Option::as_deref).collect();
    assert_eq!(
        records,
        [None, Some("7"), Some("7"), Some("7"), Some("9")],
        "a refusal counts, too, and copies share it"
    );
}

#[tokio::test]
async fn a_typed_call_has_a_key_and_its_answer_has_fields() {
    let done = r#"{"run_id":"run_1","state":"running","message":"paused","surprise":true}"#;
    let (address, seen) = server(vec![
        Deed::Drop,
        Deed::Answer("200 OK", done),
        Deed::Answer("200 OK", done),
        Deed::Answer("200 OK", r#"{"runs":[]}"#),
    ]);
    let client = Client::new(&address).expect("an address");
    let body = OverrideBody { reason: Some("late".to_owned()), ..OverrideBody::default() };
    let answer = client.send(operations::pause_run("run_1", Some(&body))).await.expect("the second answer");
    assert_eq!((answer.run_id.as_str(), answer.json()["surprise"] == true), ("run_1", true));
    client.send(operations::pause_run("run_1", None).with_key("mine")).await.expect("an answer");
    let wrong =
        client.send(operations::list_jobs(&ListJobsQuery::default())).await.expect_err("no jobs in it");
    assert!(matches!(wrong, ClientError::BadAnswer { .. }), "{wrong:?}");
    let keys: Vec<Option<String>> = seen.iter().map(|head| field(&head, "idempotency-key")).collect();
    assert!(keys[0].is_some() && keys[0] == keys[1], "the same key again: {keys:?}");
    assert_eq!((keys[2].as_deref(), keys[3].as_deref()), (Some("mine"), None), "a read has none");
}
