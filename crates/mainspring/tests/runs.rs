//! Runs on the command line, against a real server: what failed, what was undone, who did what, and how it is repaired.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use self::support::{ANY_PORT, Running, command, json_of, mainspring, server, stderr, stdout, until, worker};

const JOBS: &str = r#"
job: nightly
parameters:
  day: { type: string, default: today }
tasks:
  load:
    for_each: [1, 2, 3, 4, 5, 6, 7, 8]
    retries: 0
    env: { N: "{{ item }}" }
    shell: 'echo "row $N"; test $N != 4 || { echo "bad row $N" >&2; exit 3; }'
---
job: tolerant
tasks:
  work:
    for_each: { items: [1, 2, 3, 4, 5, 6, 7, 8], tolerate: 3 }
    retries: 0
    env: { N: "{{ item }}" }
    shell: 'test $N -lt 7 || test -e GATE'
---
job: saga
tasks:
  pay: { shell: echo paid, undo: { shell: echo paid back } }
  ship: { needs: [pay], retries: 0, shell: exit 1 }
---
job: long
tasks:
  wait: { shell: sleep 60 }
"#;

/// A server with a worker and these jobs.
fn product(dir: &Path) -> (Running, Running, String) {
    let (server, url) = server(&dir.join("data"), ANY_PORT, &[]);
    let worker = worker(&url, &dir.join("worker"), &[]);
    let file = dir.join("jobs.yaml");
    fs::write(&file, JOBS.replace("GATE", &dir.join("gate").display().to_string())).expect("written");
    let applied = mainspring(&url, &["apply", "-f", &file.display().to_string()]);
    assert!(applied.status.success(), "{}", stderr(&applied));
    (server, worker, url)
}

/// The newest run of the job.
#[track_caller]
fn run_of(url: &str, job: &str) -> String {
    let list = json_of(url, &["run", "list", "--job", job]);
    list["runs"][0]["run_id"].as_str().unwrap_or_else(|| panic!("no run: {list}")).to_owned()
}

#[test]
fn a_failed_item_is_shown_with_its_error_and_log_and_the_run_with_who_did_what() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, _worker, url) = product(dir.path());
    let trigger = ["job", "trigger", "nightly", "--wait", "-p", "day=2026-01-31", "--label", "team=ops"];
    let at = ["--logical-time", "2026-01-31T06:00:00Z", "--reason", "by hand"];
    let ended = mainspring(&url, &[&trigger[..], &at].concat());
    let said = stderr(&ended);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    for part in ["load item 3 failed: ended with code 3", "  | bad row 4", "mainspring task logs task_"] {
        assert!(said.contains(part), "`{part}` is missing: {said}");
    }

    let run = run_of(&url, "nightly");
    let shown = stdout(&mainspring(&url, &["run", "get", &run]));
    for part in [
        "started by hand, logical time 2026-01-31 06:00",
        "parameters: day=2026-01-31",
        "labels: team=ops",
        "(unverified)",
        ": by hand",
        "item 3: ended with code 3 · row 4 · bad row 4",
    ] {
        assert!(shown.contains(part), "`{part}` is missing: {shown}");
    }
    let watched = stderr(&mainspring(&url, &["run", "watch", &run]));
    assert!(watched.contains("load item 3 failed"), "{watched}");
}

#[test]
fn an_undo_task_is_told_from_the_task_that_it_undoes() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, _worker, url) = product(dir.path());
    mainspring(&url, &["job", "trigger", "saga", "--wait"]);
    let run = run_of(&url, "saga");
    let shown = stdout(&mainspring(&url, &["run", "get", &run]));
    let row = |name: &str| shown.lines().find(|line| line.contains(name)).map(str::to_owned);
    assert!(row("undo of pay").is_some_and(|row| row.contains("succeeded")), "{shown}");
    until("the tables have both", || {
        let list = stdout(&mainspring(&url, &["task", "list", "--run", &run]));
        list.matches("undo of pay ").count() == 1 && list.matches(" pay ").count() == 2
    });
    let logs = stderr(&mainspring(&url, &["run", "logs", &run]));
    assert!(logs.contains("== pay (") && logs.contains("== undo of pay ("), "{logs}");
    let data = json_of(&url, &["run", "get", &run]);
    assert_eq!(data["tasks"].as_array().map(Vec::len), Some(2), "data is what the server said: {data}");
}

#[test]
fn tolerated_failures_run_again_without_naming_their_task() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, _worker, url) = product(dir.path());
    let ended = mainspring(&url, &["job", "trigger", "tolerant", "--wait"]);
    let said = stderr(&ended);
    assert_eq!(ended.status.code(), Some(0), "{said}");
    let run = run_of(&url, "tolerant");
    let again = format!("mainspring run clear {run} --only-failed");
    assert!(said.contains("failed and tolerated") && said.contains(&again), "{said}");

    let unclear = mainspring(&url, &["run", "clear", &run]);
    assert_eq!(unclear.status.code(), Some(1));
    assert!(stderr(&unclear).contains(&again), "{}", stderr(&unclear));
    fs::write(dir.path().join("gate"), "").expect("opens");
    let cleared = mainspring(&url, &["run", "clear", &run, "--only-failed", "--wait"]);
    assert_eq!(cleared.status.code(), Some(0), "{}", stderr(&cleared));
    let items = &json_of(&url, &["run", "get", &run])["tasks"][0]["items"];
    assert_eq!((&items["succeeded"], &items["failed"]), (&json!(8), &json!(0)), "{items}");
    let nothing = mainspring(&url, &["run", "clear", &run, "--only-failed"]);
    assert!(stderr(&nothing).contains("--task NAME"), "{}", stderr(&nothing));
}

#[test]
fn a_task_that_recurs_is_shown_changed_and_cancelled_by_its_id() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let id = stdout(&mainspring(&url, &["submit", "-q", "--every", "1h", "--name", "backup", "--", "true"]));
    let id = id.trim();
    assert!(id.starts_with("schedule_"), "{id}");
    assert_eq!(json_of(&url, &["task", "get", id])["recurs"]["schedule"], "@tasks/backup");
    let amended = mainspring(&url, &["task", "amend", id, "--every", "2h"]);
    assert!(amended.status.success(), "{}", stderr(&amended));
    assert_eq!(json_of(&url, &["task", "get", id])["recurs"]["every"], "2h");
    for verb in ["logs", "retry", "diagnose", "history", "run-now"] {
        let refused = mainspring(&url, &["task", verb, id]);
        let said = stderr(&refused);
        assert!(
            !refused.status.success() && said.contains("schedule history @tasks/backup"),
            "{verb}: {said}"
        );
    }
    assert_eq!(json_of(&url, &["task", "cancel", id])["state"], "cancelled");
    let gone = mainspring(&url, &["task", "get", "schedule_00000000000000ff"]);
    assert_eq!(gone.status.code(), Some(4), "{}", stderr(&gone));
}

#[test]
fn what_a_command_cannot_take_is_refused_by_name_and_with_what_it_takes() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, _worker, url) = product(dir.path());
    let rows: [(&[&str], i32, &str); 13] = [
        (&["run", "list", "--state", "faild"], 2, "did you mean `failed`?"),
        (&["run", "list", "--trigger", "webhook"], 2, "manual, parent, rerun, schedule, event, backfill"),
        (&["task", "list", "--state", "done"], 2, "--state"),
        (&["task", "get", "task_zz"], 2, "no id of a task"),
        (&["submit", "--at", "yesterday", "--", "true"], 2, "--at"),
        (&["submit", "--priority", "P9", "--", "true"], 2, "P0, P1, P2"),
        (&["job", "trigger", "saga", "--logical-time", "yesterday"], 2, "--logical-time"),
        (&["stats", "-o", "name"], 2, "take -o json"),
        (&["job", "history", "saga", "--version", "9"], 4, "has no version 9"),
        (&["job", "trigger", "nightly", "-p", "x=1"], 1, "there is no parameter `x`\n"),
        (&["run", "show", "run_1"], 2, "`mainspring run get`"),
        (&["ps"], 2, "`mainspring task list`"),
        (&["run", "force", "run_0123456", "done"], 2, "succeeded, failed, cancelled"),
    ];
    for (args, code, part) in rows {
        let refused = mainspring(&url, args);
        let said = stderr(&refused);
        assert_eq!((refused.status.code(), said.contains(part)), (Some(code), true), "{args:?}: {said}");
    }
    let next = mainspring(&url, &["cron", "next", "0 3 * * *"]);
    assert!(next.status.success() && stdout(&next).contains("T03:00:00"), "{}", stderr(&next));
    let dry = stdout(&mainspring(&url, &["task", "cancel", "--all", "--dry-run"]));
    assert!(dry.contains("dry_run") && !dry.contains("operation_id"), "{dry}");
}

#[test]
fn who_stops_waiting_for_a_run_is_told_that_it_goes_on() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, _worker, url) = product(dir.path());
    let waits = command(&url, &["job", "trigger", "long", "--wait"]).stderr(Stdio::piped()).spawn();
    let waits = waits.expect("the binary starts");
    until("it runs", || json_of(&url, &["run", "list", "--job", "long"])["runs"][0]["state"] == "running");
    // It listens for signals as soon as it waits.
    std::thread::sleep(Duration::from_millis(300));
    let run = run_of(&url, "long");
    let sent = Command::new("kill").args(["-INT", &waits.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let ended = waits.wait_with_output().expect("ends");
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    assert!(stderr(&ended).contains(&format!("`mainspring run cancel {run}`")), "{}", stderr(&ended));
    assert_eq!(json_of(&url, &["run", "get", &run])["state"], "running");
}
