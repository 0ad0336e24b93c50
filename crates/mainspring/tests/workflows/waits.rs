//! Tasks that wait, over crashes of the server, with the real binary.

use std::net::TcpListener;

use serde_json::Value;

use crate::support::{server, until};
use crate::{WIDE, World, state, task, world_with};

fn restart(world: &mut World) {
    world.server.0.kill().expect("it is killed");
    world.server.0.wait().expect("it is gone");
    let listen = world.address.trim_start_matches("http://").to_owned();
    let (again, _) = server(&world.dir.path().join("data"), &listen, &WIDE);
    world.server = again;
}

fn run(world: &World, id: &str) -> Value {
    world.json(&["run", "get", id])
}

#[test]
fn waits_outlive_the_server_and_hold_no_slot() {
    let mut world = world_with("1", &["--allow", "127.0.0.0/8"]);
    let file = world.dir.path().join("ready");
    // A port that nobody serves yet.
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    world.apply("job: source\nparameters:\n  until: {type: string}\ntasks:\n  hold: {shell: 'while ! [ -e \"$1\" ]; do sleep 0.05; done', args: ['{{ params.until }}'], pool: other}\n");
    let flag = world.dir.path().join("flag");
    let source = world.trigger("source", &["--param", &format!("until={}", flag.display())]);
    world.apply(&format!(
        "job: waits
parameters:
  run: {{type: string}}
tasks:
  pause: {{wait: {{for: 2s}}}}
  file: {{wait: {{file: {{path: {}}}, every: 1s}}}}
  address: {{wait: {{http: {{url: 'http://127.0.0.1:{port}/', status: [200]}}, every: 1s}}}}
  run: {{wait: {{run: '{{{{ params.run }}}}'}}}}
  meanwhile: {{run: [\"true\"]}}
  after: {{needs: [pause, file, address, run], noop: {{}}}}
",
        file.display()
    ));
    let id = world.trigger("waits", &["--param", &format!("run={source}")]);
    until("the only slot is free for others while four tasks wait", || {
        state(&run(&world, &id), "meanwhile") == "succeeded"
    });
    restart(&mut world);
    until("the time has come", || state(&run(&world, &id), "pause") == "succeeded");
    let waiting = run(&world, &id);
    for name in ["file", "address", "run"] {
        assert_ne!(state(&waiting, name), "succeeded", "{waiting:#}");
    }
    let waits = task(&waiting, "run")["task_id"].as_str().expect("a task").to_owned();
    let diagnosis = world.json(&["task", "diagnose", &waits]);
    assert_eq!(diagnosis["reason"], "waits_for_run", "{diagnosis:#}");
    std::fs::write(&file, "x").expect("written");
    until("the file is seen", || state(&run(&world, &id), "file") == "succeeded");
    let serving = TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
    std::thread::spawn(move || {
        for mut stream in serving.incoming().map_while(Result::ok) {
            use std::io::{Read, Write};
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    until("the address answers", || state(&run(&world, &id), "address") == "succeeded");
    restart(&mut world);
    std::fs::write(&flag, "x").expect("written");
    let other = crate::support::worker(&world.address, &world.dir.path().join("other"), &["--pool", "other"]);
    let ended = world.ended(&id);
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    let waited = world.json(&["task", "get", &waits]);
    assert_eq!(waited["attempt_count"], 0, "no worker saw it: {waited:#}");
    drop(other);
}

#[test]
fn a_wait_for_a_run_that_ended_long_ago_is_met_or_failed_from_the_tables() {
    let mut world = world_with("2", &[]);
    world.apply("job: good\ntasks:\n  a: {noop: {}}\n");
    world.apply("job: bad\ntasks:\n  a: {run: [\"false\"]}\n");
    let runs = ["good", "bad"].map(|job| world.trigger(job, &[]));
    for id in &runs {
        world.ended(id);
    }
    // A new owner has no ended run in memory.
    restart(&mut world);
    world.apply(
        "job: after\nparameters:\n  run: {type: string}\ntasks:\n  wait: {wait: {run: '{{ params.run }}'}}\n",
    );
    for (id, expected) in runs.iter().zip(["succeeded", "failed"]) {
        let ended = world.ended(&world.trigger("after", &["--param", &format!("run={id}")]));
        assert_eq!(ended["state"], expected, "{ended:#}");
    }
    let none = format!("run_{:032x}", 1);
    let ended = world.ended(&world.trigger("after", &["--param", &format!("run={none}")]));
    assert_eq!(ended["state"], "failed", "{ended:#}");
}
