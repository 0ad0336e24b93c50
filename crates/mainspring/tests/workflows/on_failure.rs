//! `on_failure` of a job, through the real binary.

use crate::{state, world};

#[test]
fn on_failure_tells_what_failed_once_and_is_skipped_in_a_good_run() {
    let world = world("4");
    let (gate, ledger) = (world.dir.path().join("gate"), world.dir.path().join("ledger"));
    world.apply(&format!(
        "job: nightly
on_failure:
  run: [sh, -c, 'echo \"$1 $2\" >> {ledger}', sh, '{{{{ failed_upstream }}}}', '{{{{ run.id }}}}']
tasks:
  load: {{ run: [test, -e, {gate}], retries: 0 }}
  report: {{ needs: load, run: [\"true\"] }}
  other: {{ run: [\"true\"] }}
",
        ledger = ledger.display(),
        gate = gate.display(),
    ));
    let id = world.trigger("nightly", &[]);
    let run = world.ended(&id);
    assert_eq!((&run["state"], state(&run, "on_failure")), (&"failed".into(), "succeeded"), "{run:#}");
    let told = std::fs::read_to_string(&ledger).expect("it was told");
    // With what could not run because of it.
    assert_eq!(told.trim(), format!("[\"load\",\"report\"] {id}"));
    // Repaired, it is taken back with what it needs.
    std::fs::write(&gate, "").expect("a file");
    assert!(world.run(&["run", "clear", &id]).status.success());
    let run = world.ended(&id);
    assert_eq!((&run["state"], state(&run, "on_failure")), (&"succeeded".into(), "skipped"), "{run:#}");
    let run = world.ended(&world.trigger("nightly", &[]));
    assert_eq!((&run["state"], state(&run, "on_failure")), (&"succeeded".into(), "skipped"), "{run:#}");
    assert_eq!(std::fs::read_to_string(&ledger).expect("told once").lines().count(), 1);
}
