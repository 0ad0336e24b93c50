//! Workflows through the real binary: job files, runs, and what a crash does to them.

#[path = "../support/mod.rs"]
mod support;

mod approvals;
mod backfills;
mod crash;
mod events;
mod examples;
mod growth;
mod items;
mod limits;
mod on_failure;
mod operators;
mod real;
mod rules;
mod schedules;
mod sensitive;
mod triggers;
mod waits;
mod window_kills;

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use self::support::{ANY_PORT, Running, json, mainspring, server, stderr, worker};

/// A server and a worker with settings that no test has to wait for.
pub struct World {
    pub server: Running,
    pub worker: Running,
    pub address: String,
    pub dir: tempfile::TempDir,
}

pub const WIDE: [&str; 4] =
    ["--set", "limits.release_per_second=1000000", "--set", "limits.job_tasks_max=100000"];

pub fn world(slots: &str) -> World {
    world_with(slots, &[])
}

/// With more settings of the worker.
pub fn world_with(slots: &str, more: &[&str]) -> World {
    let dir = tempfile::tempdir().expect("a directory");
    let (server, address) = server(&dir.path().join("data"), ANY_PORT, &WIDE);
    let worker = worker(&address, &dir.path().join("worker"), &[&["--slots", slots], more].concat());
    World { server, worker, address, dir }
}

impl World {
    pub fn run(&self, args: &[&str]) -> Output {
        mainspring(&self.address, args)
    }

    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        json(&self.run(&[args, &["-o", "json"]].concat()))
    }

    #[track_caller]
    pub fn apply(&self, text: &str) {
        let file = self.dir.path().join("job.yaml");
        std::fs::write(&file, text).expect("a file");
        self.apply_file(&file);
    }

    #[track_caller]
    pub fn apply_file(&self, file: &Path) {
        let output = self.run(&["apply", "-f", &file.to_string_lossy()]);
        assert!(output.status.success(), "{}", stderr(&output));
    }

    #[track_caller]
    pub fn trigger(&self, job: &str, more: &[&str]) -> String {
        let answer = self.json(&[&["job", "trigger", job], more].concat());
        answer["run_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// The run, once it has ended.
    #[track_caller]
    pub fn ended(&self, id: &str) -> Value {
        self.json(&["run", "watch", id])
    }
}

pub fn task<'a>(run: &'a Value, name: &str) -> &'a Value {
    let tasks = run["tasks"].as_array().expect("a run has tasks");
    tasks.iter().find(|task| task["name"] == name).unwrap_or_else(|| panic!("no task `{name}` in {run}"))
}

pub fn state<'a>(run: &'a Value, name: &str) -> &'a str {
    task(run, name)["state"].as_str().expect("a state")
}
