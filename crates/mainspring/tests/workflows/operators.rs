//! Cancel, pause, clear, rerun, and one run for each key.

use crate::support::{server, stderr, stdout, until};
use crate::{WIDE, state, task, world};

const CHAIN: &str = "job: chain
tasks:
  a: {run: [sh, -c, 'echo one; echo ran >> $MAINSPRING_TEST_DIR/a']}
  b: {needs: a, retries: 0, run: [sh, -c, 'test -e $MAINSPRING_TEST_DIR/fixed']}
  c: {needs: b, noop: {}}
";

#[test]
fn what_failed_is_repaired_and_runs_again_without_what_went_well() {
    let world = world("4");
    let dir = world.dir.path().to_string_lossy().into_owned();
    world.apply(&CHAIN.replace("$MAINSPRING_TEST_DIR", &dir));
    let id = world.trigger("chain", &[]);
    let run = world.ended(&id);
    assert_eq!((run["state"].as_str(), state(&run, "c")), (Some("failed"), "upstream_failed"), "{run:#}");
    std::fs::write(world.dir.path().join("fixed"), "").expect("a file");
    let again = world.json(&["run", "rerun", &id, "--from-failure", "--wait"]);
    assert_eq!(again["state"], "succeeded", "{again:#}");
    assert_eq!(again["rerun_of"].as_str(), Some(&*id));
    let cleared = world.run(&["run", "clear", &id, "--reason", "the disk was full"]);
    assert!(cleared.status.success(), "{}", stderr(&cleared));
    let run = world.ended(&id);
    assert_eq!(run["state"], "succeeded", "{run:#}");
    // The first one says who triggered it.
    assert_eq!(run["notes"][1]["reason"], "the disk was full", "{run:#}");
    assert_eq!(task(&run, "b")["turn"], 1);
    let ran = std::fs::read_to_string(world.dir.path().join("a")).expect("a ran");
    assert_eq!(ran.lines().count(), 1, "what went well is not repeated");
}

#[test]
fn a_run_is_paused_resumed_and_cancelled() {
    let world = world("4");
    world.apply("job: slow\ntasks:\n  a: {run: [sleep, '60']}\n  b: {needs: a, noop: {}}\n");
    let id = world.trigger("slow", &[]);
    assert!(world.run(&["run", "pause", &id]).status.success());
    assert_eq!(world.json(&["run", "get", &id])["paused"], "by hand");
    assert!(world.run(&["run", "resume", &id]).status.success());
    until("the task runs", || world.json(&["run", "get", &id])["tasks"][0]["state"] == "running");
    assert!(world.run(&["run", "cancel", &id]).status.success());
    let run = world.ended(&id);
    assert_eq!((run["state"].as_str(), state(&run, "b")), (Some("cancelled"), "cancelled"), "{run:#}");
    let other = world.trigger("slow", &[]);
    let answer = world.json(&["run", "cancel", "--job", "slow", "--yes"]);
    assert_eq!(answer["handled"], 1, "{answer}");
    assert_eq!(world.ended(&other)["state"], "cancelled");
}

#[test]
fn one_run_for_each_run_key() {
    let world = world("1");
    world.apply("job: keyed\nparameters: {n: 1}\ntasks:\n  a: {noop: {}}\n");
    let first = world.trigger("keyed", &["--run-key", "2026-01-31"]);
    assert_eq!(world.trigger("keyed", &["--run-key", "2026-01-31"]), first);
    let other = world.run(&["job", "trigger", "keyed", "--run-key", "2026-01-31", "-p", "n=2"]);
    assert_eq!(other.status.code(), Some(1), "the same key with other parameters is refused");
    assert_ne!(world.trigger("keyed", &["--run-key", "2026-02-01"]), first);
    let runs = world.json(&["run", "list", "--job", "keyed"]);
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(2));
}

#[test]
fn one_run_for_each_logical_time_also_after_a_kill() {
    let mut world = world("1");
    let ledger = world.dir.path().join("ledger");
    world.apply(&format!(
        "job: daily\nparameters: {{n: 1}}\ntasks:\n  a: {{run: [sh, -c, 'echo {{{{ run.logical_time }}}} >> {}']}}\n",
        ledger.display()
    ));
    let day = ["--logical-time", "2026-01-31T00:00:00Z"];
    let first = world.trigger("daily", &day);
    let run = world.ended(&first);
    assert_eq!(
        (run["trigger"].as_str(), run["logical_time"].as_str(), run.get("window")),
        (Some("manual"), Some("2026-01-31T00:00:00.000Z"), None),
        "{run:#}"
    );
    world.server.0.kill().expect("it is killed");
    world.server.0.wait().expect("it is gone");
    let listen = world.address.trim_start_matches("http://").to_owned();
    world.server = server(&world.dir.path().join("data"), &listen, &WIDE).0;
    let again = world.json(&["job", "trigger", "daily", "--logical-time", "1769817600"]);
    assert_eq!((again["run_id"].as_str(), &again["duplicate"]), (Some(&*first), &true.into()), "{again}");
    let other = world.run(&[&["job", "trigger", "daily", "-p", "n=2"], &day[..]].concat());
    assert_eq!(other.status.code(), Some(1));
    assert!(
        stderr(&other).contains("a run for this logical time, with other parameters")
            && stderr(&other).contains(&first),
        "{}",
        stderr(&other)
    );
    let both = world.run(&[&["job", "trigger", "daily", "--run-key", "k"], &day[..]].concat());
    assert_eq!(both.status.code(), Some(2), "{}", stderr(&both));
    let rerun = world.json(&["run", "rerun", &first, "--wait"]);
    assert_eq!(rerun["logical_time"], run["logical_time"], "{rerun:#}");
    let told = std::fs::read_to_string(&ledger).expect("it ran");
    assert_eq!(told, "2026-01-31T00:00:00Z\n".repeat(2));
}

#[test]
fn a_paused_job_keeps_its_runs_waiting() {
    let world = world("1");
    world.apply("job: p\ntasks:\n  a: {noop: {}}\n");
    assert!(world.run(&["job", "pause", "p"]).status.success());
    let id = world.trigger("p", &[]);
    assert_eq!(world.json(&["run", "get", &id])["state"], "queued");
    assert!(world.run(&["job", "resume", "p"]).status.success());
    assert_eq!(world.ended(&id)["state"], "succeeded");
}

#[test]
fn a_run_says_why_it_has_not_ended_and_then_what_failed() {
    let world = world("4");
    world.apply(
        "job: stuck\ntasks:\n  after: {needs: gpu, noop: {}}\n  gpu: {pool: gpu, noop: {}}\n  quick: {noop: {}}\n",
    );
    let id = world.trigger("stuck", &[]);
    let beginning = &id[..24];
    until("the quick one is done", || world.json(&["run", "get", &id])["counts"]["succeeded"] == 1);
    let told = world.json(&["run", "diagnose", beginning]);
    assert_eq!((told["run_id"].as_str(), told["reason"].as_str()), (Some(&*id), Some("working")), "{told:#}");
    let names: Vec<_> = told["tasks"].as_array().expect("tasks").iter().map(|task| &task["name"]).collect();
    assert_eq!(names, ["gpu", "after"]);
    let output = world.run(&["run", "diagnose", beginning]);
    let text = stdout(&output);
    assert!(text.contains("no_workers: pool `gpu` has no workers"), "{text}");
    assert!(text.contains("it waits for `gpu` (queued) by rule `all_success`"), "{text}");
    assert!(text.contains("hint: start a worker with `--pool gpu`"), "{text}");
    let missing = world.run(&["run", "diagnose", "run_000000000000"]);
    assert_eq!(missing.status.code(), Some(4), "{}", stderr(&missing));
}

#[test]
fn a_program_runs_as_the_user_that_its_job_file_names() {
    let world = world("1");
    world.apply("job: who\ntasks:\n  a: {run: [id], user: no-such-user-here}\n");
    let id = world.trigger("who", &[]);
    assert_eq!(world.ended(&id)["state"], "failed");
    let told = world.json(&["run", "diagnose", &id]);
    let message = told["tasks"][0]["last_error"]["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains("no user `no-such-user-here`"), "{told:#}");
}

#[test]
fn jobs_are_found_and_paused_by_tag() {
    let world = world("1");
    for (job, tags) in [("a", "[nightly, etl]"), ("b", "[nightly]"), ("c", "[etl]")] {
        world.apply(&format!("job: {job}\nowner: ada\ntags: {tags}\ntasks:\n  t: {{noop: {{}}}}\n"));
    }
    let names = |answer: &serde_json::Value| {
        let jobs = answer["jobs"].as_array().expect("jobs").iter();
        jobs.map(|job| job["job"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&world.json(&["job", "list", "--tag", "nightly", "--owner", "ada"])), ["a", "b"]);
    assert_eq!(names(&world.json(&["job", "list", "--owner", "bob"])), [""; 0]);
    assert_eq!(
        world.run(&["job", "pause", "--tag", "nightly"]).status.code(),
        Some(1),
        "nobody can be asked"
    );
    let paused = world.json(&["job", "pause", "--tag", "nightly", "--yes"]);
    assert_eq!((&paused["handled"], &paused["selector"]["tag"]), (&2.into(), &"nightly".into()), "{paused}");
    let states = world.json(&["job", "list"]);
    let states: Vec<_> = states["jobs"].as_array().expect("jobs").iter().map(|job| &job["state"]).collect();
    assert_eq!(states, ["paused", "paused", "active"]);
    assert_eq!(world.json(&["job", "resume", "--tag", "nightly", "--yes"])["handled"], 2);
}
