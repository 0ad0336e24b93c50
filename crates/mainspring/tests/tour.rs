//! The five minutes of the README, as they stand there, with the real binary.

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use self::support::BINARY;

const README: &str = include_str!("../../../README.md");
const HERE: &str = "127.0.0.1:7070";

/// Stands for `cargo run --release -- dev` in the other terminal, and returns when the server answers.
const CARGO: &str = r#"#!/bin/sh -eu
test "$1 $2 $3 $4" = "run --release -- dev"
mainspring dev --listen "$TOUR_ADDRESS" >>dev.log 2>&1 &
until mainspring stats >/dev/null 2>&1; do sleep 0.1; done
"#;

/// The blocks that are marked as part of the tour, one after the other.
fn tour() -> String {
    let mut script = String::new();
    let mut inside = false;
    for line in README.lines() {
        match line {
            "```sh tour" => inside = true,
            "```" => inside = false,
            line if inside => {
                script.push_str(line);
                script.push('\n');
            }
            _ => {}
        }
    }
    script
}

/// Ends the product that the tour has left running.
struct Running<'a>(&'a Path);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let Ok(process) = fs::read_to_string(self.0.join("data/server/lock")) else { return };
        let _ = Command::new("kill").args(["-9", process.trim()]).status();
    }
}

fn tool(path: &Path, text: &str) {
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it can be run");
}

#[test]
fn the_tour_of_the_readme_works_as_written() {
    let script = tour();
    assert!(script.lines().count() > 15, "the tour is in the README: {script}");
    let dir = tempfile::tempdir().expect("a directory");
    let tools = dir.path().join("tools");
    fs::create_dir(&tools).expect("a directory");
    symlink(BINARY, tools.join("mainspring")).expect("a link");
    tool(&tools.join("cargo"), CARGO);
    // An address of our own: every one that begins with 127 is this machine's.
    let [_, _, high, low] = std::process::id().to_be_bytes();
    let address = format!("127.77.{high}.{}:7070", low.max(1));
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("a path"));

    let _running = Running(dir.path());
    let output = Command::new("sh")
        .args(["-eu", "-c", &script.replace(HERE, &address)])
        .current_dir(dir.path())
        .env("PATH", path)
        .env("TOUR_ADDRESS", &address)
        .env("MAINSPRING_SERVER", format!("http://{address}"))
        .output()
        .expect("a shell");
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let all = format!("{said}\n--- stderr\n{complained}");
    assert!(output.status.success(), "{all}");
    for expected in ["hello\n", "line 3\n", "── attempt 3 ──", "waits_for_time", "ended\n"] {
        assert!(said.contains(expected), "`{expected}` is missing:\n{all}");
    }
    assert_eq!(said.lines().filter(|line| *line == "oops").count(), 3, "once an attempt:\n{all}");
    let listed = |line: &str| line.starts_with("task_") && line.ends_with("ended with code 3 · oops");
    assert!(said.lines().any(listed), "a dead letter as soon as it has ended:\n{all}");
    assert_eq!(said.matches("begun\n").count(), 1, "it was not run twice:\n{all}");
    let last = said.rsplit("ended\n").next().unwrap_or_default();
    let field = |name: &str, value: &str| {
        last.lines().any(|line| line.starts_with(name) && line.trim_end().ends_with(value))
    };
    assert!(field("state", "succeeded") && field("attempt_count", "1"), "{all}");
}
