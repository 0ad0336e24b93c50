//! News of runs and their tasks, listened to with the real command.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Running, command};
use crate::world;

#[test]
fn a_listener_hears_what_happens_to_a_run() {
    let world = world("2");
    world.apply(
        "job: told\ntasks:\n  a: {noop: {}}\n  b: {needs: a, when: 'false', noop: {}}\n  c: {needs: a, noop: {}}\n",
    );
    world.apply("job: other\ntasks:\n  a: {noop: {}}\n");
    let mut listener = command(&world.address, &["events", "--job", "told", "-o", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .map(Running)
        .expect("it starts");
    let out = listener.0.stdout.take().expect("piped");
    // Nobody says when the listener is heard: runs follow each other until one was told of from its beginning.
    let (sender, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            let event: Value = serde_json::from_str(&line).expect("a line is an event");
            if sender.send(event).is_err() {
                return;
            }
        }
    });
    let mut events: Vec<Value> = Vec::new();
    for _ in 0..100 {
        world.ended(&world.trigger("other", &[]));
        let id = world.trigger("told", &[]);
        world.ended(&id);
        let about_it = |event: &Value| event["subject"] == *id || event["data"]["run_id"] == *id;
        while let Ok(event) = told.recv_timeout(std::time::Duration::from_millis(500)) {
            events.push(event);
            let ended = events.last().is_some_and(|event| event["type"] == "mainspring.run.succeeded");
            if ended && events.last().is_some_and(about_it) {
                break;
            }
        }
        let whole = events.iter().any(|event| about_it(event) && event["type"] == "mainspring.run.created");
        events.retain(about_it);
        if whole {
            break;
        }
    }
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    for kind in ["run.created", "run.started", "run.task.skipped", "task.assigned", "run.succeeded"] {
        assert!(kinds.contains(&&*format!("mainspring.{kind}")), "no {kind} in {kinds:?}");
    }
    let ended = events.last().expect("some");
    assert_eq!(
        (ended["data"]["state"].as_str(), ended["data"]["job"].as_str()),
        (Some("succeeded"), Some("told"))
    );
    let skipped = events.iter().find(|event| event["type"] == "mainspring.run.task.skipped").expect("one");
    assert_eq!(
        (skipped["data"]["task"].as_str(), skipped["data"]["state"].as_str()),
        (Some("b"), Some("skipped"))
    );
    let ids: std::collections::BTreeSet<_> = events.iter().map(|event| event["id"].to_string()).collect();
    assert_eq!(ids.len(), events.len(), "no id comes twice");
}
