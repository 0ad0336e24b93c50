//! Every file under `examples/` is applied and run as it stands.

use std::path::Path;

use crate::support::{stderr, until};
use crate::{state, world};

/// Examples that need something that is not here, or parameters.
const SPECIAL: [(&str, &[&str], &str); 2] =
    [("webhooks", &[], "failed"), ("invoices", &["-p", "region=eu"], "succeeded")];

#[test]
fn every_example_runs() {
    let world = world("8");
    world.apply_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"));
    let jobs = world.json(&["job", "list"]);
    let names: Vec<&str> = jobs["jobs"]
        .as_array()
        .expect("jobs")
        .iter()
        .map(|job| job["job"].as_str().expect("a name"))
        .collect();
    assert!(names.len() >= 12, "a dozen examples: {names:?}");
    for name in names {
        let special = SPECIAL.iter().find(|(special, ..)| *special == name);
        let (more, wanted) = special.map_or((&[][..], "succeeded"), |(_, more, wanted)| (*more, *wanted));
        let id = world.trigger(name, more);
        if name == "approval" {
            until("it waits", || world.json(&["run", "get", &id])["waits_for"] == "approval");
            let approved = world.run(&["run", "approve", &id]);
            assert!(approved.status.success(), "{}", stderr(&approved));
        }
        let run = world.ended(&id);
        assert_eq!(run["state"], wanted, "{name}: {run:#}");
        if name == "branch" {
            let skipped = ["full", "increment"].iter().filter(|task| state(&run, task) == "skipped").count();
            assert_eq!(skipped, 1, "one branch is taken: {run:#}");
        }
    }
}

#[test]
fn the_same_file_again_is_no_new_version_and_a_difference_is_shown() {
    let world = world("1");
    world.apply("job: a\ntasks:\n  one: {noop: {}}\n");
    world.apply("job: a\ntasks:\n  one: {noop: {}}\n");
    assert_eq!(world.json(&["job", "get", "a"])["version"], 1);
    let file = world.dir.path().join("job.yaml");
    let same = world.run(&["diff", "-f", &file.to_string_lossy()]);
    assert_eq!(same.status.code(), Some(0), "{}", stderr(&same));
    std::fs::write(&file, "job: a\ntasks:\n  one: {noop: {}}\n  two: {noop: {}, needs: one}\n")
        .expect("a file");
    let differs = world.json(&["diff", "-f", &file.to_string_lossy()]);
    let diff = differs["differences"][0]["diff"].as_str().expect("a difference");
    assert!(diff.lines().any(|line| line.starts_with('+') && line.contains("two")), "{diff}");
    world.apply_file(&file);
    assert_eq!(world.json(&["job", "get", "a"])["version"], 2);
    let history = world.json(&["job", "history", "a"]);
    assert_eq!(history["versions"].as_array().map(Vec::len), Some(2), "{history}");
}

#[test]
fn mistakes_are_told_by_the_server_too() {
    let world = world("1");
    let output = world.run(&["job", "trigger", "nobody"]);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    world.apply(
        "job: p\nparameters:\n  day: {type: integer}\ntasks:\n  one: {run: [echo, '{{ params.day }}']}\n",
    );
    let output = world.run(&["job", "trigger", "p", "-p", "day=soon", "-p", "other=1"]);
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("day") && told.contains("other"), "all that is wrong at once: {told}");
}
