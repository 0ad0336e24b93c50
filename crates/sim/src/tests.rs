//! Worlds: clean ones pass, the same seed is the same world, and a broken rule is noticed.

use crate::{BreakMode, Options, run, run_range};

#[test]
fn fifty_worlds_keep_every_promise() {
    let options = Options { seeds: 0..50, break_mode: None, trace: false, twice: false };
    let report = run_range(&options, &mut |_| {});
    assert!(report.violations.is_empty(), "{report}");
    assert!(report.tally.ok_operations >= 1_000 && report.tally.takeovers >= 1, "{report}");
    assert!(report.tally.lease_expiries >= 1, "{report}");
    let flows = report.tally.flows;
    assert!(flows.runs >= 50 && flows.joins >= 10 && flows.clears >= 1 && flows.undone >= 1, "{report}");
}

#[test]
fn a_seed_is_one_world() {
    let options = Options { seeds: 200..212, break_mode: None, trace: false, twice: true };
    let report = run_range(&options, &mut |_| {});
    assert!(report.violations.is_empty(), "{report}");
    let hash = |seed| run(seed, None, false).map(|outcome| outcome.hash).ok();
    assert_ne!(hash(200), hash(201));
}

/// The full list runs through `mainspring sim`.
#[test]
fn broken_rules_are_noticed() {
    let rows = [
        (BreakMode::EarlyAnswer, &["I1"][..]),
        (BreakMode::TimerNotRearmed, &["I17"]),
        (BreakMode::HelloWithoutSpool, &["I13"]),
        // A key that was forgotten too soon, of a submission or of an event, or an ended task read back as it once was.
        (BreakMode::NoBarrier, &["I3", "I15", "I31"]),
        // Twice in the journal, or a second task where the first one still is.
        (BreakMode::JoinTwice, &["I19", "panic"]),
        (BreakMode::ClearedItemGoesOn, &["I20"]),
        (BreakMode::RunNotRelisted, &["I17"]),
        // Released against its rule; or a run that cannot be looked at any more, because its counts are wrong.
        (BreakMode::ReleaseIgnoresRule, &["I18", "I17"]),
        (BreakMode::PermitsForgotten, &["I21"]),
        (BreakMode::ScheduleNotRearmed, &["I17"]),
        (BreakMode::WaitNotHeard, &["I17"]),
        // A window twice, or one that does not follow what was decided before.
        (BreakMode::WindowForgotten, &["I5", "I6"]),
        // A window twice; or memory that says something else than the journal.
        (BreakMode::BackfillForgetsCursor, &["I5", "I16"]),
        (BreakMode::EventTwice, &["I3", "I31"]),
        (BreakMode::OwnEventWait, &["I14"]),
        // A worker is lost, or an attempt is stopped, before what was said during a pause of the server was read.
        (BreakMode::JudgeBeforeReading, &["AT-1", "FL-3"]),
        (BreakMode::CordonForgotten, &["CD-1"]),
        (BreakMode::LinksNotDerived, &["I34"]),
        (BreakMode::TrustTheClock, &["I14"]),
        (BreakMode::AnnounceLater, &["I33"]),
        // An order of an owner that was replaced is carried out beside that of its successor.
        (BreakMode::ApprovalByAnybody, &["I35"]),
        (BreakMode::LateOrders, &["I10", "I13"]),
    ];
    for (mode, invariants) in rows {
        let violation = (0..200).find_map(|seed| run(seed, Some(mode), false).err());
        let named = violation.as_ref().is_some_and(|violation| invariants.contains(&violation.invariant));
        assert!(named, "{mode}: {violation:?}");
        let text = violation.map(|violation| violation.to_string()).unwrap_or_default();
        assert!(text.contains(&format!(" --break {mode} --trace")), "{text}");
    }
}

#[test]
fn break_modes_are_known_by_name() {
    for mode in BreakMode::ALL {
        assert_eq!(mode.name().parse(), Ok(mode));
    }
    assert!("no-such-mode".parse::<BreakMode>().is_err());
}
