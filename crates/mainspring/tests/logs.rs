//! The real binary: output of processes on its way to whoever reads it, and what kill -9 does to it.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use self::support::{ANY_PORT, Running, command, json_of, mainspring, server, worker};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn submitted(server: &str, script: &str) -> String {
    support::submitted(server, &["--", "sh", "-c", script])
}

fn task(server: &str, id: &str) -> Value {
    json_of(server, &["task", "get", id])
}

/// A command whose output is read line by line.
struct Reading {
    running: Running,
    lines: BufReader<ChildStdout>,
    all: String,
}

impl Reading {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
        let lines = BufReader::new(child.stdout.take().expect("piped"));
        Self { running: Running(child), lines, all: String::new() }
    }

    /// Reads until a line is there.
    fn until(&mut self, wanted: &str) {
        while !self.all.lines().any(|line| line == wanted) {
            let count = self.lines.read_line(&mut self.all).expect("text");
            assert!(count > 0, "it ended without `{wanted}`:\n{}", self.all);
        }
    }

    /// The exit code, and all that it said.
    fn rest(mut self) -> (Option<i32>, String) {
        self.lines.read_to_string(&mut self.all).expect("text");
        let status = self.running.0.wait().expect("it ended");
        (status.code(), self.all)
    }
}

#[test]
fn a_log_is_followed_while_the_task_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let gate = dir.path().join("gate");
    let script =
        format!("echo first; while ! test -e {}; do sleep 0.05; done; echo second >&2", gate.display());
    let id = submitted(&url, &script);
    let mut following = Reading::start(&mut command(&url, &["task", "logs", "-f", &id]));
    // It waits for the gate: that the line is here means that it came before the end.
    following.until("first");
    assert_eq!(task(&url, &id)["state"], "running");
    assert_eq!(text(&mainspring(&url, &["task", "logs", &id]).stdout), "first\n");
    fs::write(&gate, "").expect("opens the gate");
    assert_eq!(following.rest(), (Some(0), "first\nsecond\n".to_owned()));
    let from = mainspring(&url, &["task", "logs", "--attempt", "1", "--offset", "6", &id]);
    assert_eq!(text(&from.stdout), "second\n");
    let unknown = mainspring(&url, &["task", "logs", "task_00000000000000000000000000000001"]);
    assert_eq!(unknown.status.code(), Some(4));
}

#[test]
fn who_follows_late_sees_every_attempt() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let gate = dir.path().join("gate");
    // The first attempt fails at once; the second waits, so that the task has not ended when it is followed.
    let script = format!(
        "echo attempt $MAINSPRING_ATTEMPT; test $MAINSPRING_ATTEMPT = 2 || exit 1; \
         while ! test -e {}; do sleep 0.05; done",
        gate.display()
    );
    let id = support::submitted(&url, &["--backoff", "none", "--", "sh", "-c", &script]);
    support::until("the second attempt's log", || {
        text(&mainspring(&url, &["task", "logs", &id]).stdout) == "attempt 2\n"
    });
    let mut following = Reading::start(&mut command(&url, &["task", "logs", "-f", &id]));
    following.until("attempt 2");
    fs::write(&gate, "").expect("opens the gate");
    let all = "attempt 1\n── attempt 2 ──\nattempt 2\n";
    assert_eq!(following.rest(), (Some(0), all.to_owned()));
    let ended = mainspring(&url, &["task", "logs", "-f", &id]);
    assert_eq!(text(&ended.stdout), all, "of a task that has ended, too");
}

#[test]
fn a_killed_server_loses_no_line_and_doubles_none() {
    let dir = tempfile::tempdir().expect("a directory");
    let (data, stop) = (dir.path().join("data"), dir.path().join("stop"));
    let (mut running, url) = server(&data, ANY_PORT, &[]);
    let listen = url.trim_start_matches("http://").to_owned();
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let script = format!(
        "i=0; while ! test -e {}; do echo line $i; i=$((i+1)); sleep 0.005; done; echo $i lines",
        stop.display()
    );
    let id = submitted(&url, &script);
    let mut following = Reading::start(command(&url, &["task", "logs", "-f", &id]).stderr(Stdio::null()));
    following.until("line 50");
    // In the middle of gathering, packing and sending, and again when the worker has sent some of it twice.
    for seen in ["line 300", "line 900"] {
        drop(running); // SIGKILL
        running = server(&data, &listen, &[]).0;
        following.until(seen);
    }
    fs::write(&stop, "").expect("stops it");
    let (code, followed) = following.rest();
    assert_eq!(code, Some(0));
    let count = followed.lines().count() - 1;
    let whole: String =
        (0..count).map(|n| format!("line {n}\n")).chain([format!("{count} lines\n")]).collect();
    assert!(followed == whole, "what was followed:\n{followed}");
    let kept = text(&mainspring(&url, &["task", "logs", &id]).stdout);
    assert!(kept == whole, "what is kept:\n{kept}");
    let task = task(&url, &id);
    assert_eq!((task["state"].as_str(), task["attempt_count"].as_u64()), (Some("succeeded"), Some(1)));
    drop(running);
}

#[test]
fn waiting_shows_the_log_and_ends_as_the_process_did() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let failing = ["submit", "--wait", "--retries", "0", "--", "sh", "-c", "echo working; exit 3"];
    let failed = mainspring(&url, &failing);
    assert_eq!((failed.status.code(), text(&failed.stdout)), (Some(3), "working\n".to_owned()));
    assert!(text(&failed.stderr).contains(" failed: ended with code 3"), "{}", text(&failed.stderr));
    let silent = mainspring(&url, &["submit", "--wait", "--", "true"]);
    assert_eq!((silent.status.code(), text(&silent.stdout)), (Some(0), String::new()));
    assert!(text(&silent.stderr).contains(" succeeded"), "{}", text(&silent.stderr));
}

#[test]
fn who_stops_waiting_does_not_stop_the_task() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let gate = dir.path().join("gate");
    let script = format!("echo begun; while ! test -e {}; do sleep 0.05; done", gate.display());
    let mut command = command(&url, &["submit", "--wait", "--", "sh", "-c", &script]);
    let mut waiting = Reading::start(command.stderr(Stdio::piped()));
    waiting.until("begun");
    let interrupted = Command::new("kill").args(["-INT", &waiting.running.0.id().to_string()]).status();
    assert!(interrupted.expect("kill runs").success());
    let mut said = String::new();
    let mut stderr = waiting.running.0.stderr.take().expect("piped");
    stderr.read_to_string(&mut said).expect("text");
    assert_eq!(waiting.rest().0, Some(130), "{said}");
    let id = said.split_whitespace().next().expect("an id").to_owned();
    assert!(said.contains(&format!("mainspring task cancel --force {id}")), "{said}");
    assert_eq!(task(&url, &id)["state"], "running");
    fs::write(&gate, "").expect("opens the gate");
    let since = Instant::now();
    while task(&url, &id)["state"] != "succeeded" {
        assert!(since.elapsed() < Duration::from_mins(1), "it never ended");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_end_of_a_log_a_line_of_it_and_lines_with_a_text() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let gate = dir.path().join("gate");
    let script = format!("seq 1 5000; while ! test -e {}; do sleep 0.05; done; echo last", gate.display());
    let id = submitted(&url, &script);
    let logs = |args: &[&str]| {
        let output = mainspring(&url, &[&["task", "logs"], args, &[&id]].concat());
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    support::until("its output", || logs(&["--tail", "1"]) == "5000\n");
    assert_eq!(logs(&["--tail", "2"]), "4999\n5000\n");
    assert!(logs(&["--line", "4998"]) == "4998\n4999\n5000\n");
    assert_eq!(logs(&["--grep", "499"]).lines().next(), Some("499: 499"));
    assert_eq!(logs(&["--grep", "499"]).lines().count(), 15);
    let hit: Value = serde_json::from_str(&logs(&["--grep", "4321", "-o", "json"])).expect("JSON");
    assert_eq!((&hit["line"], &hit["match"]), (&4321.into(), &"4321".into()));
    let following = Reading::start(&mut command(&url, &["task", "logs", "-f", "--tail", "1", &id]));
    fs::write(&gate, "").expect("opens the gate");
    assert_eq!(following.rest(), (Some(0), "5000\nlast\n".to_owned()));
    assert_eq!(logs(&["--grep", "LAST", "-i"]), "5001: last\n");
    let disk = json_of(&url, &["system"])["disk"].clone();
    for part in ["journal_bytes", "tables_bytes", "logs_bytes", "free_bytes", "size_bytes"] {
        assert!(disk[part].as_u64() > Some(0), "{part}: {disk}");
    }
}

#[test]
fn stdout_and_stderr_are_printed_apart() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let script = "echo one; echo bad >&2; sleep 0.1; echo two; echo worse >&2";
    // One that would survive its worker writes straight to its log.
    let id = support::submitted(&url, &["--timeout", "1m", "--", "sh", "-c", script]);
    command(&url, &["task", "logs", "-f", &id]).output().expect("it ends");
    let printed = |more: &[&str]| {
        let words = [&["task", "logs", "-f", &id][..], more].concat();
        text(&mainspring(&url, &words).stdout)
    };
    assert_eq!(printed(&["--stream", "stdout"]), "one\ntwo\n");
    assert_eq!(printed(&["--stream", "stderr"]), "bad\nworse\n");
    let all = printed(&[]);
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["bad", "one", "two", "worse"], "{all:?}");
    let read = mainspring(&url, &["task", "logs", "--stream", "stderr", &id]);
    assert_eq!(text(&read.stdout), "bad\nworse\n");
}
