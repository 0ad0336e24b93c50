//! Jobs and tasks that begin by the clock, through the real binary.

use std::time::SystemTime;

use serde_json::Value;

use crate::support::{stderr, stdout, until};
use crate::{World, world};

fn windows(world: &World, schedule: &str) -> Vec<Value> {
    let history = world.json(&["schedule", "history", schedule]);
    history["windows"].as_array().cloned().unwrap_or_else(|| panic!("{history}"))
}

fn count(world: &World, schedule: &str, outcome: &str) -> usize {
    windows(world, schedule).iter().filter(|window| window["outcome"] == outcome).count()
}

/// As RFC 3339 in UTC, which sorts as time does.
fn seconds_ago(seconds: u64) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs();
    jiff::Timestamp::from_second((now - seconds) as i64).expect("in range").to_string()
}

#[test]
fn a_job_runs_by_the_clock_is_paused_and_goes_on() {
    let world = world("2");
    world.apply("job: tick\nschedule: {every: 1s}\ntasks:\n  a: {run: [echo, \"for {{ window.at }}\"]}\n");
    until("two windows ran", || count(&world, "tick", "ran") >= 2);
    let rows = windows(&world, "tick/default");
    assert!(rows.windows(2).all(|pair| pair[0]["first"].as_str() > pair[1]["first"].as_str()), "{rows:?}");
    let ran = rows.iter().find(|row| row["outcome"] == "ran").expect("one ran");
    let run = world.ended(ran["run_id"].as_str().expect("a run"));
    assert_eq!(run["state"], "succeeded", "{run:#}");
    assert_eq!(run["window"]["at"], ran["first"], "{run:#}");
    assert_eq!((&run["window"]["schedule"], &run["window"]["late"]), (&"default".into(), &false.into()));
    assert!(run["window"]["start"].as_str() < run["window"]["at"].as_str(), "{run:#}");

    let ahead = world.json(&["schedule", "upcoming", "--within", "10s", "--limit", "5"]);
    let ahead = ahead["windows"].as_array().expect("windows");
    assert_eq!(ahead.len(), 5, "{ahead:?}");
    assert!(ahead.windows(2).all(|pair| pair[0]["at"].as_str() < pair[1]["at"].as_str()), "{ahead:?}");
    let shown = stdout(&world.run(&["job", "get", "tick"]));
    assert!(shown.contains("every 1s") && shown.contains("NEXT"), "{shown}");
    let listed = stdout(&world.run(&["schedule", "list"]));
    assert!(listed.contains("tick") && listed.contains("every 1s"), "{listed}");

    assert!(world.run(&["schedule", "pause", "tick", "--reason", "a test"]).status.success());
    let paused = world.json(&["schedule", "get", "tick"]);
    assert_eq!(paused["state"], "paused", "{paused:#}");
    let next = paused["next"].as_str().expect("it has a next window").to_owned();
    until("windows pass in the pause", || seconds_ago(3) > next);
    assert!(world.run(&["schedule", "resume", "tick"]).status.success());
    until("the pause is told", || count(&world, "tick", "skipped") >= 1);
    let rows = windows(&world, "tick");
    let skipped = rows.iter().find(|row| row["outcome"] == "skipped").expect("found");
    assert_eq!(skipped["reason"], "paused", "{skipped:#}");
    assert!(
        skipped["count"].as_u64().is_some_and(|count| count >= 3),
        "one row for all of them: {skipped:#}"
    );
    assert_eq!(skipped["first"].as_str().map(|first| &first[..19]), Some(&next[..19]), "{skipped:#}");
    let last = skipped["last"].as_str().expect("a window").to_owned();
    until("it goes on", || {
        let begun = |row: &Value| row["run_id"].is_string() && row["first"].as_str() > Some(&*last);
        windows(&world, "tick").iter().any(begun)
    });
}

#[test]
fn a_task_recurs() {
    let world = world("2");
    let submit = ["submit", "--every", "1s", "--name", "beat", "-o", "json", "--", "true"];
    let answer = crate::support::json(&world.run(&submit));
    assert_eq!((&answer["schedule"], &answer["state"]), (&"@tasks/beat".into(), &"pending".into()));
    until("two windows began tasks", || {
        windows(&world, "@tasks/beat").iter().filter(|row| row["task_id"].is_string()).count() >= 2
    });
    let rows = windows(&world, "@tasks/beat");
    let row = rows.last().expect("some");
    let id = row["task_id"].as_str().expect("a task");
    until("it ended", || world.json(&["task", "get", id])["state"] == "succeeded");
    let task = world.json(&["task", "get", id]);
    assert_eq!((&task["window"]["at"], &task["window"]["schedule"]), (&row["first"], &"beat".into()));

    let again = crate::support::json(&world.run(&submit));
    assert_eq!(again["schedule"], "@tasks/beat", "{again}");
    assert!(world.run(&["schedule", "delete", "@tasks/beat"]).status.success());
    let gone = world.run(&["schedule", "get", "@tasks/beat"]);
    assert_eq!(gone.status.code(), Some(4), "{}", stderr(&gone));
    assert!(!windows(&world, "@tasks/beat").is_empty(), "the history stays");
    let bad = world.run(&["submit", "--cron", "0 25 * * *", "--", "true"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(stderr(&bad).contains("hour, at character 3"), "{}", stderr(&bad));
}

#[test]
fn a_schedule_is_named_by_its_job_if_that_is_enough() {
    let world = world("1");
    world.apply(
        "job: two\nschedules: [{name: a, cron: '@yearly'}, {name: b, every: 30d}]\ntasks:\n  x: {noop: {}}\n",
    );
    let many = world.run(&["schedule", "get", "two"]);
    assert_eq!(many.status.code(), Some(1));
    assert!(stderr(&many).contains("two/a") && stderr(&many).contains("two/b"), "{}", stderr(&many));
    assert_eq!(
        world.json(&["schedule", "get", "two/a"])["description"],
        "at 00:00 on day 1 of the month in January"
    );
    let none = world.run(&["schedule", "get", "nobody"]);
    assert_eq!(none.status.code(), Some(4), "{}", stderr(&none));
}
