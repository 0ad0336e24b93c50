//! SIGKILL of the server in the middle of a fan-out: every child once, the join once, with the right count.

use std::collections::BTreeMap;

use crate::support::{Running, server, until};
use crate::{WIDE, state, world};

/// The join notes each of its runs in a ledger.
fn job(width: usize, ledger: &str) -> String {
    format!(
        "job: wide
limits: {{max_fan_out: {width}, release_per_second: 1000000}}
tasks:
  list:
    shell: yes 1 | head -{width} | paste -sd, - | sed 's/.*/[&]/' > \"$MAINSPRING_CONTROL/output\"
  child:
    needs: list
    for_each: {{items: tasks.list.output, max_active: 256}}
    noop: {{}}
  join:
    needs: child
    run: [sh, -c, 'echo joined >> {ledger}']
"
    )
}

fn kill_at(width: usize, percent: usize) {
    let mut world = world("256");
    let ledger = world.dir.path().join("ledger");
    world.apply(&job(width, &ledger.to_string_lossy()));
    let id = world.trigger("wide", &[]);
    let done = |world: &crate::World| {
        let run = world.json(&["run", "get", &id]);
        run["tasks"][1]["items"]["succeeded"].as_u64().unwrap_or(0) as usize
    };
    until("the fan-out has come so far", || done(&world) >= width * percent / 100);
    world.server.0.kill().expect("it is killed");
    world.server.0.wait().expect("it is gone");
    let listen = world.address.trim_start_matches("http://").to_owned();
    let (again, _): (Running, String) = server(&world.dir.path().join("data"), &listen, &WIDE);
    world.server = again;
    let run = world.ended(&id);
    assert_eq!(run["state"], "succeeded", "{run:#}");
    let items = &run["tasks"][1]["items"];
    assert_eq!(items["succeeded"], width, "{items}");
    assert_eq!(state(&run, "join"), "succeeded");
    let joined = std::fs::read_to_string(&ledger).expect("the join ran");
    assert_eq!(joined, "joined\n", "the join ran once");
    // Every child is one task that ended once: its history says how many attempts it had.
    let mut attempts: BTreeMap<u64, usize> = BTreeMap::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec!["task", "list", "--job", "wide", "--state", "succeeded", "--limit", "1000"];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let page = world.json(&args);
        for task in page["tasks"].as_array().expect("tasks") {
            *attempts.entry(task["attempt_count"].as_u64().unwrap_or(0)).or_default() += 1;
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(attempts.values().sum::<usize>(), width + 2, "{attempts:?}");
}

#[test]
fn a_server_killed_early_in_a_fan_out() {
    kill_at(20_000, 10);
}

#[test]
fn a_server_killed_half_way_through_a_fan_out() {
    kill_at(20_000, 50);
}

#[test]
fn a_server_killed_late_in_a_fan_out() {
    kill_at(20_000, 90);
}
