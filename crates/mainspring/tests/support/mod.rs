//! What tests of the real binary share: servers and workers as processes that do not outlive a test, and the command
//! line against them.
#![allow(dead_code, reason = "every test takes what it needs")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub const BINARY: &str = env!("CARGO_BIN_EXE_mainspring");

/// Where a server listens that may take any free port.
pub const ANY_PORT: &str = "127.0.0.1:0";

/// A process that does not outlive the test.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server with these arguments more, and answers where it listens.
#[track_caller]
pub fn server(data: &Path, listen: &str, more: &[&str]) -> (Running, String) {
    let mut command = Command::new(BINARY);
    command.args(["server", "--listen", listen, "--data"]).arg(data).args(more);
    let (running, address, _) = listening(&mut command);
    (running, address)
}

/// Starts a server by this command; where it listens, and what it says after that.
#[track_caller]
pub fn listening(command: &mut Command) -> (Running, String, BufReader<ChildStderr>) {
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let running = Running(child);
    // Below `warn` the log says something before that.
    let mut said = String::new();
    let address = loop {
        let begun = said.len();
        let read = stderr.read_line(&mut said).expect("it says where it listens");
        assert!(read > 0, "no address: {said}");
        if let Some(told) = said[begun..].strip_prefix("listening on ") {
            break told.split_whitespace().next().unwrap_or_default().trim_end_matches(',').to_owned();
        }
    };
    (running, address, stderr)
}

/// Starts a worker with these arguments more; with four slots unless they say how many.
pub fn worker(server: &str, state: &Path, more: &[&str]) -> Running {
    let slots: &[&str] = if more.contains(&"--slots") { &[] } else { &["--slots", "4"] };
    let worker = Command::new(BINARY)
        .args(["worker", "--server", server, "--state"])
        .arg(state)
        .args(slots)
        .args(more)
        .stderr(Stdio::null())
        .spawn();
    Running(worker.expect("the binary starts"))
}

pub fn command(server: &str, args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.env("MAINSPRING_SERVER", server).args(args).stdin(Stdio::null());
    command
}

pub fn mainspring(server: &str, args: &[&str]) -> Output {
    command(server, args).output().expect("the binary runs")
}

/// What a command printed, which must be JSON.
#[track_caller]
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("not JSON: {}{}", stdout(output), stderr(output)))
}

#[track_caller]
pub fn json_of(server: &str, args: &[&str]) -> Value {
    json(&mainspring(server, &[args, &["-o", "json"]].concat()))
}

/// Submits with these arguments; the id of the task.
#[track_caller]
pub fn submitted(server: &str, args: &[&str]) -> String {
    let answer = json(&mainspring(server, &[&["submit", "-o", "json"], args].concat()));
    answer["task_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
