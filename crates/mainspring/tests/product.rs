//! The real binary: a server process, a worker process, the command line, and kill -9.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use self::support::{ANY_PORT, json, mainspring, server, submitted, until, worker};

/// The task, once `until` holds of it.
fn awaited(server: &str, id: &str, until: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let output = mainspring(server, &["task", "get", id, "-o", "json"]);
        if output.status.success() && until(&json(&output)) {
            return json(&output);
        }
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "still {}",
            String::from_utf8_lossy(&output.stdout)
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn ended(task: &Value) -> bool {
    task["ended_at"].is_string()
}

#[test]
fn work_is_run_waited_for_and_its_exit_code_passed_on() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let good = mainspring(&url, &["submit", "--wait", "-o", "json", "--", "true"]);
    assert_eq!((good.status.code(), json(&good)["state"].as_str()), (Some(0), Some("succeeded")));
    let bad =
        mainspring(&url, &["submit", "--wait", "--retries", "0", "-o", "json", "--", "sh", "-c", "exit 3"]);
    assert_eq!((bad.status.code(), json(&bad)["last_error"]["code"].as_i64()), (Some(3), Some(3)));
    let unknown = mainspring(&url, &["task", "get", "task_00000000000000000000000000000001"]);
    assert_eq!(unknown.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("hint:"));
}

#[test]
fn what_a_program_used_is_in_the_record_of_its_attempt() {
    const BYTES: u64 = 100 << 20;
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    // What it is not to print yet, `tail` keeps in memory.
    let script = format!(
        r#"echo "2 of 2" > "$MAINSPRING_CONTROL/progress"; head -c {BYTES} /dev/zero | tail -c {BYTES} | wc -c"#
    );
    let id = submitted(&url, &["--", "sh", "-c", &script]);
    let task = awaited(&url, &id, ended);
    let attempt = &task["attempts"][0];
    let used = &attempt["used"];
    assert!(
        used["memory_peak_bytes"].as_u64().is_some_and(|peak| (BYTES..2 * BYTES).contains(&peak)),
        "{task:#}"
    );
    assert!(used["cpu_ms"].as_u64().is_some_and(|ms| (1..60_000).contains(&ms)), "{task:#}");
    assert_eq!(attempt["progress"], "2 of 2", "{task:#}");
    let shown = support::stdout(&mainspring(&url, &["task", "get", &id]));
    let peak = format!("{} MiB", used["memory_peak_bytes"].as_u64().unwrap_or(0) >> 20);
    assert!(shown.contains("MEMORY") && shown.contains(&peak), "{shown}");
}

/// A small server takes no huge pages, which would double its size. Programs that a worker starts are not touched.
#[test]
fn a_small_server_has_small_pages_and_its_workers_programs_do_not_notice() {
    let dir = tempfile::tempdir().expect("a directory");
    let (server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let status = fs::read_to_string(format!("/proc/{}/status", server.0.id())).expect("Linux tells");
    assert!(status.contains("THP_enabled:\t0"), "{status}");
    let program =
        mainspring(&url, &["submit", "--wait", "--", "grep", "-q", "THP_enabled:.1", "/proc/self/status"]);
    assert!(program.status.success(), "{}", support::stderr(&program));
}

#[test]
fn a_killed_server_picks_everything_up_and_runs_nothing_twice() {
    let dir = tempfile::tempdir().expect("a directory");
    let (data, ledger, gate) = (dir.path().join("data"), dir.path().join("ledger"), dir.path().join("gate"));
    let (first, url) = server(&data, ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    // Runs until the gate is there, and leaves a line for every time it was started.
    let script =
        format!("echo run >> {}; while ! test -e {}; do sleep 0.05; done", ledger.display(), gate.display());
    let running = submitted(&url, &["--", "sh", "-c", &script]);
    let later = submitted(&url, &["--in", "1h", "--", "true"]);
    awaited(&url, &running, |task| task["state"] == "running" && ledger.exists());
    drop(first); // SIGKILL

    let listen = url.trim_start_matches("http://").to_owned();
    let (_second, url) = server(&data, &listen, &[]);
    assert_eq!(awaited(&url, &later, |_| true)["state"], "pending");
    fs::write(&gate, "").expect("opens the gate");
    let task = awaited(&url, &running, ended);
    assert_eq!((task["state"].as_str(), task["attempt_count"].as_u64()), (Some("succeeded"), Some(1)));
    assert_eq!(fs::read_to_string(&ledger).expect("written"), "run\n", "it was not run twice");
}

#[test]
fn a_hard_limit_holds_while_the_server_is_down() {
    let dir = tempfile::tempdir().expect("a directory");
    let (data, pid) = (dir.path().join("data"), dir.path().join("pid"));
    let (first, url) = server(&data, ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let script = format!("echo $$ > {}; exec sleep 600", pid.display());
    let id = submitted(&url, &["--timeout", "2s", "--retries", "0", "--", "sh", "-c", &script]);
    awaited(&url, &id, |task| task["state"] == "running" && pid.exists());
    drop(first); // SIGKILL
    let process = format!("/proc/{}", fs::read_to_string(&pid).expect("written").trim());
    until("the worker ends it", || !Path::new(&process).exists());

    let (_second, url) = server(&data, url.trim_start_matches("http://"), &[]);
    let task = awaited(&url, &id, ended);
    assert_eq!((task["state"].as_str(), task["attempt_count"].as_u64()), (Some("failed"), Some(1)));
    assert_eq!(task["last_error"]["class"], "timeout", "{task}");
}

#[test]
fn a_killed_worker_loses_its_work_to_another() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let first = worker(&url, &dir.path().join("first"), &[]);
    let marker = dir.path().join("marker");
    // The first time it hangs, the second time it ends.
    let script = format!("test -e {0} && exit 0; touch {0}; sleep 600", marker.display());
    let id = submitted(&url, &["--", "sh", "-c", &script]);
    awaited(&url, &id, |task| task["state"] == "running" && marker.exists());
    drop(first); // SIGKILL
    let _second = worker(&url, &dir.path().join("second"), &[]);
    let task = awaited(&url, &id, ended);
    assert_eq!((task["state"].as_str(), task["attempt_count"].as_u64()), (Some("succeeded"), Some(2)));
    assert_eq!(task["attempts"][0]["error"]["class"], "worker_lost");
}

#[test]
fn a_worker_offers_what_tasks_ask_for() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let warned = mainspring(&url, &["submit", "--pool", "nowhere", "--", "true"]);
    let told = String::from_utf8_lossy(&warned.stderr).into_owned();
    assert!(warned.status.success() && told.starts_with("warning: pool `nowhere` has no workers"), "{told}");

    let offered = ["--gpus", "2", "--disk", "10GiB", "--resource", "license=1"];
    let _worker = worker(&url, &dir.path().join("worker"), &offered);
    let script = "echo $CUDA_VISIBLE_DEVICES $MAINSPRING_RESOURCE_LICENSE";
    let ask =
        ["--gpus", "2", "--disk", "1GiB", "--resource", "license=1", "--wait", "--", "sh", "-c", script];
    let given = mainspring(&url, &[&["submit"], &ask[..]].concat());
    assert_eq!(String::from_utf8_lossy(&given.stdout), "0,1 0\n", "{given:?}");
    let ask = ["submit", "-q", "--gpus", "3", "--disk", "11GiB", "--resource", "license=2", "--", "true"];
    let told = support::stderr(&mainspring(&url, &ask));
    let missing = "`disk_bytes` of 11811160064 (the most is 10737418240), `gpus` of 3 (the most is 2), \
                   `license` of 2 (the most is 1)";
    assert!(told.contains(missing), "{told}");
    for wrong in [["--disk", "much"], ["--resource", "license"], ["--resource", "gpus=1"], ["--gpus", "-1"]] {
        let refused = mainspring(&url, &[&["submit"], &wrong[..], &["--", "true"]].concat());
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
    let wrong =
        Command::new(support::BINARY).args(["worker", "--resource", "gpus=1"]).output().expect("runs");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("built-in resource"), "{wrong:?}");
}

/// As a machine image that was made from a running worker.
#[test]
fn a_copied_worker_waits_until_the_first_is_gone() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let (state, copy) = (dir.path().join("first"), dir.path().join("copy"));
    let first = worker(&url, &state, &[]);
    let warm = submitted(&url, &["--", "true"]);
    awaited(&url, &warm, ended);
    fs::create_dir(&copy).expect("a directory");
    for name in ["worker", "session"] {
        fs::copy(state.join(name), copy.join(name)).expect("copied");
    }
    let mut second = Command::new(support::BINARY);
    second.args(["worker", "--server", &url, "--state"]).arg(&copy).stderr(std::process::Stdio::piped());
    let mut second = support::Running(second.spawn().expect("the binary starts"));
    let tasks: Vec<String> = (0..20).map(|_| submitted(&url, &["--", "sleep", "0.2"])).collect();
    let told = BufReader::new(second.0.stderr.take().expect("piped")).lines();
    // Before it says so it says little.
    let told = told.map_while(Result::ok).take(20).find(|line| line.contains("WORKER_IDENTITY_IN_USE"));
    assert!(told.is_some_and(|line| line.contains("/worker`")), "it says what to do");
    for id in &tasks {
        let task = awaited(&url, id, ended);
        assert_eq!((task["state"].as_str(), task["attempt_count"].as_u64()), (Some("succeeded"), Some(1)));
    }
    drop(first); // SIGKILL
    let last = submitted(&url, &["--", "true"]);
    assert_eq!(awaited(&url, &last, ended)["state"], "succeeded", "the copy has taken over");
}

#[test]
fn a_damaged_row_is_named_and_can_be_read_again_once_it_is_repaired() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    let (mut first, url) = server(&data, ANY_PORT, &[]);
    let far = submitted(&url, &["--in", "30d", "--", "true"]);
    assert!(Command::new("kill").arg(first.0.id().to_string()).status().expect("kill runs").success());
    assert!(first.0.wait().expect("it ends").success(), "SIGTERM ends it in good order");
    // Its row is not read at the start, because it is not due for long.
    let tables = || rusqlite::Connection::open(data.join("tables.db")).expect("the tables open");
    let bytes: Vec<u8> = tables().query_row("SELECT bytes FROM live", [], |row| row.get(0)).expect("a row");
    assert_eq!(tables().execute("UPDATE live SET bytes = x'ff'", []).expect("written"), 1);

    let (_second, url) = server(&data, ANY_PORT, &[]);
    let asked = mainspring(&url, &["task", "get", &far]);
    assert!(!asked.status.success());
    assert!(String::from_utf8_lossy(&asked.stderr).contains("damaged"), "{asked:?}");
    assert!(mainspring(&url, &["submit", "-q", "--", "true"]).status.success(), "the server goes on");
    let listed = mainspring(&url, &["store", "quarantine"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains(&far), "{listed:?}");

    assert_eq!(
        tables().execute("UPDATE live SET bytes = ?1 WHERE bytes = x'ff'", [bytes]).expect("written"),
        1
    );
    let released = mainspring(&url, &["store", "release", &far]);
    assert!(released.status.success(), "{released:?}");
    assert!(mainspring(&url, &["task", "get", &far]).status.success(), "it can be read again");
}
