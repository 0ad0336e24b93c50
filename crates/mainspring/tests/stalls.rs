//! A server that stalls: its disk does not answer, or its process is stopped for longer than a lease.

mod support;

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use support::{ANY_PORT, BINARY, Running, mainspring, until};

/// Holds `fdatasync` and `fsync` for as long as the file named by `HOLD_SYNC` is there, as a disk does that hangs. Makes the
/// file named by `SYNC_HELD` when it does so.
const SLOW_DISK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static void hold(void) {
    const char *file = getenv("HOLD_SYNC"), *held = getenv("SYNC_HELD");
    while (access(file, F_OK) == 0) {
        close(creat(held, 0600));
        usleep(2000);
    }
}
int fdatasync(int fd) { hold(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(fd); }
int fsync(int fd) { hold(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fsync"))(fd); }
"#;

/// A server on a disk that can be made to hang.
struct Stalling {
    server: Running,
    address: String,
    stderr: BufReader<ChildStderr>,
    hold: PathBuf,
    held: PathBuf,
    _dir: tempfile::TempDir,
}

impl Stalling {
    fn start(settings: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let (library, hold, held) = (slow_disk(dir.path()), dir.path().join("hold"), dir.path().join("held"));
        let mut command = Command::new(BINARY);
        command.args(["server", "--listen", ANY_PORT, "--data"]).arg(dir.path().join("data"));
        for setting in settings {
            command.args(["--set", setting]);
        }
        command.env("LD_PRELOAD", library).env("HOLD_SYNC", &hold).env("SYNC_HELD", &held);
        let (server, address, stderr) = support::listening(&mut command);
        Self { server, address, stderr, hold, held, _dir: dir }
    }

    fn go_on(&self) {
        std::fs::remove_file(&self.hold).expect("it was held");
    }

    fn hang(&self) {
        std::fs::write(&self.hold, "").expect("writable");
    }
}

fn slow_disk(dir: &Path) -> PathBuf {
    let (source, library) = (dir.join("slow_disk.c"), dir.join("slow_disk.so"));
    std::fs::write(&source, SLOW_DISK).expect("writable");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(compiled.expect("a C compiler links every Rust program").success());
    library
}

fn signal(process: &Running, name: &str) {
    let sent = Command::new("kill").args([name, &process.0.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
}

#[test]
fn sigterm_ends_a_server_whose_disk_does_not_answer() {
    let mut stalling = Stalling::start(&["server.drain=100ms", "server.stop_max=1s"]);
    assert!(mainspring(&stalling.address, &["submit", "--", "true"]).status.success());
    stalling.hang();
    let mut waiting = support::command(&stalling.address, &["submit", "--", "true"]);
    let mut waiting =
        Running(waiting.stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts"));
    until("an append is under way", || stalling.held.exists());
    signal(&stalling.server, "-TERM");
    let ended = stalling.server.0.wait().expect("it ends");
    let mut said = String::new();
    stalling.stderr.read_to_string(&mut said).expect("text");
    assert_eq!(ended.code(), Some(1), "{said}");
    assert!(said.contains("did not stop within 1 s and exits now"), "{said}");
    assert!(waiting.0.wait().is_ok_and(|ended| !ended.success()), "its outcome is unknown");
}

/// A worker is heard three times in a lease that a test can wait for.
const SHORT_LEASE: [&str; 2] = ["server.lease=3s", "server.heartbeat=500ms"];
/// Longer than that lease.
const STALL: Duration = Duration::from_millis(4_500);

/// Tasks that note in a file when they begin, and end when the file `go` is there.
struct Work {
    dir: tempfile::TempDir,
    _worker: Running,
}

impl Work {
    /// Of each kind of `bodies` so many; waits until all have begun.
    fn begin(server: &str, bodies: &[(&str, usize)]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let worker = support::worker(server, &dir.path().join("worker"), &["--slots", "20"]);
        let (begun, go) = (dir.path().join("begun"), dir.path().join("go"));
        let script =
            format!("echo x >> {}; while ! [ -e {} ]; do sleep 0.05; done", begun.display(), go.display());
        let payload = json!({ "argv": ["sh", "-c", script] });
        let lines = bodies.iter().flat_map(|(more, count)| {
            let mut body =
                json!({ "task_type": "process", "payload": payload, "labels": { "kind": "work" } });
            let more: Value = serde_json::from_str(more).expect("JSON");
            body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            std::iter::repeat_n(body.to_string(), *count)
        });
        let (count, file) = (bodies.iter().map(|(_, count)| count).sum::<usize>(), dir.path().join("tasks"));
        std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).expect("writable");
        let sent = mainspring(server, &["submit", "--file", file.to_str().expect("text")]);
        assert!(sent.status.success(), "{}", support::stderr(&sent));
        let work = Self { dir, _worker: worker };
        until("everything has begun", || work.begun() == count);
        work
    }

    fn begun(&self) -> usize {
        std::fs::read_to_string(self.dir.path().join("begun")).unwrap_or_default().lines().count()
    }

    fn finish(&self) {
        std::fs::write(self.dir.path().join("go"), "").expect("writable");
    }

    /// Everything succeeded at its first attempt, and no program was started twice.
    #[track_caller]
    fn succeeded_once(&self, server: &str, count: usize) {
        let list = || support::json_of(server, &["task", "list", "--label", "kind=work"]);
        let tasks = || list()["tasks"].as_array().cloned().unwrap_or_default();
        let ended = |task: &&Value| task["ended_at"].is_string();
        until("every task has ended", || tasks().iter().filter(ended).count() == count);
        for task in tasks() {
            assert_eq!((&task["state"], &task["attempt_count"]), (&json!("succeeded"), &json!(1)), "{task}");
        }
        assert_eq!(self.begun(), count, "programs that were started");
    }
}

#[test]
fn a_server_that_was_stopped_for_longer_than_a_lease_runs_nothing_twice() {
    let data = tempfile::tempdir().expect("a directory");
    let settings = ["--set", SHORT_LEASE[0], "--set", SHORT_LEASE[1]];
    let (server, address) = support::server(data.path(), ANY_PORT, &settings);
    let work = Work::begin(&address, &[("{}", 3), (r#"{"delivery":"at_most_once"}"#, 3)]);
    signal(&server, "-STOP");
    // Results come while nobody reads them.
    work.finish();
    std::thread::sleep(STALL);
    signal(&server, "-CONT");
    work.succeeded_once(&address, 6);
}

#[test]
fn a_disk_that_hangs_for_longer_than_a_lease_ends_no_attempt() {
    let stalling = Stalling::start(&SHORT_LEASE);
    let alone = |key: &str| format!(r#"{{"limits":[{{"name":"alone","key":"{key}","max":1}}]}}"#);
    let bodies = [("{}", 2), (r#"{"delivery":"at_most_once"}"#, 2), (&*alone("a"), 1), (&*alone("b"), 1)];
    let work = Work::begin(&stalling.address, &bodies);
    stalling.hang();
    let mut waiting = support::command(&stalling.address, &["submit", "--in", "1h", "--", "true"]);
    let mut waiting =
        Running(waiting.stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts"));
    until("an append is under way", || stalling.held.exists());
    // Work with a limit of one would be killed by its worker if heartbeats were not answered.
    std::thread::sleep(STALL);
    stalling.go_on();
    assert!(waiting.0.wait().is_ok_and(|ended| ended.success()), "it is accepted after the stall");
    work.finish();
    work.succeeded_once(&stalling.address, 6);
}
