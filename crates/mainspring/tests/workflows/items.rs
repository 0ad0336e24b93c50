//! The items of a mapped task, found and read by the command line.

use crate::support::{stderr, stdout};
use crate::world;

const FAN: &str = "job: fan
failure_policy: fail_after_all
tasks:
  load:
    for_each: [a, b, c]
    retries: 0
    run: [sh, -c, 'echo item $0; test $0 != b', '{{ item }}']
";

#[test]
fn the_item_that_failed_is_found_and_its_log_is_read() {
    let world = world("4");
    world.apply(FAN);
    let id = world.trigger("fan", &[]);
    assert_eq!(world.ended(&id)["state"], "failed");
    let failed = world.json(&["run", "items", &id, "--task", "load", "--state", "failed"]);
    let item = &failed["items"][0];
    assert_eq!((&item["index"], &item["value"]), (&1.into(), &"b".into()), "{failed:#}");
    let table = stdout(&world.run(&["run", "items", &id, "--task", "load"]));
    assert_eq!(table.lines().count(), 4, "a line for each, and a head: {table}");

    let tasks = world.json(&["task", "list", "--run", &id, "--state", "failed"]);
    assert_eq!(tasks["tasks"][0]["task_id"], item["task_id"], "{tasks:#}");
    let log = world.run(&["run", "logs", &id, "--task", "load", "--item", "1"]);
    assert_eq!(stdout(&log), "item b\n", "{}", stderr(&log));
    assert!(stderr(&log).contains("== load item 1 ("), "{}", stderr(&log));
    let all = stdout(&world.run(&["run", "logs", &id]));
    assert_eq!(all, "item a\nitem b\nitem c\n");
    let none = world.run(&["run", "logs", &id, "--task", "load", "--item", "7"]);
    assert_eq!(none.status.code(), Some(4), "{}", stderr(&none));
    let unknown = world.run(&["run", "items", &id, "--task", "other"]);
    assert_eq!(unknown.status.code(), Some(4), "{}", stderr(&unknown));

    let only = world.json(&["run", "items", &id, "--state", "failed"]);
    assert_eq!(only["items"][0]["task_id"], item["task_id"], "the run has one mapped task");
    let hint = stderr(&world.run(&["run", "get", &id]));
    assert!(hint.contains(&format!("mainspring run items {id} --task load --state failed\n")), "{hint}");
    for near in [&["run", "clear", &id, "--task", "lod"], &["run", "logs", &id, "--task", "lod"]] {
        let output = world.run(near);
        assert_eq!(output.status.code(), Some(4), "{near:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("did you mean `load`?"), "{near:?}: {}", stderr(&output));
    }
    // Only the item that failed runs again, and fails again.
    let again = world.run(&["run", "clear", &id, "--wait"]);
    assert_eq!(again.status.code(), Some(3), "{}", stderr(&again));
    let after = world.json(&["run", "items", &id, "--task", "load"]);
    let before = world.json(&["task", "list", "--run", &id, "--state", "succeeded"]);
    let kept: Vec<_> = [0, 2].map(|at| after["items"][at]["task_id"].clone()).to_vec();
    let ran: Vec<_> = [0, 1].map(|at| before["tasks"][at]["task_id"].clone()).to_vec();
    assert_eq!(kept, ran, "{after:#}");
    assert_ne!(after["items"][1]["task_id"], item["task_id"], "{after:#}");
}
