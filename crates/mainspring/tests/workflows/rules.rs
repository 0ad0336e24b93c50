//! The table of trigger rules, every row as a real run.

use serde_json::{Value, json};

use crate::{state, world};

/// The first is the one of a task that was not released.
const UNFINISHED: [&str; 6] = ["pending", "queued", "assigned", "running", "retry_wait", "deferred"];

/// How an upstream task gets into a state. With a condition, because a rule that can never be met is refused.
fn upstream(name: &str, wanted: &str) -> Vec<(String, Value)> {
    let name = name.to_owned();
    match wanted {
        "success" => vec![(name, json!({"run": ["true"], "when": "true"}))],
        "failed" => vec![(name, json!({"run": ["false"], "retries": 0, "when": "true"}))],
        "skipped" => vec![(name, json!({"run": ["true"], "when": "false"}))],
        // Longer than any of the others takes.
        "running" => vec![(name, json!({"run": ["sleep", "120"], "when": "true"}))],
        "upstream_failed" => {
            let bad = format!("bad_{name}");
            vec![
                (bad.clone(), json!({"run": ["false"], "retries": 0})),
                (name, json!({"run": ["true"], "needs": [bad], "when": "true"})),
            ]
        }
        other => panic!("no such state: {other}"),
    }
}

fn job(number: usize, row: &Value) -> Value {
    let upstreams: Vec<&str> = row["upstreams"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|state| state.as_str().expect("a state"))
        .collect();
    let mut tasks = serde_json::Map::new();
    let mut needs = Vec::new();
    for (at, wanted) in upstreams.iter().enumerate() {
        let name = format!("up{at}");
        tasks.extend(upstream(&name, wanted));
        needs.push(name);
    }
    // A row tells what follows from these states together, so none may be decided upon before the other is there: what
    // is skipped at once waits for what has to run first.
    for (at, wanted) in upstreams.iter().enumerate().filter(|(_, wanted)| **wanted == "skipped") {
        let other = upstreams.iter().enumerate().find(|(other, _)| *other != at);
        if let Some((other, state)) = other.filter(|(_, state)| !matches!(**state, "running" | "skipped")) {
            let skipped = &mut tasks[&format!("up{at}")];
            skipped["needs"] = json!([format!("up{other}")]);
            skipped["trigger_rule"] = json!("all_done");
            assert_ne!(*state, *wanted);
        }
    }
    tasks.insert("node".into(), json!({"noop": {}, "needs": needs, "trigger_rule": row["rule"]}));
    json!({"job": format!("row{number}"), "failure_policy": "fail_after_all", "tasks": tasks})
}

/// Whether everything upstream that will end has ended.
fn is_settled(run: &Value, row: &Value) -> bool {
    let upstreams = row["upstreams"].as_array().expect("a list");
    upstreams.iter().enumerate().all(|(at, wanted)| {
        let now = state(run, &format!("up{at}"));
        if wanted == "running" { UNFINISHED[1..].contains(&now) } else { !UNFINISHED.contains(&now) }
    })
}

#[test]
fn every_row_of_the_table_as_a_run() {
    let Some(data) = std::env::var_os("MAINSPRING_DATA") else {
        eprintln!("skipped: MAINSPRING_DATA is not set");
        return;
    };
    let table = std::path::Path::new(&data).join("trigger_rules.json");
    let rows: Vec<Value> =
        serde_json::from_slice(&std::fs::read(table).expect("the table is there")).expect("it is JSON");
    assert_eq!(rows.len(), 240);
    let world = world("500");
    let jobs: Vec<Value> = rows.iter().enumerate().map(|(number, row)| job(number, row)).collect();
    let file = world.dir.path().join("rows.json");
    std::fs::write(&file, json!({"jobs": jobs}).to_string()).expect("a file");
    world.apply_file(&file);
    let runs: Vec<String> =
        (0..rows.len()).map(|number| world.trigger(&format!("row{number}"), &[])).collect();
    for ((number, row), id) in rows.iter().enumerate().zip(&runs) {
        let run = loop {
            let run = world.json(&["run", "get", id]);
            if is_settled(&run, row) && decided(&run, row) {
                break run;
            }
        };
        let found = match state(&run, "node") {
            "pending" => "wait",
            "skipped" => "skipped",
            "upstream_failed" => "upstream_failed",
            _ => "run",
        };
        assert_eq!(found, row["result"], "row {number}: {row}");
    }
}

/// A node that is to wait is looked at once everything upstream has settled; others have to move.
fn decided(run: &Value, row: &Value) -> bool {
    row["result"] == "wait" || state(run, "node") != "pending"
}
