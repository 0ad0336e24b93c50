//! Tasks that add tasks, tasks that wait for other jobs, and late runs, through the real binary.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::support::{server, until};
use crate::{WIDE, World, state, task, world};

/// `plan` writes this as its output.
fn growing(output: &str, report: &str) -> String {
    format!(
        "job: growing
tasks:
  plan:
    run: [sh, -c, 'printf %s \"$1\" > \"$MAINSPRING_CONTROL/output\"', sh, '{output}']
    retries: 0
    spawns: true
  report:
    needs: plan
    run: [sh, -c, '{report}']
"
    )
}

fn kill(world: &mut World) {
    world.server.0.kill().expect("it is killed");
    world.server.0.wait().expect("it is gone");
    let listen = world.address.trim_start_matches("http://").to_owned();
    world.server = server(&world.dir.path().join("data"), &listen, &WIDE).0;
}

#[test]
fn added_tasks_run_before_what_needs_the_adding_one_and_outlive_a_kill() {
    let mut world = world("8");
    let (gate, ledger) = (world.dir.path().join("gate"), world.dir.path().join("ledger"));
    let output = serde_json::json!({"tasks": {
        "part-a": {"run": ["sh", "-c", format!("until [ -e {} ]; do sleep 0.05; done; echo a >> {}", gate.display(), ledger.display())]},
        "part-b": {"run": ["sh", "-c", format!("echo b >> {}", ledger.display())], "needs": ["part-a"]},
    }});
    world.apply(&growing(&output.to_string(), &format!("echo report >> {}", ledger.display())));
    let id = world.trigger("growing", &[]);
    until("the added task runs", || {
        let run = world.json(&["run", "get", &id]);
        run["tasks_total"] == 4 && state(&run, "part-a") == "running"
    });
    let run = world.json(&["run", "get", &id]);
    assert_eq!(state(&run, "report"), "pending");
    assert_eq!(task(&run, "part-a")["added_by"], "plan");
    assert_eq!(task(&run, "report")["needs"], serde_json::json!(["plan", "part-b"]));
    kill(&mut world);
    std::fs::write(&gate, "").expect("a file");
    let run = world.ended(&id);
    assert_eq!(run["state"], "succeeded", "{run:#}");
    assert_eq!(std::fs::read_to_string(&ledger).expect("written"), "a\nb\nreport\n");
    // The job itself has not grown.
    assert_eq!(world.json(&["job", "get", "growing"])["tasks"], 2);
}

#[test]
fn mistakes_in_an_addition_fail_the_task_and_are_all_named() {
    let world = world("4");
    let rows = [
        (r#"{"tasks": {"report": {"noop": {}}}}"#, "the run has a task `report` already"),
        (r#"{"tasks": {"a": {"noop": {}, "needs": "report"}}}"#, "tasks wait for each other"),
        (
            r#"{"tasks": {"a": {"noop": {}, "needs": "b"}, "b": {"noop": {}, "needs": "a"}}}"#,
            "tasks wait for each other",
        ),
        (r#"{"tasks": {"a": {"noop": {}, "needs": "nowhere"}}}"#, "there is no task `nowhere`"),
        (r#"{"tasks": {"a": {}}}"#, "it does not say what to do"),
        (r#"{"tasks": 7}"#, "neither a list nor an object"),
        (r#"{"task": []}"#, "output.tasks"),
    ];
    for (output, wanted) in rows {
        world.apply(&growing(output, "true"));
        let id = world.trigger("growing", &[]);
        let run = world.ended(&id);
        assert_eq!(state(&run, "plan"), "failed", "{output}: {run:#}");
        let reason = task(&run, "plan")["reason"].as_str().unwrap_or_default();
        assert!(reason.starts_with("spawns: ") && reason.contains(wanted), "{output}: {reason}");
    }
}

#[test]
fn an_empty_list_and_no_output_add_nothing() {
    let world = world("4");
    world.apply(&growing(r#"{"tasks": []}"#, "true"));
    let run = world.ended(&world.trigger("growing", &[]));
    assert_eq!((&run["state"], &run["tasks_total"]), (&Value::from("succeeded"), &Value::from(2)));
    world.apply("job: silent\ntasks: {a: {noop: {}, spawns: true}}\n");
    let run = world.ended(&world.trigger("silent", &[]));
    assert_eq!(run["state"], "succeeded", "{run:#}");
}

/// Answers one request with a list of tasks.
fn planner() -> (String, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/plan", listener.local_addr().expect("an address"));
    let serve = move || {
        let (mut stream, _) = listener.accept().expect("a caller");
        let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line");
            if let Some(given) = line.to_lowercase().strip_prefix("content-length:") {
                length = given.trim().parse().expect("a length");
            }
            if line.trim().is_empty() {
                break;
            }
        }
        reader.read_exact(&mut vec![0; length]).expect("a body");
        let body = r#"[{"name": "one", "noop": {}}, {"name": "two", "noop": {}, "needs": "one"}]"#;
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ";
        write!(stream, "{head}{}\r\n\r\n{body}", body.len()).expect("answered");
    };
    (url, std::thread::spawn(serve))
}

#[test]
fn an_http_task_adds_tasks_by_an_expression() {
    let world = crate::world_with("4", &["--allow", "127.0.0.0/8"]);
    let (url, serving) = planner();
    world.apply(&format!(
        "job: called\ntasks:\n  ask: {{http: {{url: '{url}'}}, spawns: output.body, retries: 0}}\n"
    ));
    let run = world.ended(&world.trigger("called", &[]));
    assert_eq!((state(&run, "one"), state(&run, "two")), ("succeeded", "succeeded"), "{run:#}");
    serving.join().expect("served");
}

#[test]
fn clearing_the_adding_task_has_it_add_anew() {
    let world = world("4");
    let counter = world.dir.path().join("counter");
    world.apply(&format!(
        "job: again
tasks:
  plan:
    shell: |
      echo x >> {0}
      echo \"{{\\\"tasks\\\": {{\\\"part-$(wc -l < {0})\\\": {{\\\"noop\\\": {{}}}}}}}}\" > \"$MAINSPRING_CONTROL/output\"
    spawns: true
  last: {{needs: plan, noop: {{}}}}
",
        counter.display()
    ));
    let id = world.trigger("again", &[]);
    assert_eq!(state(&world.ended(&id), "part-1"), "succeeded");
    let cleared = world.run(&["run", "clear", &id, "--task", "plan"]);
    assert!(cleared.status.success());
    let run = world.ended(&id);
    assert_eq!((state(&run, "part-1"), state(&run, "part-2")), ("skipped", "succeeded"), "{run:#}");
    assert_eq!(task(&run, "last")["needs"], serde_json::json!(["plan", "part-2"]));
    let again = world.json(&["run", "rerun", &id, "--from-task", "last"]);
    let run = world.ended(again["run_id"].as_str().expect("an id"));
    assert_eq!(state(&run, "part-3"), "succeeded", "{run:#}");
}

#[test]
fn a_task_waits_for_another_job_over_a_kill_and_says_so() {
    let mut world = world("4");
    world.apply("job: load\ntasks:\n  wait: {noop: {}, needs_jobs: [{job: extract, within: 1h}]}\n");
    let id = world.trigger("load", &[]);
    let waits = |world: &World| {
        let run = world.json(&["run", "get", &id]);
        task(&run, "wait")["waits_for_jobs"][0]["job"] == "extract"
    };
    until("it says what it waits for", || waits(&world));
    let text = world.run(&["run", "get", &id]);
    assert!(String::from_utf8_lossy(&text.stdout).contains("waits for a success of extract"));
    kill(&mut world);
    assert!(waits(&world));
    world.apply("job: extract\ntasks: {only: {noop: {}}}\n");
    world.ended(&world.trigger("extract", &[]));
    assert_eq!(world.ended(&id)["state"], "succeeded");
    // The next one finds the success that is there.
    assert_eq!(world.ended(&world.trigger("load", &[]))["state"], "succeeded");
}

#[test]
fn a_wait_for_another_job_ends_with_its_timeout() {
    let world = world("4");
    world.apply("job: load\ntasks:\n  wait: {noop: {}, needs_jobs: {job: never, timeout: 300ms}}\n");
    let run = world.ended(&world.trigger("load", &[]));
    assert_eq!(task(&run, "wait")["reason"], "needs_jobs: `never` did not succeed in time", "{run:#}");
}

#[test]
fn a_run_that_takes_longer_than_expected_is_marked_late() {
    let world = world("4");
    let gate = world.dir.path().join("gate");
    world.apply(&format!(
        "job: slow\nexpected: 100ms\ntasks:\n  wait: {{run: [sh, -c, 'until [ -e {} ]; do sleep 0.05; done']}}\n",
        gate.display()
    ));
    let id = world.trigger("slow", &[]);
    until("it is late", || world.json(&["run", "get", &id])["marks"] == serde_json::json!(["late"]));
    assert!(world.run(&["run", "reevaluate", &id, "--reason", "looks stuck"]).status.success());
    std::fs::write(&gate, "").expect("a file");
    let run = world.ended(&id);
    assert_eq!((&run["state"], &run["marks"]), (&Value::from("succeeded"), &serde_json::json!(["late"])));
    // The first one says who triggered it.
    assert_eq!(run["notes"][1]["reason"], "looks stuck", "{run:#}");
}

#[test]
fn an_item_whose_template_fails_says_so_on_its_task() {
    let world = world("1");
    world.apply(
        "job: mapped
tasks:
  list:
    shell: |
      echo '[{\"n\": 1}, {}]' > \"$MAINSPRING_CONTROL/output\"
  child:
    needs: list
    for_each: tasks.list.output
    run: [echo, '{{ item.n }}']
",
    );
    let run = world.ended(&world.trigger("mapped", &[]));
    let reason = task(&run, "child")["reason"].as_str().unwrap_or_default();
    assert!(reason.starts_with("item 1: template: "), "{run:#}");
    // The shard has not minded: another run goes through.
    world.apply("job: fine\ntasks: {only: {noop: {}}}\n");
    assert_eq!(world.ended(&world.trigger("fine", &[]))["state"], "succeeded");
}
