//! Real workflows with their real durations, scaled down, on a small and a large worker: order is kept, and how close
//! the whole comes to what is possible is printed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::world;

/// What the best possible schedule of a workflow takes after scaling. Large workflows then have tasks of a few
/// milliseconds, and what the scheduler adds to each weighs more than it would in life; a longer time shows the rest.
const BOUND_MS: f64 = 1_500.0;
const BOUND_VARIABLE: &str = "MAINSPRING_TEST_BOUND_MS";

fn bound_ms() -> f64 {
    std::env::var(BOUND_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(BOUND_MS)
}

struct Real {
    name: String,
    /// By id: needs and milliseconds.
    tasks: BTreeMap<String, (Vec<String>, f64)>,
}

fn read(path: &std::path::Path) -> Real {
    let file: Value = serde_json::from_slice(&std::fs::read(path).expect("it is there")).expect("it is JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let tasks = file["tasks"].as_array().expect("tasks").iter().map(|task| {
        let deps = task["deps"].as_array().expect("deps").iter().map(text).collect();
        (text(&task["id"]), (deps, task["runtime_s"].as_f64().expect("a duration") * 1e3))
    });
    Real { name: text(&file["name"]), tasks: tasks.collect() }
}

impl Real {
    fn critical_path(&self) -> f64 {
        let mut longest: BTreeMap<&str, f64> = BTreeMap::new();
        while longest.len() < self.tasks.len() {
            for (id, (deps, ms)) in &self.tasks {
                let before: Option<Vec<f64>> =
                    deps.iter().map(|dep| longest.get(dep.as_str()).copied()).collect();
                if let Some(before) = before {
                    longest.insert(id, ms + before.into_iter().fold(0.0, f64::max));
                }
            }
        }
        longest.into_values().fold(0.0, f64::max)
    }

    fn bound(&self, slots: f64) -> f64 {
        let work: f64 = self.tasks.values().map(|(_, ms)| ms).sum();
        self.critical_path().max(work / slots)
    }

    /// In whole milliseconds, as a job file says them.
    fn scaled(mut self, scale: f64) -> Self {
        self.tasks.values_mut().for_each(|(_, ms)| *ms = (*ms * scale).round().max(1.0));
        self
    }

    /// Names of tasks are short; ids may hold anything.
    fn job(&self, name: &str) -> Value {
        let names: BTreeMap<&str, String> =
            self.tasks.keys().enumerate().map(|(at, id)| (id.as_str(), format!("t{at}"))).collect();
        let mut tasks = Map::new();
        for (id, (deps, ms)) in &self.tasks {
            let needs: Vec<&String> = deps.iter().map(|dep| &names[dep.as_str()]).collect();
            let sleep = format!("{ms}ms");
            tasks.insert(names[id.as_str()].clone(), json!({"sleep": sleep, "needs": needs}));
        }
        json!({"job": name, "limits": {"release_per_second": 1_000_000}, "tasks": tasks})
    }
}

fn at(value: &Value, field: &str) -> Timestamp {
    value[field].as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{field} of {value}"))
}

fn assert_in_order(run: &Value) {
    let tasks = run["tasks"].as_array().expect("tasks");
    let ended: BTreeMap<&str, Timestamp> =
        tasks.iter().map(|task| (task["name"].as_str().expect("a name"), at(task, "ended_at"))).collect();
    for task in tasks {
        for need in task["needs"].as_array().expect("needs") {
            let need = need.as_str().expect("a name");
            assert!(at(task, "started_at") >= ended[need], "{} began before {need} had ended", task["name"]);
        }
    }
}

#[test]
fn real_workflows_keep_their_order_and_lose_little_time() {
    let Some(data) = std::env::var_os("MAINSPRING_DATA") else {
        eprintln!("skipped: MAINSPRING_DATA is not set");
        return;
    };
    let mut paths: Vec<_> = std::fs::read_dir(std::path::Path::new(&data).join("workflows"))
        .expect("the workflows are there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 14);
    for slots in [2, 64] {
        let world = world(&slots.to_string());
        for path in &paths {
            let real = read(path);
            let scale = bound_ms() / real.bound(f64::from(slots));
            let real = real.scaled(scale);
            let file = world.dir.path().join("real.json");
            std::fs::write(&file, real.job("real").to_string()).expect("a file");
            world.apply_file(&file);
            let run = world.ended(&world.trigger("real", &[]));
            assert_eq!(run["state"], "succeeded");
            assert_in_order(&run);
            let took = at(&run, "created_at").duration_until(at(&run, "ended_at")).as_secs_f64() * 1e3;
            println!(
                "{slots:>2} slots  {:>5} tasks  {:.2} × the bound  {}",
                real.tasks.len(),
                took / real.bound(f64::from(slots)),
                real.name
            );
        }
    }
}
