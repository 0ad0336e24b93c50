//! Events from outside over HTTP: all forms of them, once each, and what triggers make of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use mainspring_api::{ApiConfig, Scheme, Webhook, Webhooks};
use mainspring_core::values::Name;
use mainspring_runtime::ShardConfig;
use serde_json::{Value, json};

use crate::rig::{Answered, Rig};

const JOB: &str = r#"
job: orders
parameters: { amount: { type: number, default: 0 }, note: "" }
triggers:
  - { name: big, event: { type: "com.example.order.*" }, if: event.data.amount > 10,
      parameters: { amount: "{{ event.data.amount }}", note: "order {{ event.id }}" } }
  - { name: hook, webhook: shop }
  - { name: pushed, webhook: code, if: event.type == "github.push", parameters: { note: "{{ event.data.ref }}" } }
tasks: { x: { noop: {} } }
"#;
const STRUCTURED: &str = "application/cloudevents+json";
const BATCH: &str = "application/cloudevents-batch+json";
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const PLAIN_SECRET: &str = "a-secret-of-twenty-three";

async fn with_job() -> Rig {
    let webhook = |scheme: Scheme, secret: &str| {
        let secrets = vec![scheme.secret(secret).expect("a secret")];
        Webhook { tenant: Name::fixed("default"), scheme, secrets }
    };
    let webhooks = Webhooks(BTreeMap::from([
        ("shop".to_owned(), webhook(Scheme::Standard, SECRET)),
        ("code".to_owned(), webhook(Scheme::GitHub, PLAIN_SECRET)),
    ]));
    let dir = tempfile::tempdir().expect("a directory");
    let rig = Rig::start_listening(dir, ApiConfig::default(), ShardConfig::default(), webhooks).await;
    let applied = rig.call("POST", "/v1/jobs", JOB).await;
    assert_eq!(applied.status, 200, "{}", applied.text);
    rig
}

fn event(id: &str, amount: u32) -> Value {
    json!({
        "specversion": "1.0", "id": id, "source": "/shop", "type": "com.example.order.created",
        "subject": "order", "time": "2026-11-16T09:00:00Z", "data": {"amount": amount},
    })
}

async fn post(rig: &Rig, kind: &str, body: &Value) -> Answered {
    rig.call_with("POST", "/v1/events", &body.to_string(), &[("content-type", kind)]).await
}

#[track_caller]
fn results(answer: &Answered) -> Vec<Value> {
    assert_eq!(answer.status, 202, "{}", answer.text);
    answer.json()["results"].as_array().cloned().expect("results")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_begins_a_run_that_shows_it_and_comes_once() {
    let rig = with_job().await;
    let first = results(&post(&rig, STRUCTURED, &event("1", 12)).await).remove(0);
    assert_eq!((&first["id"], &first["duplicate"]), (&json!("1"), &json!(false)), "{first:#}");
    assert_eq!((&first["runs"][0]["job"], &first["runs"][0]["trigger"]), (&json!("orders"), &json!("big")));
    let id = first["runs"][0]["run_id"].as_str().expect("a run");
    let run = rig.get(&format!("/v1/runs/{id}")).await.json();
    assert_eq!((&run["trigger"], &run["event"]["trigger"]), (&json!("event"), &json!("big")), "{run:#}");
    assert_eq!(
        (&run["event"]["type"], &run["event"]["data"]["amount"]),
        (&json!("com.example.order.created"), &json!(12))
    );
    assert_eq!(run["parameters"], json!({"amount": 12, "note": "order 1"}));
    // Whatever else it says, it is the same event.
    let again = results(&post(&rig, "application/json", &event("1", 99)).await).remove(0);
    assert_eq!((&again["duplicate"], &again["runs"]), (&json!(true), &first["runs"]), "{again:#}");
    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    let again = results(&post(&rig, STRUCTURED, &event("1", 12)).await).remove(0);
    assert_eq!((&again["duplicate"], &again["runs"]), (&json!(true), &first["runs"]), "after a restart");
    let trigger = rig.get("/v1/triggers/orders/big").await.json();
    assert_eq!((&trigger["fired"], &trigger["active"]), (&json!(1), &json!(1)), "{trigger:#}");
    assert_eq!(trigger["last_fired"]["event_id"], "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_and_errors_are_told() {
    let rig = with_job().await;
    let small = results(&post(&rig, STRUCTURED, &event("1", 3)).await).remove(0);
    assert_eq!((&small["runs"], &small["errors"]), (&json!([]), &json!([])));
    let mut odd = event("2", 3);
    odd["data"] = json!({"sum": 3});
    let odd = results(&post(&rig, STRUCTURED, &odd).await).remove(0);
    assert!(odd["errors"][0]["what"].as_str().is_some_and(|what| what.contains("condition")), "{odd:#}");
    let trigger = rig.get("/v1/triggers/orders/big").await.json();
    assert_eq!((&trigger["fired"], &trigger["errors"]), (&json!(0), &json!(1)));
    assert_eq!(trigger["last_error"]["what"], odd["errors"][0]["what"]);
    let listed = rig.get("/v1/triggers?job=orders&limit=1").await.json();
    assert_eq!(listed["triggers"][0]["name"], "big");
    let next = listed["next_cursor"].as_str().expect("a second page");
    let listed = rig.get(&format!("/v1/triggers?job=orders&limit=2&cursor={next}")).await.json();
    assert_eq!((&listed["triggers"][0]["webhook"], listed.get("next_cursor")), (&json!("shop"), None));
    let missing = rig.get("/v1/triggers/orders/none").await;
    assert_eq!((missing.status, missing.code().as_str()), (404, "TRIGGER_NOT_FOUND"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_and_a_binary_event_are_taken() {
    let rig = with_job().await;
    let batch = json!([event("1", 12), event("2", 3), event("1", 12)]);
    let results_of_batch = results(&post(&rig, BATCH, &batch).await);
    let told: Vec<(bool, usize)> = results_of_batch
        .iter()
        .map(|one| (one["duplicate"] == true, one["runs"].as_array().map_or(0, Vec::len)))
        .collect();
    assert_eq!(told, [(false, 1), (false, 0), (true, 1)]);
    let headers = [
        ("ce-specversion", "1.0"),
        ("ce-id", "b%201"),
        ("ce-source", "/shop"),
        ("ce-type", "com.example.order.created"),
        ("content-type", "application/json"),
    ];
    let binary = rig.call_with("POST", "/v1/events", r#"{"amount": 20}"#, &headers).await;
    let binary = results(&binary).remove(0);
    assert_eq!(binary["id"], "b 1", "{binary:#}");
    let run =
        rig.get(&format!("/v1/runs/{}", binary["runs"][0]["run_id"].as_str().unwrap_or_default())).await;
    assert_eq!(run.json()["parameters"]["note"], "order b 1");
    assert_eq!(results(&post(&rig, BATCH, &json!([])).await), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_event_is_refused_by_name() {
    let rig = with_job().await;
    let without = |name: &str| {
        let mut event = event("1", 12);
        event.as_object_mut().expect("an object").remove(name);
        event
    };
    let with = |name: &str, value: Value| {
        let mut event = event("1", 12);
        event[name] = value;
        event
    };
    let many: Vec<Value> = (0..101).map(|id| event(&id.to_string(), 1)).collect();
    let rows = [
        (STRUCTURED, without("id"), 400, "EVENT_INVALID"),
        (STRUCTURED, without("specversion"), 400, "EVENT_INVALID"),
        (STRUCTURED, with("specversion", json!("0.3")), 400, "EVENT_INVALID"),
        (STRUCTURED, with("source", json!("")), 400, "EVENT_INVALID"),
        (STRUCTURED, with("id", json!(7)), 400, "EVENT_INVALID"),
        (STRUCTURED, with("id", json!("x".repeat(257))), 400, "EVENT_INVALID"),
        (STRUCTURED, with("time", json!("yesterday")), 400, "EVENT_INVALID"),
        (STRUCTURED, with("data_base64", json!("AA==")), 400, "EVENT_INVALID"),
        (STRUCTURED, with("type", json!("mainspring.run.succeeded")), 422, "EVENT_RESERVED"),
        (STRUCTURED, with("source", json!("/webhooks/shop")), 422, "EVENT_RESERVED"),
        (STRUCTURED, with("data", json!("x".repeat(300 << 10))), 413, "BODY_TOO_LARGE"),
        (STRUCTURED, json!([event("1", 1)]), 400, "EVENT_INVALID"),
        (BATCH, event("1", 1), 400, "EVENT_INVALID"),
        (BATCH, json!(many), 413, "EVENT_BATCH_TOO_LONG"),
        (BATCH, json!([event("1", 1), without("type")]), 400, "EVENT_INVALID"),
        ("text/csv", event("1", 1), 415, "EVENT_MEDIA_TYPE"),
    ];
    for (kind, body, status, code) in rows {
        let answer = post(&rig, kind, &body).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{} for {kind}", answer.text);
    }
    let none = rig.get("/v1/triggers/orders/big").await.json();
    assert_eq!((&none["fired"], &none["errors"]), (&json!(0), &json!(0)), "nothing of it was taken");
}

fn signed(id: &str, body: &str, seconds: i64, secret: &str) -> [(&'static str, String); 3] {
    let key = BASE64_STANDARD.decode(secret.trim_start_matches("whsec_")).expect("base64");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let tag = hmac::sign(&key, format!("{id}.{seconds}.{body}").as_bytes());
    let signature = format!("v1,{}", BASE64_STANDARD.encode(tag));
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", signature),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_taken_only_with_a_signature() {
    let rig = with_job().await;
    let now = jiff::Timestamp::now().as_second();
    let body = r#"{"type": "order.paid", "n": 1}"#;
    let other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    let rows = [
        ("no such webhook", "/v1/webhooks/none", signed("m1", body, now, SECRET), 404, "WEBHOOK_NOT_FOUND"),
        (
            "another secret",
            "/v1/webhooks/shop",
            signed("m1", body, now, other),
            401,
            "WEBHOOK_SIGNATURE_INVALID",
        ),
        (
            "another body",
            "/v1/webhooks/shop",
            signed("m1", "{}", now, SECRET),
            401,
            "WEBHOOK_SIGNATURE_INVALID",
        ),
        (
            "long ago",
            "/v1/webhooks/shop",
            signed("m1", body, now - 400, SECRET),
            401,
            "WEBHOOK_TIMESTAMP_INVALID",
        ),
    ];
    for (name, path, headers, status, code) in rows {
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let answer = rig.call_with("POST", path, body, &headers).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{name}: {}", answer.text);
    }
    let headers = signed("m1", body, now, SECRET);
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let taken = results(&rig.call_with("POST", "/v1/webhooks/shop", body, &headers).await).remove(0);
    assert_eq!(taken["runs"][0]["trigger"], "hook", "{taken:#}");
    let run = rig.get(&format!("/v1/runs/{}", taken["runs"][0]["run_id"].as_str().unwrap_or_default())).await;
    let run = run.json();
    assert_eq!(
        (&run["event"]["type"], &run["event"]["source"]),
        (&json!("order.paid"), &json!("/webhooks/shop"))
    );
    let again = results(&rig.call_with("POST", "/v1/webhooks/shop", body, &headers).await).remove(0);
    assert_eq!(again["duplicate"], true, "a call that is sent again is known");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_of_github_says_what_it_is_in_its_headers() {
    let rig = with_job().await;
    let body = r#"{"ref": "refs/heads/main"}"#;
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, PLAIN_SECRET.as_bytes()), body.as_bytes());
    let mut signature = "sha256=".to_owned();
    for byte in tag.as_ref() {
        write!(signature, "{byte:02x}").expect("a string");
    }
    let call = async |event: &str, id: &str, signature: &str| {
        let headers =
            [("x-hub-signature-256", signature), ("x-github-event", event), ("x-github-delivery", id)];
        rig.call_with("POST", "/v1/webhooks/code", body, &headers).await
    };
    let refused = call("push", "d1", &signature.replace("sha256", "sha1")).await;
    assert_eq!((refused.status, refused.code().as_str()), (401, "WEBHOOK_SIGNATURE_INVALID"));
    let taken = results(&call("push", "d1", &signature).await).remove(0);
    assert_eq!(taken["runs"][0]["trigger"], "pushed", "{taken:#}");
    let run = rig.get(&format!("/v1/runs/{}", taken["runs"][0]["run_id"].as_str().unwrap_or_default())).await;
    let run = run.json();
    assert_eq!(
        (&run["event"]["type"], &run["event"]["id"]),
        (&json!("github.push"), &json!("d1")),
        "{run:#}"
    );
    assert_eq!(run["parameters"]["note"], "refs/heads/main");
    assert_eq!(results(&call("push", "d1", &signature).await)[0]["duplicate"], true, "delivered again");
    let ping = results(&call("ping", "d2", &signature).await).remove(0);
    assert_eq!((&ping["runs"], &ping["duplicate"]), (&json!([]), &json!(false)), "{ping:#}");
    // Without an id each call is an event of its own.
    let headers = [("x-hub-signature-256", signature.as_str()), ("x-github-event", "push")];
    for _ in 0..2 {
        let taken = results(&rig.call_with("POST", "/v1/webhooks/code", body, &headers).await).remove(0);
        assert_eq!(taken["runs"].as_array().map(Vec::len), Some(1), "{taken:#}");
    }
}
