//! Tasks that wait for a person, through the real binary: also over a kill of the server.

use crate::support::{server, stderr, stdout, until};
use crate::{WIDE, state, world};

const JOB: &str = "
job: rollout
tasks:
  go: {approve: {by: [anna], message: 'roll out?', timeout: 1d}}
  change: {needs: go, run: [echo, 'by {{ tasks.go.output.by }}']}
";

#[test]
fn an_approval_outlives_a_kill_and_lets_the_run_go_on() {
    let mut world = world("2");
    world.apply(JOB);
    let id = world.trigger("rollout", &[]);
    until("it waits for approval", || world.json(&["run", "get", &id])["waits_for"] == "approval");
    world.server.0.kill().expect("it is killed");
    world.server.0.wait().expect("it is gone");
    let listen = world.address.trim_start_matches("http://").to_owned();
    world.server = server(&world.dir.path().join("data"), &listen, &WIDE).0;

    let shown = world.run(&["run", "get", &id]);
    assert!(stdout(&shown).contains("waits for approval: go by anna until"), "{}", stdout(&shown));
    let listed = world.run(&["run", "list"]);
    assert!(stdout(&listed).contains("approval"), "{}", stdout(&listed));
    let refused = world.run(&["run", "approve", &id, "--actor", "carl"]);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("waits for approval by `anna`, not by `carl`"), "{}", stderr(&refused));
    let approved = world.run(&["run", "approve", &id, "--actor", "anna", "--reason", "looks good"]);
    assert!(approved.status.success(), "{}", stderr(&approved));
    let run = world.ended(&id);
    assert_eq!((state(&run, "go"), state(&run, "change")), ("succeeded", "succeeded"), "{run:#}");
    let logs = world.run(&["run", "logs", &id, "--task", "change"]);
    assert!(stdout(&logs).contains("by anna"), "{}", stdout(&logs));
}

#[test]
fn a_rejection_fails_the_run_and_its_deadline_decides_alone() {
    let world = world("2");
    world.apply(JOB);
    let id = world.trigger("rollout", &[]);
    until("it waits for approval", || world.json(&["run", "get", &id])["waits_for"] == "approval");
    let rejected = world.run(&["run", "reject", &id, "--task", "go", "--actor", "anna", "--reason", "no"]);
    assert!(rejected.status.success(), "{}", stderr(&rejected));
    let run = world.ended(&id);
    assert_eq!((state(&run, "go"), state(&run, "change")), ("failed", "upstream_failed"), "{run:#}");

    world.apply("job: alone\ntasks:\n  go: {approve: {timeout: 100ms, on_timeout: approve}}\n");
    let run = world.ended(&world.trigger("alone", &[]));
    assert_eq!(run["state"], "succeeded", "{run:#}");
}
