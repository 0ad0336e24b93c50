//! Requests of any caller, through the router and into a real shard.
//! - no answer is a server error, save for "come back later"
//! - every refusal has a code, a message, an advice, and a page
//! - a task that was accepted can be read, with the payload it came with

use std::cell::RefCell;

use axum::body::Body;
use http::Request;
use mainspring_api::Problem;
use mainspring_core::decision::Rejection;
use serde_json::Value;

use super::server::{Answer, World};

/// Requests to one server.
const REQUESTS_MAX: u32 = 20_000;

const TASK: &str = "/v1/tasks/task_01990000000170008000000000000001";
const WORKER: &str = "/v1/workers/worker_01010101010101010101010101010101";

/// The first byte picks one.
const ROUTES: [(&str, &str); 20] = [
    ("POST", "/v1/tasks"),
    ("POST", "/v1/tasks:batch"),
    ("GET", "/v1/tasks"),
    ("GET", "/v1/dead-letters"),
    ("PATCH", TASK),
    ("GET", TASK),
    ("DELETE", TASK),
    ("POST", "{task}:retry"),
    ("POST", "{task}:force-state"),
    ("POST", "{task}:cancel"),
    ("POST", "{task}:run-now"),
    ("GET", "{task}/diagnosis"),
    ("GET", "/v1/workers"),
    ("POST", "{worker}:cordon"),
    ("POST", "{worker}:drain"),
    ("GET", "/v1/stats"),
    ("GET", "/docs/errors/"),
    ("PUT", "/v1/tasks"),
    ("GET", "/"),
    ("POST", "/v1/tasks/"),
];

thread_local! {
    static WORLD: RefCell<Option<(World, u32)>> = const { RefCell::new(None) };
}

/// `route · query · 0 · header · 0 · body`; a query goes behind the path, or into it.
pub fn run(bytes: &[u8]) {
    let Some((request, payload)) = request(bytes) else { return };
    WORLD.with_borrow_mut(|bucket| {
        let (world, used) = bucket.get_or_insert_with(|| (World::new(), 0));
        check(world, request, &payload);
        *used += 1;
        if *used >= REQUESTS_MAX {
            let (world, _) = bucket.take().expect("just used");
            *bucket = Some((World::open(world.close()), 0));
        }
    });
}

fn request(bytes: &[u8]) -> Option<(Request<Body>, Vec<u8>)> {
    let (route, rest) = bytes.split_first()?;
    let mut parts = rest.splitn(3, |byte| *byte == 0);
    let (tail, header, body) = (parts.next()?, parts.next()?, parts.next()?);
    let (method, path) = ROUTES[usize::from(*route) % ROUTES.len()];
    let path = path.replace("{task}", TASK).replace("{worker}", WORKER);
    let uri = [path.as_bytes(), tail].concat();
    let mut request = Request::builder().method(method).uri(uri.as_slice());
    if !header.is_empty() {
        let name = ["idempotency-key", "x-mainspring-tenant", "x-request-id"][usize::from(header[0]) % 3];
        request = request.header(name, &header[1..]);
    }
    // Uris and headers that are none do not reach us: the HTTP library refuses them.
    Some((request.body(Body::from(body.to_vec())).ok()?, body.to_vec()))
}

fn check(world: &World, request: Request<Body>, body: &[u8]) {
    let submits = request.method() == "POST" && request.uri().path() == "/v1/tasks";
    let what = format!("{} {}", request.method(), request.uri());
    let answer = world.call(request);
    let (status, json) = (answer.status, answer.json.as_ref());
    assert!(status < 500 || status == 503, "{what} was answered with {status}: {json:?}");
    if status >= 400 {
        refusal(json.unwrap_or(&Value::Null), &what);
    }
    if status == 202 && submits {
        accepted(world, json, body);
    }
    for result in json.and_then(|json| json["results"].as_array()).into_iter().flatten() {
        if result.get("error_code").is_some() {
            refusal(result, &what);
        } else {
            assert!(result["task_id"].is_string(), "{what}: {result}");
        }
    }
}

fn refusal(json: &Value, what: &str) {
    let code = json["error_code"].as_str().unwrap_or_default();
    let known = Rejection::CODES.contains(&code) || Problem::CODES.contains(&code);
    assert!(known, "{what} was refused with the code `{code}`, which has no page: {json}");
    assert!(code != "INTERNAL", "{what}: {json}");
    for field in ["message", "advice", "docs", "request_id"] {
        assert!(json[field].as_str().is_some_and(|text| !text.is_empty()), "{what}: no {field} in {json}");
    }
}

fn accepted(world: &World, json: Option<&Value>, body: &[u8]) {
    let id = json.and_then(|json| json["task_id"].as_str()).expect("an id");
    let Answer { status, json } = world.get(&format!("/v1/tasks/{id}"));
    assert_eq!(status, 200, "{id} was accepted and cannot be read");
    let sent: Value = serde_json::from_slice(body).expect("an accepted body is JSON");
    let stored = json.expect("a task is JSON");
    assert_eq!(stored["payload"], sent.get("payload").cloned().unwrap_or(Value::Null), "{id}");
}

pub fn corpus() -> Vec<Vec<u8>> {
    let full = r#"{"tenant":"acme","job":"mail","task_type":"http","payload":{"url":"https://example.com/x","body":{"a":[1,2.5,"é"]}},"priority":{"band":"P0","level":7},"delay_ms":5000,"retry_policy":{"max_retries":3,"backoff":"exponential","initial_delay_ms":100,"growth_percent":150,"max_delay_ms":60000,"jitter_percent":20,"retry_on":["transient"],"retry_on_codes":[503]},"timeouts":{"accept_ms":1000,"soft_ms":2000,"grace_ms":100},"timeout_ms":9000,"resources":{"cpu_milli":100,"memory_bytes":1048576,"custom":{"gpu":1}},"placement":{"worker_labels":["os=linux","tier!=spot","ssd"],"zone":"eu"},"pool":"default","labels":{"a":"b"},"delivery":"at_most_once","idempotency_key":"k-1"}"#;
    let process = r#"{"task_type":"process","payload":{"argv":["echo","hi"]},"scheduled_at":"2026-01-15T14:40:00Z","priority":"P2","retry_policy":{"delays_ms":[1,2,3]}}"#;
    let noop = r#"{"task_type":"NOOP","payload":null}"#;
    let sleep = r#"{"executor":"sleep","payload":{"ms":5},"scheduled_at":1799999999.5}"#;
    let batch = format!("[{noop},{process},{sleep}]");
    let lines = format!("{noop}\n{full}\n\n{sleep}\n");
    let query = "?tenant=a&job=b&state=FAILED,QUEUED&label=k%3Dv&ended_from=2026-01-01T00:00:00Z&ended_before=1799999999&limit=10&cursor=h20000.0000000000000000000000000000007f";
    let rows: [(u8, &str, &str, &str); 18] = [
        (0, "", "", full),
        (0, "", "\u{3}order-77", process),
        (0, "", "\u{4}tenant-b", noop),
        (0, "", "", sleep),
        (1, "", "", &batch),
        (1, "", "\u{3}batch-key", &lines),
        (2, query, "", ""),
        (2, "?cursor=m12&worker=worker_01010101010101010101010101010101&status=running", "", ""),
        (3, "?limit=1000", "", ""),
        (4, "", "", r#"{"scheduled_at":"2027-01-15T14:40:00Z","priority":"P0"}"#),
        (4, "", "", r#"{"delay_ms":100,"payload":{"a":1}}"#),
        (6, "?force=true", "", ""),
        (7, "", "", r#"{"actor":"me","reason":"because"}"#),
        (8, "", "", r#"{"state":"COMPLETED","actor":"me","reason":"because"}"#),
        (11, "", "", ""),
        (13, "", "", ""),
        (16, "QUEUE_FULL", "\u{5}req-1", ""),
        (18, "v1/%2e%2e/tasks;a=b//", "", ""),
    ];
    rows.iter()
        .map(|(route, tail, header, body)| {
            let mut bytes = vec![*route];
            bytes.extend_from_slice(tail.as_bytes());
            bytes.push(0);
            bytes.extend_from_slice(header.as_bytes());
            bytes.push(0);
            bytes.extend_from_slice(body.as_bytes());
            bytes
        })
        .collect()
}
