//! Health, and what people read.

use mainspring_core::values::Millis;
use mainspring_runtime::ShardConfig;
use serde_json::json;

use crate::rig::Rig;
use crate::routes::concrete;

#[tokio::test(flavor = "multi_thread")]
async fn health_and_documents_are_served() {
    let rig = Rig::start().await;
    assert_eq!(rig.get("/healthz").await.status, 200);
    let ready = rig.get("/readyz").await;
    assert_eq!((ready.status, ready.json()["status"].as_str()), (200, Some("ready")));
    let document = rig.get("/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let page = rig.get("/docs").await;
    assert!(page.status == 200 && page.text.contains("openapi.json"));
    assert!(!page.text.contains("https://"), "nothing is fetched from elsewhere");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shard_without_progress_is_unhealthy_and_says_why() {
    let mut shard = ShardConfig { stuck_after: Millis::new(500), ..ShardConfig::default() };
    shard.engine.watch = true;
    let (rig, go_on) = Rig::start_stuck(shard).await;
    assert_eq!(rig.submit(r#"{"task_type":"noop"}"#).await.status, 202, "answered before its effects");
    for path in ["/healthz", "/readyz"] {
        let unhealthy = loop {
            let answer = rig.get(path).await;
            if answer.status != 200 {
                break answer;
            }
        };
        let code = unhealthy.json()["reasons"][0]["code"].clone();
        assert_eq!((unhealthy.status, code), (503, json!("shard_not_progressing")), "{path}");
    }
    drop(go_on);
    while rig.get("/healthz").await.status != 200 || rig.get("/readyz").await.status != 200 {}
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_names_every_route_and_every_route_is_in_it() {
    let rig = Rig::start().await;
    let document = rig.get("/openapi.json").await.json();
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.len() >= 18, "{}", paths.len());
    for (path, methods) in paths {
        // Without it the stream would not end.
        let span = if path == "/v1/events" { "?for_ms=1" } else { "" };
        let concrete = concrete(path) + span;
        for method in methods.as_object().expect("methods").keys() {
            let answer = rig.call(&method.to_uppercase(), &concrete, "").await;
            let code = if answer.status >= 400 { answer.code() } else { String::new() };
            assert!(code != "ROUTE_NOT_FOUND" && code != "METHOD_NOT_ALLOWED", "{method} {path}: {code}");
            let described = &methods[method]["responses"];
            let named = described.get(answer.status.to_string()).or_else(|| described.get("default"));
            assert!(named.is_some(), "{method} {path}: {} is not described", answer.status);
        }
    }
    rig.stop().await;
}
