//! Named and keyed limits: one at a time for each key, over jobs and runs; a holder that is lost frees its place.

use serde_json::Value;

use crate::support::{submitted, until, worker};
use crate::{World, task, world};

fn dir(world: &World) -> String {
    world.dir.path().to_string_lossy().into_owned()
}

#[test]
fn one_at_a_time_for_each_key_over_runs() {
    let world = world("8");
    // Whoever finds the directory of its customer there is not alone.
    let script = "mkdir $DIR/$1 || echo $1 >> $DIR/twice; sleep 0.05; rmdir $DIR/$1; echo $1 >> $DIR/done";
    world.apply(
        &"job: sync
tasks:
  each:
    for_each: [ada, bob, ada, cyd, bob, ada, ada, bob]
    shell: 'SCRIPT'
    args: ['{{ item }}']
    retries: 0
    limits: [{name: customer, key: '{{ item }}', max: 1}]
"
        .replace("SCRIPT", script)
        .replace("$DIR", &dir(&world)),
    );
    let runs: Vec<String> = (0..4).map(|_| world.trigger("sync", &[])).collect();
    for id in &runs {
        let run = world.ended(id);
        assert_eq!(run["state"], "succeeded", "{run:#}");
    }
    assert!(!world.dir.path().join("twice").exists(), "two had the same key at once");
    let done = std::fs::read_to_string(world.dir.path().join("done")).expect("all ran");
    assert_eq!(done.lines().count(), 32);
}

/// The diagnosis of the first task of a run.
fn diagnosis(world: &World, run: &str) -> Value {
    let run = world.json(&["run", "get", run]);
    let id = task(&run, "use")["task_id"].as_str().unwrap_or_default().to_owned();
    if id.is_empty() { Value::Null } else { world.json(&["task", "diagnose", &id]) }
}

#[test]
fn a_limit_is_shared_by_jobs_and_says_who_holds_it() {
    let world = world("8");
    for job in ["load", "report"] {
        world.apply(&format!(
            "job: {job}\ntasks:\n  use: {{run: [sleep, '60'], limits: [{{name: db, max: 1}}]}}\n"
        ));
    }
    let first = world.trigger("load", &[]);
    until("the first holds it", || diagnosis(&world, &first)["reason"] == "held");
    let second = world.trigger("report", &[]);
    until("the second waits", || diagnosis(&world, &second)["reason"] == "limit");
    let told = diagnosis(&world, &second);
    assert_eq!(told["message"], "limit `db` has 1 of at most 1 holders", "{told:#}");
    let run = world.json(&["run", "get", &first]);
    assert_eq!(told["holders"], serde_json::json!([task(&run, "use")["task_id"]]), "{told:#}");
    assert!(world.run(&["run", "cancel", &first]).status.success());
    until("the second holds it", || diagnosis(&world, &second)["reason"] == "held");
}

#[test]
fn a_lost_holder_frees_its_place() {
    let mut world = world("4");
    let ledger = world.dir.path().join("ledger");
    let script = format!("echo $MAINSPRING_TASK_ID >> {}; sleep 60", ledger.display());
    let submit =
        |world: &World| submitted(&world.address, &["--limit", "customer:acme=1", "--", "sh", "-c", &script]);
    let lines = || std::fs::read_to_string(&ledger).unwrap_or_default().lines().count();
    let first = submit(&world);
    until("the first runs", || lines() == 1);
    let second = submit(&world);
    until("the second waits", || world.json(&["task", "diagnose", &second])["reason"] == "limit");
    world.worker.0.kill().expect("it is killed");
    world.worker.0.wait().expect("it has ended");
    world.worker = worker(&world.address, &world.dir.path().join("worker"), &["--slots", "4"]);
    until("the place has changed hands", || lines() == 2);
    let states = [&first, &second].map(|id| world.json(&["task", "diagnose", id])["reason"].clone());
    assert!(
        states.contains(&"held".into()) && !states.iter().all(|state| state == "held"),
        "one holds it, the other waits: {states:?}"
    );
}
