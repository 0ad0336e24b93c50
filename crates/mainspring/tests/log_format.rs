//! The log of a real server: one JSON object a line, with fields.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use self::support::BINARY;

fn find<'a>(lines: &'a [Value], message: &str) -> &'a Value {
    let found: Vec<&Value> = lines.iter().filter(|line| line["message"] == message).collect();
    assert_eq!(found.len(), 1, "`{message}` in {lines:?}");
    found[0]
}

#[test]
fn a_server_logs_its_life_as_json() {
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
            let stopped = Command::new("kill").arg(child.id().to_string()).status();
            assert!(stopped.is_ok_and(|status| status.success()), "SIGTERM is sent");
        }
        lines.push(line);
    }
    assert!(child.wait().is_ok_and(|status| status.success()), "it ends in good order");
    assert_eq!(find(&lines, "starting")["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(find(&lines, "recovered")["rows"], 0);
    assert!(find(&lines, "ready")["address"].as_str().is_some_and(|text| text.starts_with("127.0.0.1:")));
    assert_eq!(find(&lines, "stopping")["sessions"], 0);
    assert_eq!(find(&lines, "stopped: everything is durable and in the tables")["level"], "INFO");
    assert!(lines.iter().all(|line| line["timestamp"].is_string() && line["target"].is_string()));
}

#[test]
fn a_filter_that_is_none_is_refused_with_an_example() {
    let output =
        Command::new(BINARY).args(["--log", "a=b=c", "config", "example"]).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("mainspring_api=debug"));
}
