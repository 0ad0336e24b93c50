//! The log of a real server: one JSON object a line, with fields.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use self::support::{ANY_PORT, BINARY, listening, mainspring, submitted};

fn find<'a>(lines: &'a [Value], message: &str) -> &'a Value {
    let found: Vec<&Value> = lines.iter().filter(|line| line["message"] == message).collect();
    assert_eq!(found.len(), 1, "`{message}` in {lines:?}");
    found[0]
}

/// What a server logs from its start to its end; `meanwhile` is done while it serves at the address.
fn logged(meanwhile: impl Fn(&str)) -> Vec<Value> {
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = Command::new(BINARY)
        .args(["server", "--log", "info", "--log-format", "json", "--listen", "127.0.0.1:0", "--data"])
        .arg(dir.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = Vec::new();
    for line in BufReader::new(child.stderr.take().expect("piped")).lines() {
        let line = line.expect("text");
        // What is said to people is no part of the log.
        let Ok(line) = serde_json::from_str::<Value>(&line) else { continue };
        if line["message"] == "ready" {
            meanwhile(line["address"].as_str().expect("an address"));
            let stopped = Command::new("kill").arg(child.id().to_string()).status();
            assert!(stopped.is_ok_and(|status| status.success()), "SIGTERM is sent");
        }
        lines.push(line);
    }
    assert!(child.wait().is_ok_and(|status| status.success()), "it ends in good order");
    lines
}

#[test]
fn a_server_logs_its_life_as_json() {
    let lines = logged(|_| {});
    assert_eq!(find(&lines, "starting")["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(find(&lines, "recovered")["rows"], 0);
    assert!(find(&lines, "ready")["address"].as_str().is_some_and(|text| text.starts_with("127.0.0.1:")));
    assert_eq!(find(&lines, "stopping")["sessions"], 0);
    assert_eq!(find(&lines, "stopped: everything is durable and in the tables")["level"], "INFO");
    assert!(lines.iter().all(|line| line["timestamp"].is_string() && line["target"].is_string()));
}

#[test]
fn what_people_do_to_jobs_and_runs_is_logged_with_who_and_why() {
    let files = tempfile::tempdir().expect("a directory");
    let file = files.path().join("job.yaml");
    std::fs::write(&file, "job: etl\ntasks:\n  a: {noop: {}}\n").expect("a file");
    let file = file.to_string_lossy();
    let lines = logged(|address| {
        let server = format!("http://{address}");
        let act = |args: &[&str]| {
            let output =
                Command::new(BINARY).args(args).env("MAINSPRING_SERVER", &server).env("USER", "ann").output();
            let output = output.expect("the binary runs");
            assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        };
        act(&["apply", "-f", &file, "--reason", "first"]);
        act(&["apply", "-f", &file, "--reason", "again"]);
        let run: Value =
            serde_json::from_slice(&act(&["job", "trigger", "etl", "--reason", "by hand", "-o", "json"]))
                .expect("an answer");
        let run = run["run_id"].as_str().expect("a run");
        act(&["run", "pause", run, "--reason", "look"]);
        act(&["run", "resume", run]);
        act(&["run", "cancel", run, "--reason", "enough"]);
        act(&["job", "pause", "etl", "--reason", "holiday"]);
        act(&["job", "resume", "etl", "--reason", "back"]);
        act(&["job", "delete", "etl", "--reason", "gone"]);
    });
    let rows = [
        ("a job was applied", "default/etl v1", "first"),
        ("a job was triggered", "default/etl as run_", "by hand"),
        ("a run was paused", "run_", "look"),
        ("a run was resumed", "run_", ""),
        ("a run was cancelled", "run_", "enough"),
        ("a job was paused", "default/etl", "holiday"),
        ("a job was resumed", "default/etl", "back"),
        ("a job was deleted", "default/etl", "gone"),
    ];
    for (message, of, reason) in rows {
        let line = find(&lines, message);
        assert!(line["of"].as_str().is_some_and(|text| text.starts_with(of)), "{line}");
        assert_eq!((&line["actor"], &line["reason"]), (&"ann".into(), &reason.into()), "{line}");
    }
}

#[test]
fn what_people_do_to_tasks_is_logged_with_who_and_why() {
    let lines = logged(|address| {
        let server = format!("http://{address}");
        let act = |args: &[&str]| {
            let mut command = Command::new(BINARY);
            command.args(args).env("MAINSPRING_SERVER", &server).env("MAINSPRING_ACTOR", "Jürgen");
            let output = command.output().expect("the binary runs");
            assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).expect("text").trim().to_owned()
        };
        let task = act(&["submit", "--in", "2h", "-q", "--reason", "größer", "--", "true"]);
        act(&["task", "amend", &task, "--in", "3h", "--reason", "later"]);
        act(&["task", "run-now", &task, "--reason", "urgent"]);
        act(&["task", "force", &task, "failed", "--reason", "broken"]);
        act(&["task", "retry", &task, "--reason", "repaired"]);
        act(&["task", "cancel", &task, "--reason", "enough"]);
        act(&["task", "cancel", "--job", "none", "--yes", "--reason", "all of it"]);
        act(&["event", "send", "--type", "t", "--source", "/s", "--reason", "try it"]);
    });
    let rows = [
        ("tasks were submitted", "task_", "größer"),
        ("a task was changed", "task_", "later"),
        ("a task was started before its time", "task_", "urgent"),
        ("a task was forced to an end", "task_", "broken"),
        ("a task was queued again", "task_", "repaired"),
        ("a task was cancelled", "task_", "enough"),
        ("tasks were cancelled", "operation ", "all of it"),
        ("events were published", "1 of tenant default", "try it"),
    ];
    for (message, of, reason) in rows {
        let line = find(&lines, message);
        assert!(line["of"].as_str().is_some_and(|text| text.starts_with(of)), "{line}");
        assert_eq!((&line["actor"], &line["reason"]), (&"Jürgen".into(), &reason.into()), "{line}");
    }
}

#[test]
fn a_filter_that_is_none_is_refused_with_an_example() {
    let output =
        Command::new(BINARY).args(["--log", "a=b=c", "config", "example"]).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("mainspring_api=debug"));
}

#[test]
fn a_log_that_goes_to_a_file_has_no_colours() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = Command::new(BINARY)
        .args(["server", "--log", "info", "--listen", ANY_PORT, "--data"])
        .arg(dir.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let stderr = BufReader::new(child.stderr.take().expect("piped"));
    let _running = support::Running(child);
    let first = stderr.lines().map_while(Result::ok).find(|line| line.contains("INFO"));
    let first = first.expect("it logs its start");
    assert!(!first.contains('\x1b'), "{first:?}");
}

/// A log on a full disk must not keep a server or a worker from working.
#[test]
fn a_server_and_a_worker_whose_stderr_cannot_be_written_to_work() {
    let dir = tempfile::tempdir().expect("a directory");
    let free = std::net::TcpListener::bind(ANY_PORT).and_then(|socket| socket.local_addr());
    let listen = free.expect("a free port").to_string();
    let url = format!("http://{listen}");
    let start = |args: &[&str], dir: &str, path: &std::path::Path| {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
        let child = Command::new(BINARY).args(args).arg(dir).arg(path).stderr(full).spawn();
        support::Running(child.expect("the binary starts"))
    };
    let server = ["server", "--log", "info", "--listen", &listen];
    let mut server = start(&server, "--data", &dir.path().join("server"));
    let _worker = start(&["worker", "--server", &url], "--state", &dir.path().join("worker"));
    support::until("the server accepts a task and a worker runs it", || {
        mainspring(&url, &["submit", "--wait", "--", "true"]).status.success()
    });
    let stopped = Command::new("kill").arg(server.0.id().to_string()).status();
    assert!(stopped.is_ok_and(|status| status.success()), "SIGTERM is sent");
    assert!(server.0.wait().is_ok_and(|status| status.success()), "it ends in good order");
}

/// A program that starts a server may stop reading what it says.
#[test]
fn a_server_whose_stderr_nobody_reads_goes_on() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = Command::new(BINARY)
        .args(["server", "--log", "trace", "--listen", ANY_PORT, "--data"])
        .arg(dir.path().join("data"))
        .env("NO_COLOR", "1")
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut server = support::Running(child);
    let listening = stderr.find_map(|line| line.ok()?.strip_prefix("listening on ").map(str::to_owned));
    let url = listening.expect("it listens").split(',').next().expect("an address").to_owned();
    let _worker = support::worker(&url, &dir.path().join("worker"), &[]);

    // Nobody reads from here on. A task is about 30 KiB of trace; the pipe takes 64, the buffer and a write 256 each.
    for _ in 0..30 {
        let one = mainspring(&url, &["submit", "--wait", "--", "true"]);
        assert!(one.status.success(), "{}", support::stderr(&one));
    }
    // Read again, it says what is missing.
    let dropped = stderr.find_map(|line| {
        let line = line.ok()?;
        line.contains("log lines were dropped").then_some(line)
    });
    let dropped = dropped.expect("it says how many");
    assert!(dropped.contains("WARN") && dropped.contains("lines="), "{dropped}");

    // Nor does it keep the server from ending.
    let stopped = Command::new("kill").arg(server.0.id().to_string()).status();
    assert!(stopped.is_ok_and(|status| status.success()), "SIGTERM is sent");
    assert!(server.0.wait().is_ok_and(|status| status.success()), "it ends in good order");
}

#[test]
fn changes_are_logged_at_the_default_level_and_submissions_are_not() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(BINARY);
    command.args(["server", "--log-format", "json", "--listen", ANY_PORT, "--data"]).arg(dir.path());
    let (mut running, address, stderr) = listening(&mut command);
    let id = submitted(&address, &["--in", "1h", "--reason", "often", "--", "true"]);
    let cancelled = mainspring(&address, &["task", "cancel", &id, "--reason", "not needed"]);
    assert!(cancelled.status.success());
    let stopped = Command::new("kill").arg(running.0.id().to_string()).status();
    assert!(stopped.is_ok_and(|status| status.success()), "SIGTERM is sent");
    let lines: Vec<Value> =
        stderr.lines().filter_map(|line| serde_json::from_str(&line.expect("text")).ok()).collect();
    let line = find(&lines, "a task was cancelled");
    assert_eq!((line["of"].as_str(), line["reason"].as_str()), (Some(id.as_str()), Some("not needed")));
    assert!(lines.iter().all(|line| line["reason"] != "often"), "{lines:?}");
    assert!(running.0.wait().is_ok_and(|status| status.success()), "it ends in good order");
}
