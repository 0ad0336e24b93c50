//! Webhooks as tasks: a local target on one side, a server double on the other.

mod double;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use double::*;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use mainspring_agent::{AddressRange, AgentConfig};
use mainspring_proto::v1::report::What;
use serde_json::{Value, json};
use tokio::net::TcpListener;

type Seen = Arc<Mutex<Vec<(http::request::Parts, Bytes)>>>;

/// Answers as the path asks it to, and remembers what it was asked.
async fn target() -> (SocketAddr, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address");
    let address = listener.local_addr().expect("an address");
    let seen = Seen::default();
    let memory = seen.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let memory = memory.clone();
            let service = service_fn(move |request| answer(request, memory.clone()));
            tokio::spawn(async move {
                let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
                // A caller may hang up in the middle of an answer.
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    (address, seen)
}

async fn answer(request: Request<Incoming>, seen: Seen) -> io::Result<Response<Full<Bytes>>> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let path = parts.uri.path().to_owned();
    seen.lock().expect("no panic").push((parts, body));
    let builder = Response::builder();
    let response = match path.as_str() {
        "/never" => std::future::pending().await,
        // An error ends the connection without an answer.
        "/drop" => return Err(io::ErrorKind::ConnectionAborted.into()),
        "/big" => builder.body(Full::new(Bytes::from(vec![b'x'; 1_000_000]))),
        "/text" => builder.body("plain".into()),
        "/moved" => builder.status(302).header("location", "/text").body("".into()),
        _ => match path.trim_start_matches('/').parse::<u16>() {
            Ok(status) => builder.status(status).body("because".into()),
            Err(_) => builder.body(r#"{"ok":true}"#.into()),
        },
    };
    Ok(response.expect("a response"))
}

fn is_unknown(report: &mainspring_proto::v1::Report) -> bool {
    matches!(&report.what, Some(What::Failure(failure)) if failure.outcome_unknown)
}

struct Bench {
    talk: Talk,
    worker: Worker,
    target: SocketAddr,
    seen: Seen,
    _server: Server,
    _dir: tempfile::TempDir,
}

async fn bench(change: impl FnOnce(&mut AgentConfig)) -> Bench {
    let (target, seen) = target().await;
    let connected = connected(|settings| {
        settings.allow = AddressRange::loopback();
        change(settings);
    });
    let Connected { dir, server, worker, talk } = connected.await;
    Bench { talk, worker, target, seen, _server: server, _dir: dir }
}

impl Bench {
    async fn call(&mut self, number: u128, payload: Value) -> mainspring_proto::v1::Report {
        self.talk.start(start(number, "http", &payload.to_string())).await;
        self.talk.result().await
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.target)
    }
}

#[tokio::test]
async fn a_call_carries_the_attempt_and_a_signature() {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let mut bench = bench(|settings| settings.webhook_secret = secret.parse().ok()).await;
    let url = bench.url("/hook?x=1");
    let result =
        bench.call(9, json!({"url": url, "headers": {"x-own": "yes"}, "body": "exactly this"})).await;
    let output: Value = serde_json::from_slice(&success(&result).expect("an output")).expect("JSON");
    assert_eq!(output, json!({"status": 200, "body": {"ok": true}}));
    let (parts, body) = bench.seen.lock().expect("no panic").pop().expect("a call");
    assert_eq!((parts.method.as_str(), parts.uri.to_string().as_str()), ("POST", "/hook?x=1"));
    assert_eq!(body, "exactly this");
    let task = "task_00000000000000000000000000000009";
    for (name, value) in [
        ("idempotency-key", task),
        ("webhook-id", task),
        ("mainspring-attempt", "1"),
        ("x-own", "yes"),
        ("host", &bench.target.to_string()),
    ] {
        assert_eq!(parts.headers[name], value, "{name}");
    }
    let signature = parts.headers["webhook-signature"].to_str().expect("text");
    assert!(signature.starts_with("v1,") && signature.len() == 47, "{signature}");
    bench.worker.ended().await;
}

#[tokio::test]
async fn answers_have_their_class() {
    let mut bench = bench(|settings| settings.response_bytes_max = 1000).await;
    let rows = [
        ("/404", "permanent", 404, "the target answered 404 Not Found\nbecause"),
        ("/429", "transient", 429, "the target answered 429 Too Many Requests\nbecause"),
        ("/503", "transient", 503, "the target answered 503 Service Unavailable\nbecause"),
        ("/moved", "permanent", 302, "the target answered 302 Found"),
        ("/never", "timeout", 0, "no answer within 300 ms"),
        ("/drop", "transient", 0, "the call failed: connection closed before message completed"),
    ];
    for (number, (path, class, code, message)) in rows.into_iter().enumerate() {
        let url = bench.url(path);
        let result = bench.call(number as u128, json!({"url": url, "timeout_ms": 300})).await;
        assert_eq!(failure(&result), (class, code, message), "{path}");
        assert_eq!(is_unknown(&result), code == 0, "{path}: only an answer tells what the target did");
    }
    assert_eq!(bench.seen.lock().expect("no panic").len(), 6, "the redirect was not followed");

    let url = bench.url("/big");
    let result = bench.call(50, json!({"url": url, "method": "GET"})).await;
    let output: Value = serde_json::from_slice(&success(&result).expect("an output")).expect("JSON");
    assert_eq!(output, json!({"status": 200, "body": "x".repeat(1000), "truncated": true}));
    let url = bench.url("/text");
    let result = bench.call(51, json!({"url": url})).await;
    let output: Value = serde_json::from_slice(&success(&result).expect("an output")).expect("JSON");
    assert_eq!(output, json!({"status": 200, "body": "plain"}));

    // Nobody listens on a port that was just given back.
    let free = TcpListener::bind("127.0.0.1:0").await.expect("an address").local_addr().expect("an address");
    let result = bench.call(52, json!({"url": format!("http://{free}/")})).await;
    assert_eq!(failure(&result).0, "transient");
    assert!(!is_unknown(&result), "it certainly did not arrive");
    bench.worker.ended().await;
}

#[tokio::test]
async fn a_call_can_be_stopped() {
    let mut bench = bench(|_| ()).await;
    let order = start(1, "http", &json!({"url": bench.url("/never")}).to_string());
    bench.talk.start(order.clone()).await;
    soon("the call", async {
        while bench.seen.lock().expect("no panic").is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    bench.talk.stop(&order, 1000, "cancel").await;
    let result = bench.talk.result().await;
    assert_eq!((failure(&result), is_unknown(&result)), (("cancelled", 0, "stopped: cancel"), true));
    bench.worker.ended().await;
}

#[tokio::test]
async fn forbidden_places_are_not_reached() {
    let mut bench = bench(|settings| settings.allow = Vec::new()).await;
    let port = bench.target.port();
    let hosts =
        ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0", "127.1"];
    for (number, host) in hosts.into_iter().enumerate() {
        for scheme in ["http", "https"] {
            let number = number * 2 + usize::from(scheme == "https");
            let result =
                bench.call(number as u128, json!({"url": format!("{scheme}://{host}:{port}/")})).await;
            let (class, _, message) = failure(&result);
            assert_eq!(class, "permanent", "{scheme} {host}: {message}");
            assert!(message.contains("which webhooks may not reach"), "{scheme} {host}: {message}");
        }
    }
    assert!(bench.seen.lock().expect("no panic").is_empty());
    bench.worker.ended().await;
}
