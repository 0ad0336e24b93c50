//! Jobs that begin when something is told, through the real binary.

use crate::support::{stderr, until};
use crate::world;

const JOBS: &str = r#"
jobs:
  - job: load
    parameters: { day: "" }
    triggers: [{ event: { type: "file.*" }, if: "event.data.size > 0", parameters: { day: "{{ event.data.day }}" } }]
    tasks: { a: { run: [echo, "{{ event.type }} of {{ params.day }}"] } }
    outputs: "{'day': params.day}"
  - job: report
    triggers: [{ after: [load] }]
    tasks: { a: { run: [echo, "after {{ event.data.job }} for {{ event.data.output.day }}"] } }
"#;

#[test]
fn an_event_begins_a_job_and_its_success_another() {
    let world = world("2");
    world.apply(JOBS);
    let send = |id: &str, data: &str| {
        world.json(&[
            "event",
            "send",
            "--type",
            "file.arrived",
            "--source",
            "/ftp",
            "--id",
            id,
            "--data",
            data,
        ])
    };
    let nothing = send("0", r#"{"size": 0}"#);
    assert_eq!(nothing["results"][0]["runs"].as_array().map(Vec::len), Some(0), "{nothing:#}");
    let taken = send("1", r#"{"size": 7, "day": "2026-11-16"}"#);
    let run = taken["results"][0]["runs"][0]["run_id"].as_str().unwrap_or_else(|| panic!("{taken:#}"));
    let run = world.ended(run);
    assert_eq!((&run["state"], &run["trigger"]), (&"succeeded".into(), &"event".into()), "{run:#}");
    assert_eq!(run["output"]["day"], "2026-11-16");
    until("the report has begun", || world.json(&["trigger", "get", "report"])["fired"] == 1);
    let trigger = world.json(&["trigger", "get", "report"]);
    let report = world.ended(trigger["last_fired"]["run_id"].as_str().expect("a run"));
    assert_eq!(report["state"], "succeeded", "{report:#}");
    assert_eq!(report["event"]["type"], "mainspring.run.succeeded");
    assert_eq!(report["event"]["data"]["output"]["day"], "2026-11-16", "{report:#}");
    let again = send("1", r#"{"size": 7, "day": "2026-11-16"}"#);
    assert_eq!(again["results"][0]["duplicate"], true, "{again:#}");
    let listed = world.json(&["trigger", "list", "--job", "load"]);
    assert_eq!(listed["triggers"][0]["fired"], 1, "{listed:#}");
    let refused = world.run(&["event", "send", "--type", "mainspring.run.failed", "--source", "/x"]);
    assert!(
        !refused.status.success() && stderr(&refused).contains("is for events of the server itself"),
        "{}",
        stderr(&refused)
    );
}
