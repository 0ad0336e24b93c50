//! Backfills over HTTP: planned, begun, looked at, ended, and refused.

use serde_json::{Value, json};

use crate::rig::{Answered, Rig};

const JOB: &str = r#"
job: report
parameters: { region: eu }
schedule: { cron: "0 9 * * *", parameters: { region: us } }
tasks: { x: { noop: {} } }
"#;

async fn with_job() -> Rig {
    let rig = Rig::start().await;
    let applied = rig.call("POST", "/v1/jobs", JOB).await;
    assert_eq!(applied.status, 200, "{}", applied.text);
    rig
}

async fn ask(rig: &Rig, more: &Value) -> Answered {
    let mut body = json!({"job": "report", "from": "2024-01-01T00:00:00Z", "to": "2024-01-11T00:00:00Z"});
    for (field, value) in more.as_object().expect("an object") {
        body[field] = value.clone();
    }
    rig.call("POST", "/v1/backfills", &body.to_string()).await
}

#[track_caller]
fn refused(answer: &Answered, status: u16, code: &str) -> Value {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{}", answer.text);
    answer.json()
}

/// Until the backfill is in this state.
async fn state(rig: &Rig, id: &str, wanted: &str) -> Value {
    loop {
        let backfill = rig.get(&format!("/v1/backfills/{id}")).await.json();
        if backfill["state"] == wanted {
            return backfill;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_is_planned_begun_shown_and_cancelled() {
    let rig = with_job().await;
    let plan = ask(&rig, &json!({"dry_run": true})).await;
    assert_eq!(plan.status, 200, "{}", plan.text);
    let plan = plan.json();
    for (field, wanted) in [
        ("in_range", json!(10)),
        ("windows", json!(10)),
        ("ran", json!(0)),
        ("oldest", json!("2024-01-01T09:00:00.000Z")),
        ("newest", json!("2024-01-10T09:00:00.000Z")),
        ("only", json!("missing")),
        ("version", json!(1)),
    ] {
        assert_eq!(plan[field], wanted, "{field}: {plan:#}");
    }
    assert_eq!(rig.get("/v1/backfills").await.json()["backfills"], json!([]));

    let begun =
        ask(&rig, &json!({"max_active": 3, "order": "newest", "parameters": {"region": "asia"}})).await;
    assert_eq!(begun.status, 201, "{}", begun.text);
    let id = begun.json()["backfill_id"].as_str().expect("an id").to_owned();
    let second = refused(&ask(&rig, &json!({})).await, 409, "BACKFILL_ACTIVE");
    assert!(second["message"].as_str().is_some_and(|text| text.contains(&id)), "{second}");
    let mut shown = Value::Null;
    while shown["active"] != 3 {
        shown = state(&rig, &id, "running").await;
    }
    assert_eq!((&shown["started"], &shown["next"]), (&json!(3), &json!("2024-01-07T09:00:00.000Z")));
    let runs = rig.get("/v1/runs?trigger=backfill").await.json();
    let run =
        rig.get(&format!("/v1/runs/{}", runs["runs"][0]["run_id"].as_str().expect("a run"))).await.json();
    assert_eq!((&run["parameters"], &run["window"]["backfill"]), (&json!({"region": "asia"}), &json!(true)));
    let history = rig.get("/v1/schedules/report/default/history").await.json();
    assert_eq!(history["windows"][0]["outcome"], "backfill", "{history:#}");
    let pools = rig.get("/v1/pools/default").await.json();
    assert_eq!(pools["queued_by_band"]["backfill"], 3, "{pools:#}");

    let verb = |verb: &'static str| format!("/v1/backfills/{id}:{verb}");
    assert_eq!(rig.call("POST", &verb("pause"), "").await.json()["state"], "paused");
    assert_eq!(rig.call("POST", &verb("resume"), "").await.json()["state"], "running");
    assert_eq!(rig.call("POST", &verb("cancel"), r#"{"reason": "a test"}"#).await.status, 200);
    let ended = state(&rig, &id, "cancelled").await;
    assert_eq!((&ended["failed"], &ended["active"]), (&json!(3), &json!(0)), "{ended:#}");
    refused(&rig.call("POST", &verb("pause"), "").await, 409, "BACKFILL_ALREADY_ENDED");
    refused(&rig.call("POST", &verb("no-such-verb"), "").await, 404, "ROUTE_NOT_FOUND");
    for (only, windows) in [("missing", 7), ("failed", 3), ("all", 10)] {
        let plan = ask(&rig, &json!({"only": only, "dry_run": true})).await.json();
        assert_eq!((&plan["windows"], &plan["ran"]), (&json!(windows), &json!(3)), "{only}: {plan:#}");
    }
    let page = rig.get("/v1/backfills?job=report&limit=1").await.json();
    assert_eq!(page["backfills"][0]["backfill_id"], id.as_str(), "{page:#}");
    for (filter, count) in [("state=cancelled", 1), ("state=running", 0)] {
        let page = rig.get(&format!("/v1/backfills?{filter}")).await.json();
        assert_eq!(page["backfills"].as_array().map(Vec::len), Some(count), "{filter}: {page:#}");
    }
    refused(&rig.get("/v1/backfills?state=slow").await, 400, "INVALID_QUERY");
    history_is_narrowed(&rig).await;
    rig.stop().await;
}

/// Three windows were begun, of the 8th, the 9th and the 10th of January; their runs were cancelled.
async fn history_is_narrowed(rig: &Rig) {
    let days = async |filter: &str| {
        let page = rig.get(&format!("/v1/schedules/report/default/history?{filter}")).await.json();
        let windows = page["windows"].as_array().unwrap_or_else(|| panic!("{filter}: {page:#}"));
        windows
            .iter()
            .map(|window| window["first"].as_str().unwrap_or_default()[8..10].to_owned())
            .collect::<Vec<_>>()
    };
    let all = days("outcome=backfill").await;
    assert_eq!(all, ["10", "09", "08"]);
    assert_eq!(days("outcome=missed").await, [""; 0]);
    assert_eq!(days("from=2024-01-09T00:00:00Z").await, ["10", "09"]);
    assert_eq!(days("to=2024-01-09T00:00:00Z").await, ["08"]);
    assert_eq!(days("from=2024-01-09T00:00:00Z&to=2024-01-10T00:00:00Z&limit=1").await, ["09"]);
    let page = rig.get("/v1/schedules/report/default/history?limit=1").await.json();
    assert_eq!(page["windows"][0]["run_state"], "cancelled", "{page:#}");
    let ledger = rig.get("/v1/windows?from=2024-01-01T00:00:00Z&to=2024-02-01T00:00:00Z").await.json();
    assert_eq!(ledger["windows"][0]["run_state"], "cancelled", "{ledger:#}");
    refused(&rig.get("/v1/schedules/report/default/history?outcome=lost").await, 400, "INVALID_QUERY");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_backfilled_is_refused_by_name() {
    let rig = with_job().await;
    let poll = "job: poll\nschedule: {after: 1d}\ntasks: {x: {noop: {}}}\n";
    let often = "job: often\nschedule: {cron: '* * * * *'}\ntasks: {x: {noop: {}}}\n";
    let two = "job: two\nschedules: [{name: a, cron: '@daily'}, {name: b, cron: '@daily'}]\ntasks: {x: {noop: {}}}\n";
    for file in [poll, often, two] {
        assert_eq!(rig.call("POST", "/v1/jobs", file).await.status, 200);
    }
    let rows = [
        (json!({"to": "2023-01-01T00:00:00Z"}), 400, "INVALID_FIELD"),
        (json!({"only": "some"}), 400, "INVALID_FIELD"),
        (json!({"order": "random"}), 400, "INVALID_FIELD"),
        (json!({"max_active": 0}), 400, "INVALID_FIELD"),
        (json!({"max_active": 1001}), 400, "INVALID_FIELD"),
        (json!({"version": 9}), 400, "INVALID_FIELD"),
        (json!({"job": "two"}), 400, "INVALID_FIELD"),
        (json!({"job": "nobody"}), 404, "JOB_NOT_FOUND"),
        (json!({"schedule": "other"}), 404, "SCHEDULE_NOT_FOUND"),
        (json!({"parameters": {"no": 1}}), 422, "PARAMETERS_INVALID"),
        (json!({"job": "poll"}), 422, "SCHEDULE_NOT_BACKFILLABLE"),
        (json!({"job": "often", "from": "2020-01-01T00:00:00Z"}), 422, "TOO_MANY_WINDOWS"),
    ];
    for (more, status, code) in rows {
        let answer = ask(&rig, &more).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{more}: {}", answer.text);
    }
    let ahead = ask(&rig, &json!({"from": "2090-01-01T00:00:00Z", "to": "2091-01-01T00:00:00Z"})).await;
    assert_eq!((ahead.status, &ahead.json()["windows"]), (200, &json!(0)), "nothing ahead is run");
    for id in ["x", "backfill_00000000000000000000000000000000"] {
        refused(&rig.get(&format!("/v1/backfills/{id}")).await, 404, "BACKFILL_NOT_FOUND");
        refused(
            &rig.call("POST", &format!("/v1/backfills/{id}:cancel"), "").await,
            404,
            "BACKFILL_NOT_FOUND",
        );
    }
    let asked = rig.call("POST", "/v1/tasks", r#"{"executor": "noop", "priority": "backfill"}"#).await;
    assert_eq!(asked.status, 400, "nobody can ask for that band: {}", asked.text);
    rig.stop().await;
}
