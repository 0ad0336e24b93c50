//! The examples are right, and the schema that editors use agrees with the reader.

use std::fs;
use std::path::PathBuf;

use mainspring_definition::{Definition, Options, SCHEMA, read};
use serde_json::{Value, json};

fn examples() -> Vec<(String, String)> {
    let directory = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    let mut found: Vec<(String, String)> = fs::read_dir(directory)
        .expect("examples")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("a text")))
        .collect();
    found.sort();
    assert!(found.len() >= 12);
    found
}

fn jobs(file: &str, text: &str) -> Vec<Definition> {
    read(file, text, &Options::default()).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"))
}

#[test]
fn every_example_is_right() {
    for (file, text) in examples() {
        for job in jobs(&file, &text) {
            assert!(!job.description.is_empty(), "{file} says what it is for");
            let given: &[u8] = if &*job.name == "invoices" { br#"{"region": "eu"}"# } else { b"" };
            assert!(job.check_parameters(given).is_ok(), "{file} runs as it is");
        }
    }
}

#[test]
fn the_schema_takes_what_the_reader_takes() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let full = include_str!("full.yaml").to_owned();
    for (file, text) in examples().into_iter().chain([("full.yaml".to_owned(), full)]) {
        for job in jobs(&file, &text) {
            let json: Value = serde_json::from_slice(&job.source).expect("JSON");
            let wrong: Vec<String> = schema
                .iter_errors(&json)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(wrong.is_empty(), "{file}: {wrong:#?}");
        }
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let job = |task: Value| json!({"job": "a", "tasks": {"x": task}});
    let rows = [
        ("no name", json!({"tasks": {"x": {"noop": {}}}})),
        ("no tasks", json!({"job": "a"})),
        ("empty tasks", json!({"job": "a", "tasks": {}})),
        ("unknown field", job(json!({"noop": {}, "retrys": 3}))),
        ("no work", job(json!({"needs": []}))),
        ("two works", job(json!({"noop": {}, "sleep": 1}))),
        ("duration", job(json!({"noop": {}, "timeout": "5 parsecs"}))),
        ("size", job(json!({"noop": {}, "resources": {"memory": "lots"}}))),
        ("rule", job(json!({"noop": {}, "trigger_rule": "some"}))),
        ("text as arguments", job(json!({"run": "ls -l"}))),
        ("no url", job(json!({"http": {"method": "GET"}}))),
        ("repeat without a bound", job(json!({"noop": {}, "repeat": {"until": "true"}}))),
        ("priority", job(json!({"noop": {}, "priority": "P9"}))),
        ("undo of a job", job(json!({"noop": {}, "undo": {"job": "b"}}))),
        ("our variable", job(json!({"run": ["a"], "env": {"MAINSPRING_X": "1"}}))),
        ("name of a task", json!({"job": "a", "tasks": {"a b": {"noop": {}}}})),
        (
            "parameter",
            json!({"job": "a", "parameters": {"x": {"typ": "string"}}, "tasks": {"x": {"noop": {}}}}),
        ),
        ("timing", json!({"job": "a", "schedules": [{"name": "x"}], "tasks": {"x": {"noop": {}}}})),
        (
            "timings",
            json!({"job": "a", "schedule": {"every": 5, "cron": "@daily"}, "tasks": {"x": {"noop": {}}}}),
        ),
        (
            "overlap",
            json!({"job": "a", "schedule": {"every": 5, "overlap": "x"}, "tasks": {"x": {"noop": {}}}}),
        ),
        ("approver", job(json!({"approve": {"by": []}}))),
        ("end of an approval", job(json!({"approve": {"by": "anna", "on_timeout": "shrug"}}))),
        ("list without names", json!({"job": "a", "tasks": [{"noop": {}}]})),
    ];
    for (name, value) in rows {
        assert!(!schema.is_valid(&value), "{name}: the schema takes it");
        assert!(read("x", &value.to_string(), &Options::default()).is_err(), "{name}: the reader takes it");
    }
}
