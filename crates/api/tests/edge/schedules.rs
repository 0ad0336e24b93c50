//! Schedules over HTTP: of job files, one by one, and of tasks that recur.

use mainspring_proto::v1;
use serde_json::{Value, json};

use crate::grpc::Clients;
use crate::rig::{Answered, Rig};

const JOB: &str = r#"
job: report
parameters: { region: eu }
schedules:
  - { name: morning, cron: "0 9 * * MON-FRI", timezone: Europe/Berlin, catch_up: true, overlap: forbid, jitter: 5m }
  - { name: far, at: ["2090-01-01T00:00:00Z", "2091-01-01T00:00:00Z"] }
tasks: { x: { noop: {} } }
"#;

async fn with_job() -> Rig {
    let rig = Rig::start().await;
    let applied = rig.call("POST", "/v1/jobs", JOB).await;
    assert_eq!(applied.status, 200, "{}", applied.text);
    rig
}

#[track_caller]
fn refused(answer: &Answered, status: u16, code: &str) -> Value {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{}", answer.text);
    answer.json()
}

#[track_caller]
fn names(answer: &Answered) -> Vec<String> {
    let page = answer.json();
    let list = page["schedules"].as_array().unwrap_or_else(|| panic!("{page}"));
    list.iter().map(|schedule| format!("{}/{}", schedule["job"], schedule["name"]).replace('"', "")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn schedules_of_a_file_are_stored_shown_and_follow_it() {
    let rig = with_job().await;
    let morning = rig.get("/v1/schedules/report/morning").await.json();
    for (field, wanted) in [
        ("tenant", json!("default")),
        ("state", json!("on")),
        ("description", json!("at 09:00 on weekdays")),
        ("cron", json!("0 9 * * MON-FRI")),
        ("timezone", json!("Europe/Berlin")),
        ("dst", json!({"missing": "skip", "twice": "first"})),
        ("overlap", json!("forbid")),
        ("catch_up", json!(3)),
        ("misfire_grace", json!("5m")),
        ("jitter", json!("5m")),
        ("fired", json!(0)),
        ("missed", json!(0)),
        ("active", json!(0)),
        ("in_file", json!(true)),
    ] {
        assert_eq!(morning[field], wanted, "{field}: {morning:#}");
    }
    let next = morning["next"].as_str().expect("a next window");
    assert!(next.ends_with(":00:00.000Z"), "{next}");
    assert!(morning["next_begins_at"].as_str() >= Some(next), "{morning:#}");
    let job = rig.get("/v1/jobs/report").await.json();
    assert_eq!(job["schedules"].as_array().map(Vec::len), Some(2), "{job:#}");
    assert_eq!(job["schedules"][1]["next"], morning["next"], "{job:#}");

    let other = JOB.replace("name: far", "name: farther");
    assert_eq!(rig.call("POST", "/v1/jobs", &other).await.status, 200);
    let list = rig.get("/v1/schedules?job=report").await;
    assert_eq!(names(&list), ["report/farther", "report/morning"], "those that are not in the file go");
    refused(&rig.get("/v1/schedules/report/far").await, 404, "SCHEDULE_NOT_FOUND");

    assert_eq!(rig.call("DELETE", "/v1/schedules/report/farther", "").await.status, 200);
    let path = "/v1/schedules/report/morning";
    assert_eq!(rig.call("PUT", path, r#"{"every": "1h"}"#).await.status, 200);
    let again = rig.call("POST", "/v1/jobs", &other).await.json();
    assert_eq!(again["jobs"][0]["change"], "unchanged", "{again}");
    assert_eq!(rig.get("/v1/schedules/report/farther").await.status, 200, "the file says what there is");
    assert_eq!(rig.get(path).await.json()["cron"], "0 9 * * MON-FRI");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_is_put_paused_resumed_and_deleted() {
    let rig = with_job().await;
    let path = "/v1/schedules/report/beat";
    let body = r#"{"every": "90m", "parameters": {"region": "us"}, "priority": "P2", "max_active": 3}"#;
    let stored = rig.call("PUT", path, body).await.json();
    assert_eq!((&stored["changed"], &stored["name"]), (&json!(true), &json!("beat")), "{stored}");
    assert_eq!(rig.call("PUT", path, body).await.json()["changed"], false);
    let beat = rig.get(path).await.json();
    assert_eq!(beat["next"], stored["next"]);
    assert_eq!((&beat["every"], &beat["in_file"]), (&json!("1h 30m"), &json!(false)), "{beat:#}");
    assert_eq!(beat["parameters"], json!({"region": "us"}), "{beat:#}");
    assert_eq!((&beat["max_active"], &beat["priority"]["band"]), (&json!(3), &json!("P2")), "{beat:#}");
    assert_eq!(rig.call("POST", "/v1/jobs", &JOB.replace("9 * *", "8 * *")).await.status, 200);
    assert_eq!(rig.get(path).await.status, 200, "the file does not speak of it, so it stays");

    assert_eq!(rig.call("POST", &format!("{path}:pause"), r#"{"reason": "r"}"#).await.status, 200);
    assert_eq!(rig.get(path).await.json()["state"], "paused");
    assert_eq!(rig.call("POST", &format!("{path}:resume"), "").await.status, 200);
    assert_eq!(rig.get(path).await.json()["state"], "on");
    assert_eq!(rig.call("DELETE", path, "").await.status, 200);
    refused(&rig.get(path).await, 404, "SCHEDULE_NOT_FOUND");
    refused(&rig.call("DELETE", path, "").await, 404, "SCHEDULE_NOT_FOUND");
    refused(&rig.call("POST", &format!("{path}:pause"), "").await, 404, "SCHEDULE_NOT_FOUND");
    assert_eq!(rig.get(&format!("{path}/history")).await.status, 200, "the history outlives it");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_told_at_once() {
    let rig = with_job().await;
    let path = "/v1/schedules/report/new";
    let told =
        rig.call("PUT", path, r#"{"cron": "0 25 * * *", "timezone": "Europe/Berln", "jitter": "2d"}"#).await;
    let told = refused(&told, 422, "SCHEDULE_INVALID");
    let paths: Vec<&str> =
        told["mistakes"].as_array().expect("all").iter().filter_map(|m| m["path"].as_str()).collect();
    assert_eq!(paths, ["cron", "timezone", "jitter"], "{told:#}");
    let told = rig.call("PUT", path, r#"{"every": "1h", "parameters": {"regoin": "us"}}"#).await;
    assert!(refused(&told, 422, "SCHEDULE_INVALID").to_string().contains("did you mean `region`?"));
    let past = r#"{"at": "2020-01-01T00:00:00Z"}"#;
    refused(&rig.call("PUT", path, past).await, 422, "SCHEDULE_NEVER_FIRES");
    let hourly = r#"{"every": "1h"}"#;
    refused(&rig.call("PUT", "/v1/schedules/nobody/x", hourly).await, 404, "JOB_NOT_FOUND");
    refused(&rig.call("PUT", "/v1/schedules/@tasks/x", hourly).await, 400, "INVALID_FIELD");
    refused(&rig.call("PUT", "/v1/schedules/report/a%20b", hourly).await, 400, "INVALID_FIELD");
    refused(&rig.call("POST", "/v1/schedules/report/morning:fly", "").await, 404, "ROUTE_NOT_FOUND");
    refused(&rig.call("POST", "/v1/schedules/report/morning", "").await, 405, "METHOD_NOT_ALLOWED");
    refused(&rig.get("/v1/schedules?limit=0").await, 400, "INVALID_QUERY");
    refused(&rig.get("/v1/schedules?cursor=x").await, 400, "INVALID_QUERY");
    refused(&rig.get("/v1/schedules:upcoming?within=soon").await, 400, "INVALID_QUERY");
    refused(&rig.get("/v1/schedules:upcoming?within=400d").await, 400, "INVALID_QUERY");
    refused(&rig.get("/v1/schedules/report/morning/history?cursor=x").await, 400, "INVALID_QUERY");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_go_on_where_they_stopped_and_windows_come_in_order() {
    let rig = with_job().await;
    for name in ["a", "b"] {
        let stored = rig.call("PUT", &format!("/v1/schedules/report/{name}"), r#"{"every": "10m"}"#).await;
        assert_eq!(stored.status, 200, "{}", stored.text);
    }
    assert_eq!(rig.submit(r#"{"task_type":"noop","every":"7m","name":"t"}"#).await.status, 202);
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = rig.get(&format!("/v1/schedules?limit=2{cursor}")).await;
        found.extend(names(&page));
        let page = page.json();
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={}", next.replace('@', "%40"));
    }
    assert_eq!(found, ["@tasks/t", "report/a", "report/b", "report/far", "report/morning"]);

    let ahead = rig.get("/v1/schedules:upcoming?within=30m&limit=6").await.json();
    let ahead = ahead["windows"].as_array().expect("windows");
    assert_eq!(ahead.len(), 6, "{ahead:?}");
    assert!(ahead.windows(2).all(|pair| pair[0]["begins_at"].as_str() <= pair[1]["begins_at"].as_str()));
    let of = |name: &str| ahead.iter().filter(|window| window["name"] == name).count();
    assert!(of("a") >= 1 && of("b") >= 1 && of("t") >= 1 && of("far") == 0, "{ahead:?}");
    assert!(ahead.iter().all(|window| window.get("job_paused").is_none()), "{ahead:?}");
    assert_eq!(rig.call("POST", "/v1/jobs/report:pause", "").await.status, 200);
    let ahead = rig.get("/v1/schedules:upcoming?within=30m").await.json();
    for window in ahead["windows"].as_array().expect("windows") {
        assert_eq!(window["job_paused"] == true, window["job"] == "report", "{window}");
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_recur_under_a_name() {
    let rig = Rig::start().await;
    let body = r#"{"task_type":"noop","cron":"0 3 * * *","timezone":"Europe/Berlin","name":"backup","overlap":"forbid"}"#;
    let answer = rig.submit(body).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let answer = answer.json();
    assert_eq!((&answer["schedule"], &answer["state"]), (&json!("@tasks/backup"), &json!("pending")));
    assert!(answer["next"].as_str().is_some_and(|next| next.ends_with(":00:00.000Z")), "{answer}");
    let schedule = rig.get("/v1/schedules/@tasks/backup").await.json();
    assert_eq!(schedule["next"], answer["next"]);
    assert_eq!((&schedule["overlap"], &schedule["in_file"]), (&json!("forbid"), &json!(false)));
    assert_eq!(rig.submit(body).await.json(), answer, "the same again changes nothing");

    let keyed = r#"{"task_type":"noop","every":60,"idempotency_key":"order-77"}"#;
    assert_eq!(rig.submit(keyed).await.json()["schedule"], "@tasks/order-77");
    let odd = rig.submit(r#"{"task_type":"noop","every":60,"idempotency_key":"order 77"}"#).await.json();
    assert!(odd["schedule"].as_str().is_some_and(|name| name.starts_with("@tasks/key-")), "{odd}");
    let unnamed = rig.submit(r#"{"task_type":"noop","every":60}"#).await.json();
    assert!(unnamed["schedule"].as_str().is_some_and(|name| name.starts_with("@tasks/task_")), "{unnamed}");

    for (name, body, code) in [
        ("bad cron", r#"{"task_type":"noop","cron":"x"}"#, "SCHEDULE_INVALID"),
        ("two timings", r#"{"task_type":"noop","cron":"@daily","every":60}"#, "SCHEDULE_INVALID"),
        ("bad name", r#"{"task_type":"noop","every":60,"name":"a/b"}"#, "INVALID_FIELD"),
        ("a delay", r#"{"task_type":"noop","every":60,"delay_ms":5}"#, "INVALID_FIELD"),
        ("no timing", r#"{"task_type":"noop","timezone":"UTC"}"#, "INVALID_FIELD"),
        ("bad work", r#"{"task_type":"nope","every":60}"#, "UNKNOWN_EXECUTOR"),
    ] {
        let answer = rig.submit(body).await;
        assert_eq!(answer.code(), code, "{name}: {}", answer.text);
    }
    let big = format!(r#"{{"task_type":"noop","every":60,"payload":"{}"}}"#, "x".repeat(1200 << 10));
    assert_eq!(rig.submit(&big).await.code(), "PAYLOAD_TOO_LARGE", "as for any other task");
    let batch = rig.call("POST", "/v1/tasks:batch", r#"[{"task_type":"noop","every":60}]"#).await.json();
    assert!(batch.to_string().contains("INVALID_FIELD"), "{batch}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ledger_has_windows_of_all_schedules_in_a_span_of_time() {
    let rig = Rig::start().await;
    let job = |name: &str, every: &str| {
        let schedules = json!([{"name": "often", "every": every}]);
        json!({"job": name, "schedules": schedules, "tasks": {"x": {"noop": {}}}}).to_string()
    };
    for (name, every) in [("quick", "1s"), ("slow", "1h")] {
        assert_eq!(rig.call("POST", "/v1/jobs", &job(name, every)).await.status, 200);
    }
    // A run of it exists, so its window was decided.
    let mut ran = Value::Null;
    while ran.as_array().is_none_or(Vec::is_empty) {
        ran = rig.get("/v1/windows?job=quick&outcome=ran").await.json()["windows"].clone();
    }
    let first = &ran[0];
    assert_eq!(
        (&first["job"], &first["name"], &first["tenant"]),
        (&json!("quick"), &json!("often"), &json!("default"))
    );
    assert!(first["run_id"].as_str().is_some_and(|id| id.starts_with("run_")), "{ran}");
    let at = first["first"].as_str().expect("an instant");

    let before = rig.get(&format!("/v1/windows?to={at}")).await.json();
    assert_eq!(before["windows"], json!([]), "`to` is not part of the span: {before}");
    let from = rig.get(&format!("/v1/windows?from={at}")).await.json();
    assert_eq!(from["windows"][0]["first"], first["first"], "`from` is: {from}");
    let missed = rig.get("/v1/windows?outcome=missed").await.json();
    assert_eq!((&missed["windows"], &missed["more"]), (&json!([]), &json!(false)));
    let other = rig.get("/v1/windows?job=slow").await.json();
    assert_eq!(other["windows"], json!([]));
    refused(&rig.get("/v1/windows?outcome=lost").await, 400, "INVALID_QUERY");
    let none = rig.get(&format!("/v1/windows?from={at}&to={at}")).await.json();
    assert_eq!(none["windows"].as_array().map(Vec::len), Some(0), "a span without an instant: {none}");

    let mut grpc = Clients::of(&rig).await;
    let ask = v1::ListWindowsRequest { job: Some("quick".into()), ..v1::ListWindowsRequest::default() };
    let page = grpc.schedules.windows(ask).await.expect("listed").into_inner();
    let told = page.windows.first().and_then(|row| row.window.as_ref()).expect("a window");
    assert_eq!((told.outcome.as_str(), told.run_id.as_deref()), ("ran", first["run_id"].as_str()));
    rig.stop().await;
}
