//! SIGKILL of the server around windows: each window begins one task, none is left out.
//!
//! `MAINSPRING_WINDOW_KILLS=200` kills it more often than a test run should.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::{server, until};
use crate::{WIDE, World, world};

fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970")
}

/// The server dies this long before or after the next full second, which is a window, and is started again.
fn kill_near_window(world: &mut World, off_ms: i64) {
    let second = Duration::from_secs(now().as_secs() + 1);
    let at = Duration::from_millis((second.as_millis() as i64 + off_ms) as u64);
    // The window itself is what is awaited here, and only the clock brings it.
    std::thread::sleep(at.saturating_sub(now()));
    world.server.0.kill().expect("it is killed");
    world.server.0.wait().expect("it is gone");
    let listen = world.address.trim_start_matches("http://").to_owned();
    let (again, _) = server(&world.dir.path().join("data"), &listen, &WIDE);
    world.server = again;
}

fn rows(world: &World) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec!["schedule", "history", "@tasks/beat", "--limit", "1000"];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let page = world.json(&args);
        rows.extend(page["windows"].as_array().cloned().unwrap_or_else(|| panic!("{page}")));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return rows,
        }
    }
}

fn second_of(row: &Value, field: &str) -> i64 {
    let text = row[field].as_str().unwrap_or_else(|| panic!("{row}"));
    text.parse::<jiff::Timestamp>().unwrap_or_else(|error| panic!("{text}: {error}")).as_second()
}

#[test]
fn a_server_killed_around_windows_begins_each_once() {
    let kills =
        std::env::var("MAINSPRING_WINDOW_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let mut world = world("4");
    let submit = world.run(&["submit", "--every", "1s", "--name", "beat", "--", "true"]);
    assert!(submit.status.success(), "{}", crate::support::stderr(&submit));
    for kill in 0..kills {
        kill_near_window(&mut world, kill * 37 % 120 - 40);
    }
    let last = now().as_secs() as i64;
    until("the last window before now is told", || {
        rows(&world).iter().any(|row| second_of(row, "last") >= last)
    });
    let mut rows = rows(&world);
    rows.sort_by_key(|row| second_of(row, "first"));
    let mut tasks = BTreeSet::new();
    for row in &rows {
        assert_eq!(row["count"], 1, "restarts are short, so no window is missed: {row:#}");
        let task = row["task_id"].as_str().unwrap_or_else(|| panic!("it began nothing: {row:#}"));
        assert!(tasks.insert(task.to_owned()), "one task for two windows: {row:#}");
    }
    let gaps = rows.windows(2).filter(|pair| second_of(&pair[1], "first") != second_of(&pair[0], "last") + 1);
    assert_eq!(gaps.collect::<Vec<_>>(), Vec::<&[Value]>::new(), "windows twice or left out");
    for task in &tasks {
        until("it ended", || world.json(&["task", "get", task])["state"] == "succeeded");
    }
}
