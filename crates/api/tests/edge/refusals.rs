//! Every kind of refusal has its status, its code and the one shape.

use crate::rig::Rig;

const NONE: &str = "/v1/tasks/task_00000000000000000000000000000001";

type Row = (&'static str, &'static str, String, &'static str, u16, &'static str);

/// What is wrong with a submission.
fn bodies() -> Vec<Row> {
    let rows = [
        ("no JSON", "nonsense", "INVALID_JSON"),
        ("cut short", r#"{"task_type":"#, "INVALID_JSON"),
        ("no object", "[]", "INVALID_FIELD"),
        ("unknown field", r#"{"task_type":"noop","x":1}"#, "INVALID_FIELD"),
        ("wrong type", r#"{"task_type":1}"#, "INVALID_FIELD"),
        ("no executor", "{}", "INVALID_FIELD"),
        ("unknown executor", r#"{"task_type":"EMAIL"}"#, "UNKNOWN_EXECUTOR"),
        ("control character", r#"{"task_type":"noop","job":"a\nb"}"#, "INVALID_FIELD"),
        ("empty tenant", r#"{"task_type":"noop","tenant":""}"#, "INVALID_FIELD"),
        ("bad jitter", r#"{"task_type":"noop","retry_policy":{"jitter_percent":101}}"#, "INVALID_FIELD"),
        ("two times", r#"{"task_type":"noop","delay_ms":1,"scheduled_at":1}"#, "INVALID_FIELD"),
        ("webhook without url", r#"{"task_type":"webhook","payload":{}}"#, "INVALID_FIELD"),
        ("webhook elsewhere", r#"{"task_type":"webhook","payload":{"url":"file:///x"}}"#, "INVALID_FIELD"),
        ("process without argv", r#"{"task_type":"process","payload":{"argv":[]}}"#, "INVALID_FIELD"),
        ("milliseconds for seconds", r#"{"task_type":"noop","scheduled_at":1736952000000}"#, "INVALID_FIELD"),
    ];
    rows.map(|(name, body, code)| (name, "POST", "/v1/tasks".to_owned(), body, 400, code)).to_vec()
}

/// What is wrong with a path or a query, or not there.
fn paths() -> Vec<Row> {
    let rows = [
        ("no such task", "GET", "~", "", 404, "TASK_NOT_FOUND"),
        ("no id", "GET", "/v1/tasks/17", "", 404, "TASK_NOT_FOUND"),
        ("cancel none", "DELETE", "~", "", 404, "TASK_NOT_FOUND"),
        ("change none", "PATCH", "~", r#"{"priority":"P0"}"#, 404, "TASK_NOT_FOUND"),
        ("change nothing", "PATCH", "~", "{}", 400, "INVALID_FIELD"),
        ("retry none", "POST", "~:retry", "", 404, "TASK_NOT_FOUND"),
        ("run none", "POST", "~:run-now", "", 404, "TASK_NOT_FOUND"),
        ("force none", "POST", "~:force-state", r#"{"state":"failed"}"#, 404, "TASK_NOT_FOUND"),
        ("force what", "POST", "~:force-state", r#"{"state":"DONE"}"#, 400, "INVALID_FIELD"),
        ("force running", "POST", "~:force-state", r#"{"state":"running"}"#, 422, "STATE_NOT_FORCIBLE"),
        ("unknown verb", "POST", "~:explode", "", 404, "ROUTE_NOT_FOUND"),
        ("no verb", "POST", "~", "", 405, "METHOD_NOT_ALLOWED"),
        ("diagnose none", "GET", "~/diagnosis", "", 404, "TASK_NOT_FOUND"),
        ("no route", "GET", "/v2/tasks", "", 404, "ROUTE_NOT_FOUND"),
        ("no method", "PUT", "/v1/tasks", "", 405, "METHOD_NOT_ALLOWED"),
        ("unknown parameter", "GET", "/v1/tasks?colour=red", "", 400, "INVALID_QUERY"),
        ("twice", "GET", "/v1/tasks?job=a&job=b", "", 400, "INVALID_QUERY"),
        ("bad state", "GET", "/v1/tasks?state=DONE", "", 400, "INVALID_QUERY"),
        ("bad cursor", "GET", "/v1/tasks?cursor=zz", "", 400, "INVALID_QUERY"),
        ("bad force", "DELETE", "~?force=perhaps", "", 400, "INVALID_QUERY"),
        (
            "no worker",
            "GET",
            "/v1/workers/worker_0000000000000000000000000000000f",
            "",
            404,
            "WORKER_NOT_FOUND",
        ),
        ("a path that is no text", "GET", "/v1/tasks/%ff", "", 404, "ROUTE_NOT_FOUND"),
        ("no error page", "GET", "/docs/errors/NOPE", "", 404, "ROUTE_NOT_FOUND"),
    ];
    // `~` stands for a task that does not exist.
    rows.map(|(name, method, path, body, status, code)| {
        (name, method, path.replace('~', NONE), body, status, code)
    })
    .to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_have_one_shape() {
    let rig = Rig::start().await;
    for (name, method, path, body, status, code) in bodies().into_iter().chain(paths()) {
        let answer = rig.call_with(method, &path, body, &[("x-request-id", "mine")]).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{name}: {}", answer.text);
        let error = answer.json();
        assert_eq!(error["request_id"], "mine", "{name}");
        assert_eq!(error["docs"], format!("/docs/errors/{code}"), "{name}");
        assert!(error["advice"].as_str().is_some_and(|advice| !advice.is_empty()), "{name}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty() && !message.ends_with('.'), "{name}: {message}");
        let page = rig.get(&format!("/docs/errors/{code}")).await;
        assert!(page.status == 200 && page.text.starts_with(&format!("# {code}")), "{name}");
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_method_is_told_the_right_ones() {
    let rig = Rig::start().await;
    let rows = [
        ("PUT", "/v1/tasks", "GET,HEAD,POST"),
        ("POST", "/v1/tasks/x", "GET,HEAD,DELETE,PATCH"),
        ("PUT", "/v1/tasks/x", "GET,HEAD,DELETE,PATCH"),
        ("PUT", "/v1/tasks/x:cancel", "POST"),
        ("POST", "/v1/workers/x", "GET,HEAD"),
        ("PUT", "/v1/workers/x:drain", "POST"),
        ("PUT", "/v1/tasks:batch", "POST"),
    ];
    for (method, path, allowed) in rows {
        let answer = rig.call(method, path, "").await;
        assert_eq!(answer.status, 405, "{method} {path}");
        let told = answer.headers.get("allow").and_then(|value| value.to_str().ok());
        assert_eq!(told, Some(allowed), "{method} {path}");
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_header_refuses_the_whole_request() {
    let rig = Rig::start().await;
    let rows = [
        ("x-mainspring-tenant", "t".repeat(201), "NAME_TOO_LONG"),
        ("x-mainspring-tenant", String::new(), "INVALID_FIELD"),
        ("idempotency-key", "k".repeat(256), "IDEMPOTENCY_KEY_TOO_LONG"),
        ("idempotency-key", String::new(), "INVALID_FIELD"),
    ];
    let own = r#"{"task_type":"noop","tenant":"a","idempotency_key":"b"}"#;
    for (header, value, code) in rows {
        for (path, body) in [("/v1/tasks", own.to_owned()), ("/v1/tasks:batch", format!("[{own}]"))] {
            let answer = rig.call_with("POST", path, &body, &[(header, &value)]).await;
            assert_eq!((answer.status, answer.code().as_str()), (400, code), "{path} {header}");
        }
    }
    rig.stop().await;
}
