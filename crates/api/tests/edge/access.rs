//! Web pages of others: nothing they can make a browser send is taken, on any route.

use mainspring_proto::v1;
use mainspring_proto::v1::task_service_client::TaskServiceClient;
use tonic::transport::Endpoint;

use crate::grpc::{noop, reason};
use crate::rig::Rig;
use crate::routes;

/// A body that would be taken by `POST /v1/tasks`.
const TASK: &str = r#"{"task_type":"noop"}"#;
const SIMPLE: [&str; 3] =
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];

#[tokio::test(flavor = "multi_thread")]
async fn no_route_answers_a_page_of_another_site() {
    let rig = Rig::start().await;
    let hostile = [
        ([("host", "evil.example:7070"), ("x", "x")], "HOST_NOT_ALLOWED"),
        ([("origin", "http://evil.example"), ("x", "x")], "ORIGIN_NOT_ALLOWED"),
        ([("origin", "http://localhost:1"), ("x", "x")], "ORIGIN_NOT_ALLOWED"),
        ([("origin", "null"), ("x", "x")], "ORIGIN_NOT_ALLOWED"),
        ([("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")], "ORIGIN_NOT_ALLOWED"),
        ([("sec-fetch-site", "same-site"), ("sec-fetch-mode", "cors")], "ORIGIN_NOT_ALLOWED"),
    ];
    let more = ["/", "/nowhere", "//v1/tasks", "/v1/%ff"].map(|path| ("POST".to_owned(), path.to_owned()));
    let known = routes::rest().into_iter().map(|route| (route.method, route.path));
    for (method, path) in known.chain(more) {
        for (headers, code) in hostile {
            let body = if method == "GET" { "" } else { TASK };
            let answer = rig.call_with(&method, &path, body, &headers).await;
            assert_eq!((answer.status, answer.code().as_str()), (403, code), "{method} {path} {headers:?}");
        }
        let answer = rig.call_with("OPTIONS", &path, "", &[("origin", "http://evil.example")]).await;
        assert_eq!(answer.status, 403, "a browser that asks first is refused: {path}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{path}");
    }
    assert_eq!(rig.get("/v1/tasks").await.json()["tasks"].as_array().map(Vec::len), Some(0));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_route_reads_a_body_that_a_form_can_send() {
    let rig = Rig::start().await;
    for route in routes::rest().into_iter().filter(routes::Route::changes_something) {
        let (method, path) = (route.method.as_str(), route.path.as_str());
        for kind in SIMPLE {
            let answer = rig.call_with(method, path, TASK, &[("content-type", kind)]).await;
            let wanted = match path {
                "/v1/events" => (415, "EVENT_MEDIA_TYPE"),
                // Its signature counts, not its type.
                "/v1/webhooks/default" => (404, "WEBHOOK_NOT_FOUND"),
                _ => (415, "UNSUPPORTED_MEDIA_TYPE"),
            };
            assert_eq!((answer.status, answer.code().as_str()), wanted, "{method} {path} {kind}");
        }
    }
    let rows = [
        ("POST", "/v1/tasks", TASK, "application/json; charset=utf-8", 202),
        ("POST", "/v1/tasks", TASK, "Application/JSON", 202),
        ("POST", "/v1/tasks", TASK, "text/plain; application/json", 415),
        ("POST", "/v1/tasks", TASK, "application/jsonp", 415),
        ("POST", "/v1/tasks", TASK, "application/grpc", 415),
        ("POST", "/v1/tasks", TASK, "application/x-ndjson", 415),
        ("POST", "/v1/tasks", TASK, "", 415),
        ("POST", "/v1/tasks:batch", TASK, "application/x-ndjson", 202),
        ("POST", "/v1/jobs", "job: a\ntasks: { x: { noop: {} } }\n", "application/yaml", 200),
        ("POST", "/v1/jobs", "job: a\ntasks: { x: { noop: {} } }\n", "text/yaml", 415),
        ("POST", "/v1/jobs/a:trigger", "", "text/plain", 415),
        ("POST", "/v1/jobs/a:trigger", "", "application/json", 202),
    ];
    for (method, path, body, kind, status) in rows {
        let answer = rig.call_with(method, path, body, &[("content-type", kind)]).await;
        assert_eq!(answer.status, status, "{method} {path} {kind:?}: {}", answer.text);
    }
    let without = rig.call_untyped("POST", "/v1/tasks", TASK).await;
    assert_eq!((without.status, without.code().as_str()), (415, "UNSUPPORTED_MEDIA_TYPE"), "no type at all");
    let without = rig.call_untyped("POST", "/v1/events", "{}").await;
    assert_eq!((without.status, without.code().as_str()), (415, "EVENT_MEDIA_TYPE"), "no type at all");
    let empty = rig.call_untyped("POST", "/v1/jobs/a:trigger", "").await;
    assert_eq!(empty.status, 202, "nothing has no type: {}", empty.text);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_method_of_grpc_answers_a_page_of_another_site() {
    let rig = Rig::start().await;
    // A message without fields, which many methods would take.
    let message = "\0\0\0\0\0";
    for path in routes::grpc() {
        for kind in SIMPLE.into_iter().chain(["application/json", ""]) {
            let answer = rig.call_with("POST", &path, message, &[("content-type", kind)]).await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (415, "UNSUPPORTED_MEDIA_TYPE"),
                "{path} {kind}"
            );
        }
        for hostile in [("host", "evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")] {
            let headers = [("content-type", "application/grpc"), hostile];
            let answer = rig.call_with("POST", &path, message, &headers).await;
            let status = answer.headers.get("grpc-status").and_then(|value| value.to_str().ok());
            assert_eq!(status, Some("7"), "{path} {hostile:?}: permission denied");
        }
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_http2_counts_too() {
    let rig = Rig::start().await;
    for (origin, allowed) in [("http://evil.example", false), ("http://localhost:1", true)] {
        let endpoint = Endpoint::from_shared(format!("http://{}", rig.address)).expect("an address");
        let channel = endpoint.origin(origin.parse().expect("a uri")).connect().await.expect("connects");
        let request = v1::SubmitRequest { task: Some(noop()) };
        let answer = TaskServiceClient::new(channel).submit(request).await;
        match answer {
            Ok(_) => assert!(allowed, "{origin}"),
            Err(status) => {
                assert_eq!((reason(&status).as_str(), allowed), ("HOST_NOT_ALLOWED", false), "{status:?}");
            }
        }
    }
    rig.stop().await;
}
