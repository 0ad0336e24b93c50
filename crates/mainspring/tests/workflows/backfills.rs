//! Backfills through the real binary: beside live work, over a crash, and by hand.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{server, stderr, stdout, until};
use crate::{WIDE, World, world};

const DAILY: &str = "job: daily\nschedule: {cron: '0 0 * * *'}\ntasks:\n  a: {noop: {}}\n";
const WINDOWS: u64 = 365;

fn day(ago: i64) -> String {
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    today.checked_sub(jiff::Span::new().days(ago)).expect("in range").to_string()
}

fn rows(world: &World, schedule: &str) -> Vec<Value> {
    let page = world.json(&["schedule", "history", schedule, "--limit", "1000"]);
    page["windows"].as_array().cloned().unwrap_or_else(|| panic!("{page}"))
}

fn millis(row: &Value, field: &str) -> i64 {
    let text = row[field].as_str().unwrap_or_else(|| panic!("{row}"));
    text.parse::<jiff::Timestamp>().unwrap_or_else(|error| panic!("{text}: {error}")).as_millisecond()
}

fn kill_and_restart(world: &mut World) {
    world.server.0.kill().expect("it is killed");
    world.server.0.wait().expect("it is gone");
    let listen = world.address.trim_start_matches("http://").to_owned();
    let (again, _) = server(&world.dir.path().join("data"), &listen, &WIDE);
    world.server = again;
}

fn begin(world: &World, more: &[&str]) -> Value {
    let (from, to) = (day(WINDOWS as i64), day(0));
    let args = ["backfill", "daily", "--from", &from, "--to", &to];
    world.json(&[&args, more].concat())
}

fn id(backfill: &Value) -> String {
    backfill["backfill_id"].as_str().unwrap_or_else(|| panic!("{backfill}")).to_owned()
}

fn done(world: &World, id: &str) -> u64 {
    let backfill = world.json(&["backfill", "get", id]);
    backfill["succeeded"].as_u64().unwrap_or_else(|| panic!("{backfill}"))
}

/// Milliseconds from each live window to its decision: median and most.
fn lateness(rows: &[Value]) -> (i64, i64) {
    let mut late: Vec<i64> =
        rows.iter().map(|row| millis(row, "decided_at") - millis(row, "first")).collect();
    late.sort_unstable();
    (late.get(late.len() / 2).copied().unwrap_or(0), late.last().copied().unwrap_or(0))
}

#[test]
fn a_year_is_backfilled_over_a_crash_and_live_windows_go_on() {
    let mut world = world("20");
    world.apply(DAILY);
    world.apply("job: beat\nschedule: {every: 1s}\ntasks:\n  a: {noop: {}}\n");
    until("live windows run", || rows(&world, "beat").len() >= 3);
    let before = rows(&world, "beat");

    let plan = begin(&world, &["--dry-run"]);
    assert_eq!((&plan["windows"], &plan["ran"]), (&WINDOWS.into(), &0.into()), "{plan:#}");
    assert!(plan["backfill_id"].is_null(), "{plan:#}");
    let id = id(&begin(&world, &["--max-active", "8", "--detach"]));
    let second = world.run(&["backfill", "daily", "--from", &day(9), "--to", &day(0)]);
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains(&id), "the one that goes on is named: {}", stderr(&second));
    until("some windows ran", || done(&world, &id) >= WINDOWS / 4);
    kill_and_restart(&mut world);
    until("more windows ran", || done(&world, &id) >= WINDOWS / 2);
    kill_and_restart(&mut world);
    let ended = world.json(&["backfill", "watch", &id]);
    assert_eq!(ended["state"], "ended", "{ended:#}");
    let counts = (&ended["started"], &ended["succeeded"], &ended["failed"]);
    assert_eq!(counts, (&WINDOWS.into(), &WINDOWS.into(), &0.into()), "{ended:#}");

    let backfilled = rows(&world, "daily");
    let windows: BTreeSet<i64> = backfilled.iter().map(|row| millis(row, "first")).collect();
    let runs: BTreeSet<&str> = backfilled.iter().filter_map(|row| row["run_id"].as_str()).collect();
    assert_eq!((backfilled.len(), windows.len(), runs.len()), (365, 365, 365));
    assert!(backfilled.iter().all(|row| row["outcome"] == "backfill"), "{backfilled:?}");
    let listed = world.json(&["run", "list", "--job", "daily", "--limit", "999"]);
    let listed = listed["runs"].as_array().expect("runs");
    assert_eq!(listed.len(), 365, "every window has exactly one run");
    assert!(listed.iter().all(|run| run["state"] == "succeeded"), "all succeeded");
    let one = world.json(&["run", "get", runs.first().expect("a run")]);
    assert_eq!((&one["trigger"], &one["window"]["backfill"]), (&"backfill".into(), &true.into()), "{one:#}");

    let mut live = rows(&world, "beat");
    live.sort_by_key(|row| millis(row, "first"));
    assert!(live.iter().all(|row| row["run_id"].is_string() && row["count"] == 1), "{live:?}");
    let gaps = live.windows(2).filter(|pair| millis(&pair[1], "first") != millis(&pair[0], "last") + 1_000);
    assert_eq!(gaps.count(), 0, "a live window was left out or decided twice: {live:?}");
    let ((median, most), (during, most_during)) = (lateness(&before), lateness(&live[before.len()..]));
    println!(
        "live windows were late by {median} ms (most {most}) before, {during} ms (most {most_during}) with a backfill and two crashes"
    );
    let nothing = begin(&world, &[]);
    assert_eq!((&nothing["windows"], &nothing["ran"]), (&0.into(), &WINDOWS.into()), "{nothing:#}");
}

#[test]
fn a_backfill_is_paused_cancelled_and_its_failures_are_run_again() {
    let world = world("4");
    world.apply(
        "job: daily\nschedule: {cron: '0 0 * * *'}\ntasks:\n  a: {run: [sh, -c, 'test ! -e stop'], \
         retries: 0}\n",
    );
    world.apply("job: slow\nschedule: {cron: '0 0 * * *'}\ntasks:\n  a: {run: [sleep, '60']}\n");
    let (from, to) = (day(5), day(0));
    let range = ["--from", &from, "--to", &to];
    let slow = world.json(&[&["backfill", "start", "slow"], &range[..], &["--detach"]].concat());
    let slow = id(&slow);
    assert!(world.run(&["backfill", "pause", &slow[..24]]).status.success());
    assert_eq!(world.json(&["backfill", "get", &slow])["state"], "paused");
    assert!(world.run(&["backfill", "resume", &slow]).status.success());
    until("something of it runs", || world.json(&["backfill", "get", &slow])["active"] == 4);
    assert!(world.run(&["backfill", "cancel", &slow, "--reason", "a test"]).status.success());
    let ended = world.run(&["backfill", "watch", &slow]);
    assert_eq!(ended.status.code(), Some(3), "{}", stderr(&ended));
    let ended = world.json(&["backfill", "get", &slow]);
    assert_eq!(
        (&ended["state"], &ended["active"], &ended["started"]),
        (&"cancelled".into(), &0.into(), &4.into())
    );
    let again = world.run(&["backfill", "cancel", &slow]);
    assert!(stderr(&again).contains("has already ended"), "{}", stderr(&again));

    // What was cancelled did not succeed: it is run again only by those who ask for it.
    let failed =
        world.json(&[&["backfill", "slow"], &range[..], &["--only", "failed", "--dry-run"]].concat());
    assert_eq!((&failed["windows"], &failed["failed"]), (&4.into(), &4.into()), "{failed:#}");
    let missing = world.json(&[&["backfill", "slow"], &range[..], &["--dry-run"]].concat());
    assert_eq!(missing["windows"], 1, "{missing:#}");
    let well = world.run(&[&["backfill", "daily"], &range[..], &["--order", "newest"]].concat());
    assert!(well.status.success(), "{}", stderr(&well));
    assert!(stdout(&well).contains("ended"), "{}", stdout(&well));
    let all = world.run(&[&["backfill", "daily"], &range[..], &["--only", "all"]].concat());
    assert!(all.status.success(), "{}", stderr(&all));
    assert_eq!(rows(&world, "daily").len(), 5, "a window that was run twice keeps the newest");
    let listed = stdout(&world.run(&["backfill", "list", "--job", "daily"]));
    assert_eq!(listed.matches("ended").count(), 2, "{listed}");

    let none = world.run(&["backfill", "get", "backfill_00000000000000000000000000000000"]);
    assert_eq!(none.status.code(), Some(4), "{}", stderr(&none));
    world.apply("job: gap\nschedule: {after: 1d}\ntasks:\n  a: {noop: {}}\n");
    let gap = world.run(&[&["backfill", "gap"], &range[..]].concat());
    assert!(stderr(&gap).contains("cannot be backfilled"), "{}", stderr(&gap));
    world.apply(
        "job: two\nschedules: [{name: a, cron: '@daily'}, {name: b, cron: '@hourly'}]\ntasks:\n  x: {noop: {}}\n",
    );
    let two = world.run(&[&["backfill", "two"], &range[..]].concat());
    assert!(stderr(&two).contains("`a`, `b`"), "{}", stderr(&two));
    let hourly = world.json(&[&["backfill", "two", "--schedule", "b"], &range[..], &["--dry-run"]].concat());
    assert_eq!(hourly["windows"], 120, "{hourly:#}");
}
