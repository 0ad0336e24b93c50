//! A bounded run of every target; `MAINSPRING_FUZZ_SEED` draws other inputs, `MAINSPRING_FUZZ_FACTOR` more of them.

use mainspring_fuzz::{Limit, Target, run};

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("`{name}` must be a number, not `{text}`")),
        Err(_) => default,
    }
}

#[track_caller]
fn check(name: &str) {
    let target = Target::find(name).expect("a target");
    let inputs = target.inputs * setting("MAINSPRING_FUZZ_FACTOR", 1);
    let ran = run(target, setting("MAINSPRING_FUZZ_SEED", 1), Limit::Inputs(inputs));
    assert_eq!(ran.inputs, inputs);
}

#[test]
fn frames_of_a_journal() {
    check("frame");
}

#[test]
fn events_of_a_record() {
    check("event");
}

#[test]
fn rows_of_the_tables() {
    check("row");
}

#[test]
fn a_segment_file() {
    check("segment");
}

#[test]
fn requests() {
    check("rest");
}

#[test]
fn sessions_of_workers() {
    check("session");
}
