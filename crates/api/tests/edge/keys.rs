//! Every request that changes something, sent twice under one key: done once, answered alike, and another request under
//! the key refused with the name of what it belongs to. A new route without a row here fails.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::rig::{Answered, Rig};
use crate::routes;
use crate::worker::FakeWorker;

/// Those that change nothing, those that only read again, and webhooks, whose messages have an id of their own.
const WITHOUT: [&str; 3] =
    ["POST /v1/cron:preview", "POST /v1/store/quarantine/{row}:release", "POST /v1/webhooks/{name}"];

/// How far work has come that goes on after its answer. It is told as it is then, also to a repeated request.
const PROGRESS: [&str; 6] = ["state", "looked_at", "handled", "refused", "last_refusal", "ended_at"];

struct Row {
    /// Method and path, as the document has them.
    route: &'static str,
    /// What stands in the place of `{…}`, and in the body: first in the request, then in another one.
    this: (String, Value),
    other: (String, Value),
    /// Fields that tell how far something has come, or that it was known.
    but: &'static [&'static str],
    /// What the refusal names; empty if it has no id.
    names: &'static str,
}

fn row(route: &'static str, this: (&str, Value), other: (&str, Value), names: &'static str) -> Row {
    let owned = |(path, body): (&str, Value)| (path.to_owned(), body);
    Row { route, this: owned(this), other: owned(other), but: &[], names }
}

async fn send(rig: &Rig, route: &str, (place, body): &(String, Value), key: &str) -> Answered {
    let (method, template) = route.split_once(' ').expect("a method");
    let places: Vec<&str> = place.split('/').collect();
    let mut path = template.to_owned();
    for (name, place) in
        ["{job}", "{id}", "{name}"].iter().filter(|name| template.contains(**name)).zip(places)
    {
        path = path.replace(name, place);
    }
    let kind = if path == "/v1/events" { "application/cloudevents+json" } else { "application/json" };
    let body = if body.is_null() { String::new() } else { body.to_string() };
    rig.call_with(method, &path, &body, &[("idempotency-key", key), ("content-type", kind)]).await
}

#[track_caller]
fn told(answer: &Answered, but: &[&str]) -> Value {
    assert!(answer.status < 300, "{} {}", answer.status, answer.text);
    let mut told = answer.json();
    for field in but {
        told.as_object_mut().expect("an object").remove(*field);
        for result in told["results"].as_array_mut().into_iter().flatten() {
            result.as_object_mut().expect("an object").remove(*field);
        }
    }
    told
}

async fn waiting(rig: &Rig) -> String {
    rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await.task_id()
}

async fn failed(rig: &Rig) -> String {
    let id = waiting(rig).await;
    let forced = rig.call("POST", &format!("/v1/tasks/{id}:force-state"), r#"{"state":"failed"}"#).await;
    assert_eq!(forced.status, 200, "{}", forced.text);
    id
}

async fn job(rig: &Rig, name: &str) {
    let file = json!({"job": name, "tasks": {"x": {"noop": {}}}, "schedule": {"cron": "0 9 * * *"}});
    let applied = rig.call("POST", "/v1/jobs", &file.to_string()).await;
    assert_eq!(applied.status, 200, "{}", applied.text);
}

async fn run(rig: &Rig, ended: bool) -> String {
    let id = rig.call("POST", "/v1/jobs/runs:trigger", "").await.json()["run_id"]
        .as_str()
        .expect("a run")
        .to_owned();
    if ended {
        assert_eq!(rig.call("POST", &format!("/v1/runs/{id}:cancel"), "").await.status, 200);
        for _ in 0..500 {
            if rig.get(&format!("/v1/runs/{id}")).await.json()["state"] == "cancelled" {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
    id
}

/// A run that waits for an approval.
async fn asking(rig: &Rig) -> String {
    let file = json!({"job": "asks", "tasks": {"x": {"approve": {}}}});
    let applied = rig.call("POST", "/v1/jobs", &file.to_string()).await;
    assert_eq!(applied.status, 200, "{}", applied.text);
    let begun = rig.call("POST", "/v1/jobs/asks:trigger", "").await.json();
    let id = begun["run_id"].as_str().expect("a run").to_owned();
    for _ in 0..500 {
        if rig.get(&format!("/v1/runs/{id}")).await.json()["waits_for"] == "approval" {
            return id;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    panic!("{id} never waited for its approval")
}

fn span(job: &str, to: &str) -> Value {
    json!({"job": job, "from": "2024-01-01T00:00:00Z", "to": to})
}

async fn backfill(rig: &Rig, name: &str) -> String {
    job(rig, name).await;
    let body = span(name, "2024-02-01T00:00:00Z").to_string();
    let begun = rig.call("POST", "/v1/backfills", &body).await;
    begun.json()["backfill_id"].as_str().unwrap_or_else(|| panic!("{}", begun.text)).to_owned()
}

async fn rows_of_tasks(rig: &Rig) -> Vec<Row> {
    let none = || Value::Null;
    let mut rows = vec![
        row(
            "POST /v1/tasks",
            ("", json!({"task_type": "noop"})),
            ("", json!({"task_type": "sleep", "payload": {"ms": 1}})),
            "task_",
        ),
        row(
            "POST /v1/tasks",
            ("", json!({"task_type": "noop", "cron": "0 3 * * *", "name": "nightly"})),
            ("", json!({"task_type": "noop", "cron": "0 4 * * *", "name": "nightly"})),
            "",
        ),
        row(
            "POST /v1/tasks:cancel",
            ("", json!({"job": "none"})),
            ("", json!({"job": "other"})),
            "bulk operation",
        ),
        row(
            "POST /v1/operations",
            ("", json!({"verb": "cancel_tasks", "job": "none"})),
            ("", json!({"verb": "cancel_tasks", "job": "other"})),
            "bulk operation",
        ),
        row(
            "POST /v1/dead-letters:requeue",
            ("", json!({"ids": [failed(rig).await]})),
            ("", json!({"ids": [failed(rig).await]})),
            "",
        ),
        row(
            "POST /v1/dead-letters:discard",
            ("", json!({"ids": [failed(rig).await]})),
            ("", json!({"ids": [failed(rig).await]})),
            "",
        ),
    ];
    rows[2].but = &PROGRESS;
    rows[3].but = &PROGRESS;
    for (route, body) in [
        ("DELETE /v1/tasks/{id}", none()),
        ("PATCH /v1/tasks/{id}", json!({"delay_ms": 7_200_000})),
        ("POST /v1/tasks/{id}:cancel", none()),
        ("POST /v1/tasks/{id}:run-now", none()),
        ("POST /v1/tasks/{id}:force-state", json!({"state": "failed"})),
    ] {
        let (this, other) = (waiting(rig).await, waiting(rig).await);
        rows.push(row(route, (&this, body.clone()), (&other, body), "task_"));
    }
    for route in [
        "POST /v1/tasks/{id}:retry",
        "POST /v1/dead-letters/{id}:requeue",
        "POST /v1/dead-letters/{id}:discard",
    ] {
        let (this, other) = (failed(rig).await, failed(rig).await);
        // Each dead letter has a key of its own, so only another body is another request.
        let other =
            if route.contains("dead") { (this.clone(), json!({"actor": "ben"})) } else { (other, none()) };
        rows.push(row(route, (&this, none()), (&other.0, other.1), "task_"));
    }
    rows
}

async fn rows_of_jobs(rig: &Rig) -> Vec<Row> {
    let file = |task: &str| json!({"job": "applied", "tasks": {task: {"noop": {}}}});
    let event = |id: &str| json!({"specversion": "1.0", "id": id, "source": "/s", "type": "t"});
    let mut rows = vec![
        row("POST /v1/jobs", ("", file("x")), ("", file("y")), ""),
        row("POST /v1/jobs/{name}:trigger", ("a", json!({})), ("a", json!({"labels": {"k": "v"}})), "run_"),
        row(
            "POST /v1/runs:cancel",
            ("", json!({"job": "a"})),
            ("", json!({"job": "none"})),
            "bulk operation",
        ),
        row("POST /v1/events", ("", event("1")), ("", event("2")), ""),
        row(
            "PUT /v1/schedules/{job}/{name}",
            ("a/s", json!({"cron": "0 1 * * *"})),
            ("a/s", json!({"cron": "0 2 * * *"})),
            "",
        ),
        row("DELETE /v1/schedules/{job}/{name}", ("a/gone", Value::Null), ("b/default", Value::Null), ""),
    ];
    rows[1].but = &["duplicate"];
    rows[2].but = &PROGRESS;
    rows[3].but = &["duplicate"];
    for route in ["POST /v1/jobs/{name}:pause", "POST /v1/jobs/{name}:resume", "DELETE /v1/jobs/{name}"] {
        rows.push(row(route, ("c", Value::Null), ("b", Value::Null), ""));
    }
    for route in ["POST /v1/schedules/{job}/{name}:pause", "POST /v1/schedules/{job}/{name}:resume"] {
        rows.push(row(route, ("a/s", Value::Null), ("b/default", Value::Null), ""));
    }
    let worker = format!("worker_{}", "01".repeat(16));
    for route in
        ["POST /v1/workers/{id}:cordon", "POST /v1/workers/{id}:drain", "POST /v1/workers/{id}:uncordon"]
    {
        let other = worker.replace("01", "02");
        rows.push(row(route, (&worker, Value::Null), (&other, Value::Null), ""));
    }
    for (route, body, ended) in [
        ("POST /v1/runs/{id}:pause", Value::Null, false),
        ("POST /v1/runs/{id}:resume", Value::Null, false),
        ("POST /v1/runs/{id}:reevaluate", Value::Null, false),
        ("POST /v1/runs/{id}:force-state", json!({"state": "failed"}), false),
        ("POST /v1/runs/{id}:cancel", Value::Null, false),
        ("POST /v1/runs/{id}:clear", json!({"tasks": ["x"]}), true),
        ("POST /v1/runs/{id}:rerun", Value::Null, true),
    ] {
        let (this, other) = (run(rig, ended).await, run(rig, ended).await);
        rows.push(row(route, (&this, body.clone()), (&other, body), "run_"));
    }
    for route in ["POST /v1/runs/{id}:approve", "POST /v1/runs/{id}:reject"] {
        let this = asking(rig).await;
        rows.push(row(route, (&this, Value::Null), (&this, json!({"actor": "ben"})), "run_"));
    }
    rows
}

async fn rows_of_backfills(rig: &Rig) -> Vec<Row> {
    let (to, later) = ("2024-01-05T00:00:00Z", "2024-01-06T00:00:00Z");
    let mut rows =
        vec![row("POST /v1/backfills", ("", span("filled", to)), ("", span("filled", later)), "backfill_")];
    rows[0].but = &["active", "started", "next", "state", "updated_at"];
    for (at, verb) in ["pause", "resume", "cancel"].into_iter().enumerate() {
        let route = [
            "POST /v1/backfills/{id}:pause",
            "POST /v1/backfills/{id}:resume",
            "POST /v1/backfills/{id}:cancel",
        ][at];
        let this = backfill(rig, &format!("{verb}-this")).await;
        let other = backfill(rig, &format!("{verb}-other")).await;
        rows.push(row(route, (&this, Value::Null), (&other, Value::Null), "backfill_"));
    }
    rows
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_that_changes_something_is_done_once_under_a_key() {
    let rig = Rig::start().await;
    for name in ["a", "b", "c", "runs", "filled"] {
        job(&rig, name).await;
    }
    let put = rig.call("PUT", "/v1/schedules/a/gone", r#"{"cron":"0 5 * * *"}"#).await;
    assert_eq!(put.status, 200, "{}", put.text);
    let _workers =
        (FakeWorker::join(rig.address, 1, 1, 0).await, FakeWorker::join(rig.address, 2, 1, 0).await);
    let mut rows = rows_of_tasks(&rig).await;
    rows.extend(rows_of_jobs(&rig).await);
    rows.extend(rows_of_backfills(&rig).await);

    let mut seen: BTreeSet<String> = WITHOUT.map(str::to_owned).into();
    // A batch refuses each of its tasks by itself.
    seen.insert(batch(&rig).await);
    seen.insert(cancelled_operation(&rig).await);
    for (at, row) in rows.iter().enumerate() {
        let key = format!("key-{at}");
        let first = told(&send(&rig, row.route, &row.this, &key).await, row.but);
        let again = told(&send(&rig, row.route, &row.this, &key).await, row.but);
        assert_eq!(again, first, "{}: the first answer again", row.route);
        let other = send(&rig, row.route, &row.other, &key).await;
        assert_eq!(other.code(), "IDEMPOTENCY_KEY_REUSED", "{}: {}", row.route, other.text);
        let message = other.json()["message"].as_str().expect("a message").to_owned();
        let names = if row.names.is_empty() { "an earlier request" } else { row.names };
        assert!(message.contains(names), "{}: {message}", row.route);
        assert_eq!(other.task_id().is_empty(), row.names != "task_", "{}: {}", row.route, other.text);
        seen.insert(row.route.to_owned());
    }
    let changing = routes::rest().into_iter().filter(routes::Route::changes_something);
    let all: BTreeSet<String> =
        changing.map(|route| format!("{} {}", route.method, route.template)).collect();
    assert_eq!(all.difference(&seen).collect::<Vec<_>>(), Vec::<&String>::new(), "these have no row");
    rig.stop().await;
}

async fn batch(rig: &Rig) -> String {
    let key = [("idempotency-key", "batch")];
    let first = rig.call_with("POST", "/v1/tasks:batch", r#"[{"task_type":"noop"}]"#, &key).await;
    let again = rig.call_with("POST", "/v1/tasks:batch", r#"[{"task_type":"noop"}]"#, &key).await;
    assert_eq!((first.status, &first.text), (202, &again.text));
    let other = r#"[{"task_type":"noop","delay_ms":5}]"#;
    let other = rig.call_with("POST", "/v1/tasks:batch", other, &key).await;
    assert_eq!(other.json()["results"][0]["error_code"], "IDEMPOTENCY_KEY_REUSED", "{}", other.text);
    "POST /v1/tasks:batch".to_owned()
}

/// Only one that has not ended can be cancelled. One about what has ended waits for the tables first, which gives time;
/// should it be through all the same, another is begun.
async fn cancelled_operation(rig: &Rig) -> String {
    let route = "POST /v1/operations/{id}:cancel";
    for at in 0..20 {
        let begun = rig.call("POST", "/v1/operations", r#"{"verb":"retry_tasks","job":"none"}"#).await;
        assert_eq!(begun.status, 202, "{}", begun.text);
        let id = begun.json()["operation_id"].to_string();
        let key = format!("operation-{at}");
        let first = send(rig, route, &(id.clone(), Value::Null), &key).await;
        if first.code() == "OPERATION_NOT_RUNNING" {
            continue;
        }
        let again = send(rig, route, &(id.clone(), Value::Null), &key).await;
        assert_eq!(told(&again, &[]), told(&first, &[]), "{route}: the first answer again");
        let other = send(rig, route, &(id, json!({"actor": "ben"})), &key).await;
        assert_eq!(other.code(), "IDEMPOTENCY_KEY_REUSED", "{}", other.text);
        assert!(other.text.contains("bulk operation"), "{}", other.text);
        return route.to_owned();
    }
    panic!("each had ended before it could be cancelled")
}

/// A repeated request does not undo what came in between, nor is it lost with a restart.
#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_changes_nothing_any_more() {
    let rig = Rig::start().await;
    job(&rig, "a").await;
    let key = [("idempotency-key", "k")];
    let post = async |rig: &Rig, path: &str, body: &str| rig.call_with("POST", path, body, &key).await;
    let paused = post(&rig, "/v1/jobs/a:pause", "").await;
    assert_eq!(rig.call("POST", "/v1/jobs/a:resume", "").await.status, 200);
    let body = span("a", "2024-01-05T00:00:00Z").to_string();
    let begun = post(&rig, "/v1/backfills", &body).await;
    assert_eq!(begun.status, 201, "{}", begun.text);
    let deleted = rig.call_with("DELETE", "/v1/schedules/a/default", "", &key).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);

    let dir = rig.stop().await;
    let rig =
        Rig::start_in(dir, mainspring_api::ApiConfig::default(), mainspring_runtime::ShardConfig::default())
            .await;
    assert_eq!(post(&rig, "/v1/jobs/a:pause", "").await.text, paused.text);
    assert_eq!(rig.get("/v1/jobs/a").await.json()["state"], "active", "it was resumed since");
    let again = post(&rig, "/v1/backfills", &body).await;
    assert_eq!(again.json()["backfill_id"], begun.json()["backfill_id"], "{}", again.text);
    assert_eq!(rig.get("/v1/backfills").await.json()["backfills"].as_array().map(Vec::len), Some(1));
    let again = rig.call_with("DELETE", "/v1/schedules/a/default", "", &key).await;
    assert_eq!((again.status, again.text), (200, deleted.text));
    rig.stop().await;
}
