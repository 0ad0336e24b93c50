//! A server with a token: nothing but health and signed calls is answered without it, however it is asked.

use mainspring_api::{Access, Webhooks};
use mainspring_proto::v1;
use tonic::Code;

use crate::grpc::{Clients, noop, reason, with_metadata};
use crate::rig::Rig;
use crate::routes;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const GOOD: (&str, &str) = ("authorization", "Bearer 0123456789abcdef0123456789abcdef");
/// Those that need none.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/v1/webhooks/{name}"];

async fn rig() -> Rig {
    let access = Access { token: TOKEN.parse().ok(), ..Access::default() };
    Rig::start_guarded(access, Webhooks::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_wants_the_token() {
    let rig = rig().await;
    // Unsigned: {"alg":"none"}.
    let none = "Bearer eyJhbGciOiJub25lIn0.e30.";
    let bad = [
        None,
        Some(""),
        Some("Bearer"),
        Some("Bearer "),
        Some("Bearer nothing"),
        Some(none),
        Some("Bearer fedcba9876543210fedcba9876543210"),
        Some("Bearer 0123456789abcdef0123456789abcde"),
        Some("Basic 0123456789abcdef0123456789abcdef"),
        Some(TOKEN),
        Some("Bearer null"),
    ];
    for route in routes::rest() {
        let (method, path) = (route.method.as_str(), route.path.as_str());
        let body = if method == "GET" { "" } else { "{}" };
        let open = OPEN.contains(&route.template.as_str());
        for value in bad {
            let headers: Vec<_> = value.map(|value| ("authorization", value)).into_iter().collect();
            let answer = rig.call_with(method, path, body, &headers).await;
            assert_eq!(answer.status == 401, !open, "{method} {path} {value:?}: {}", answer.text);
            if !open {
                assert_eq!(answer.code(), "UNAUTHENTICATED");
                assert!(
                    answer.headers["www-authenticate"].to_str().is_ok_and(|how| how.starts_with("Bearer"))
                );
            }
        }
        let answer = rig.call_with(method, path, body, &[GOOD]).await;
        assert_ne!(answer.status, 401, "{method} {path} with the token: {}", answer.text);
    }
    rig.stop().await;
}

/// Ways to write a path that a check of texts would take for an open one, or would not know.
#[tokio::test(flavor = "multi_thread")]
async fn no_spelling_of_a_path_leads_around_the_token() {
    let rig = rig().await;
    let mut tried = 0;
    for route in routes::rest() {
        let path = route.path.split('?').next().unwrap_or_default();
        let open = OPEN.contains(&route.template.as_str());
        let (head, last) = path.rsplit_once('/').expect("a path");
        let encoded: String =
            path.bytes().map(|byte| if byte == b'/' { "/".into() } else { format!("%{byte:02x}") }).collect();
        let spelled = [
            format!("/{path}"),
            format!("{path}/"),
            format!("{head}//{last}"),
            format!("/healthz/..{path}"),
            format!("/healthz/%2e%2e{path}"),
            format!("/v1/webhooks/../..{path}"),
            format!("/v1/webhooks/default{path}"),
            format!("/v1/webhooks/%2e%2e%2f{last}/x"),
            format!("{path};a=b"),
            format!("{path}/healthz"),
            format!("{path}%00/healthz"),
            format!("{path}%2fhealthz"),
            format!("{path}.json"),
            path.to_uppercase(),
            encoded,
        ];
        for spelled in spelled {
            let answer = rig.call_with(&route.method, &spelled, "", &[]).await;
            let refused = answer.status == 401 && answer.code() == "UNAUTHENTICATED";
            // A webhook may have any name: its signature is what counts.
            let named = open && spelled.starts_with("/v1/webhooks/") && answer.code() == "WEBHOOK_NOT_FOUND";
            assert!(refused || named, "{} {spelled}: {} {}", route.method, answer.status, answer.text);
            tried += 1;
        }
    }
    for path in ["/", "/nowhere", "/healthz?x=/v1/tasks", "/docs/../v1/tasks"] {
        let answer = rig.call_with("GET", path, "", &[]).await;
        assert_eq!(answer.status == 401, !path.starts_with("/healthz"), "{path}: {}", answer.text);
    }
    assert!(tried > 1_000, "{tried}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_method_of_grpc_wants_the_token() {
    let rig = rig().await;
    let status = |answer: &crate::rig::Answered| {
        answer.headers.get("grpc-status").and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let kind = ("content-type", "application/grpc");
    for path in routes::grpc() {
        for bad in ["", "Bearer nothing", TOKEN] {
            let headers = [kind, ("authorization", bad)];
            let answer = rig.call_with("POST", &path, "\0\0\0\0\0", &headers).await;
            assert_eq!(status(&answer).as_deref(), Some("16"), "{path} {bad:?}: unauthenticated");
        }
        let answer = rig.call_with("POST", &path, "", &[GOOD, ("content-type", "text/plain")]).await;
        assert_eq!(answer.status, 415, "{path} with the token: {}", answer.text);
    }
    let submit = v1::SubmitRequest { task: Some(noop()) };
    let mut grpc = Clients::of(&rig).await;
    assert!(grpc.tasks.submit(with_metadata(submit.clone(), &[GOOD])).await.is_ok());
    let refused = grpc.tasks.submit(submit).await.expect_err("without the token");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unauthenticated, "UNAUTHENTICATED"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_shows_the_token_once() {
    let rig = rig().await;
    for body in [r#"{"token":"nothing"}"#, r#"{"token":""}"#, "{}", "[]", ""] {
        let answer = rig.call_with("POST", "/ui/session", body, &[]).await;
        assert_eq!(answer.status, 401, "{body}: {}", answer.text);
        assert!(!answer.headers.contains_key("set-cookie"), "{body}");
    }
    let body = format!(r#"{{"token":"{TOKEN}"}}"#);
    let answer = rig.call_with("POST", "/ui/session", &body, &[]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let set = answer.headers["set-cookie"].to_str().expect("text").to_owned();
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict") && !set.contains(TOKEN), "{set}");
    let cookie = set.split(';').next().expect("a pair").to_owned();
    let (name, value) = cookie.split_once('=').expect("a pair");
    let (other, twice) = (format!("a=b; {cookie}"), format!("{cookie}; {name}={value}"));
    let rows: [(&str, &str, Option<&str>, u16); 6] = [
        ("the cookie", &cookie, None, 200),
        ("beside others", &other, None, 200),
        ("twice", &twice, None, 401),
        ("the token itself is no session", &format!("{name}={TOKEN}"), None, 401),
        ("a part of it", &cookie[..cookie.len() - 1], None, 401),
        ("a wrong header is not made good by it", &cookie, Some("Bearer nothing"), 401),
    ];
    for (what, cookie, authorization, status) in rows {
        let mut headers = vec![("cookie", cookie)];
        headers.extend(authorization.map(|value| ("authorization", value)));
        assert_eq!(rig.call_with("GET", "/v1/stats", "", &headers).await.status, status, "{what}");
    }
    let elsewhere = [("cookie", cookie.as_str()), ("origin", "http://evil.example")];
    assert_eq!(
        rig.call_with("POST", "/v1/tasks", "{}", &elsewhere).await.status,
        403,
        "a page of another site"
    );
    rig.stop().await;
}
