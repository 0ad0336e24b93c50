//! Windows that nobody met: outages, pauses, and what is made up for.

use super::*;

const DAY: u64 = 86_400_000;
const YEAR: u64 = 365 * DAY;
const LATE: Unfired = Unfired::Missed(Reason::Late);

#[test]
fn a_year_without_us_is_one_record_and_one_late_window() {
    let mut rig = with(minutely());
    let now = 17 * MINUTE + YEAR + 30_000;
    rig.go_to(now);
    let count = YEAR / MINUTE;
    let (first, last) = (17 * MINUTE, 17 * MINUTE + YEAR - MINUTE);
    let missed = Told::Passed { first, last, count, outcome: LATE };
    assert_eq!(rig.told(), [missed, Told::Ran(now - 30_000, FiredAs::Late)]);
    assert_eq!((rig.schedule().missed, rig.schedule().fired), (count, 1));
    assert_eq!(rig.schedule().next, Some(Wall::from_millis(now + 30_000)));
}

#[test]
fn beyond_its_grace_a_window_is_missed() {
    let mut rig = with(tasks(cron("0 * * * *", "UTC")).on(|terms| terms.grace = Millis::from_secs(20)));
    rig.go_to(60 * MINUTE + 20_000);
    rig.go_to(120 * MINUTE + 20_001);
    let missed = Told::Passed { first: 120 * MINUTE, last: 120 * MINUTE, count: 1, outcome: LATE };
    assert_eq!(rig.told(), [Told::Ran(60 * MINUTE, FiredAs::Late), missed]);
}

#[test]
fn the_newest_missed_windows_are_made_up_for_as_many_as_wanted() {
    let mut rig = with(minutely().on(|terms| terms.catch_up = 3));
    rig.go_to(17 * MINUTE + YEAR + 5_000);
    let newest = 17 * MINUTE + YEAR;
    let ran = |ago: u64, how| Told::Ran(newest - ago * MINUTE, how);
    let count = YEAR / MINUTE - 3;
    let missed = Told::Passed { first: 17 * MINUTE, last: newest - 4 * MINUTE, count, outcome: LATE };
    let caught = FiredAs::CatchUp;
    assert_eq!(rig.told(), [missed, ran(3, caught), ran(2, caught), ran(1, caught), ran(0, FiredAs::Late)]);
    let flagged = rig.events.iter().filter(|event| match event {
        Event::TaskSubmitted(made) => made.window.as_ref().is_some_and(|one| one.window.fired_as == caught),
        _ => false,
    });
    assert_eq!(flagged.count(), 3);
}

#[test]
fn a_short_stall_costs_no_window_of_a_fast_schedule() {
    let mut rig = with(tasks(cron("* * * * * *", "UTC")));
    rig.go_to(1_000_000 + 9_000);
    assert_eq!(rig.told().len(), 9);
    assert_eq!(rig.schedule().missed, 0);
}

#[test]
fn what_passes_during_a_pause_is_skipped_and_said_so() {
    let mut rig = with(minutely());
    rig.live_until(17 * MINUTE);
    pause(&mut rig, "s", true);
    rig.live_until(30 * MINUTE + 1_000);
    assert_eq!(rig.told_anew().len(), 1);
    pause(&mut rig, "s", false);
    rig.pass(0);
    let (first, last) = (18 * MINUTE, 30 * MINUTE);
    let passed = Told::Passed { first, last, count: 13, outcome: Unfired::Skipped(Reason::Paused) };
    assert_eq!(rig.told_anew(), [passed], "although the newest is a second old");
    rig.live_until(31 * MINUTE);
    assert_eq!(rig.told(), [Told::Ran(31 * MINUTE, FiredAs::OnTime)]);
}

#[test]
fn a_pause_keeps_the_rule_for_missed_windows() {
    let mut rig = with(minutely().on(|terms| terms.catch_up = 2));
    pause(&mut rig, "s", true);
    rig.live_until(25 * MINUTE + 1_000);
    pause(&mut rig, "s", false);
    rig.pass(0);
    let passed = Told::Passed {
        first: 17 * MINUTE,
        last: 23 * MINUTE,
        count: 7,
        outcome: Unfired::Skipped(Reason::Paused),
    };
    let caught = |minute: u64| Told::Ran(minute * MINUTE, FiredAs::CatchUp);
    assert_eq!(rig.told(), [passed, caught(24), caught(25)]);
}

#[test]
fn a_pause_and_an_outage_after_it_are_told_apart() {
    let mut rig = with(minutely().on(|terms| terms.grace = Millis::ZERO));
    pause(&mut rig, "s", true);
    rig.live_until(20 * MINUTE + 1);
    // Resumed, and at once the server is gone for an hour.
    pause(&mut rig, "s", false);
    rig.now.wall = rig.now.wall + Millis::new(60 * MINUTE + 30_000);
    rig.now.elapsed = rig.now.elapsed + Millis::new(60 * MINUTE + 30_000);
    rig.pass(0);
    let passed = |first: u64, last: u64, outcome| Told::Passed {
        first: first * MINUTE,
        last: last * MINUTE,
        count: last - first + 1,
        outcome,
    };
    let paused = passed(17, 20, Unfired::Skipped(Reason::Paused));
    assert_eq!(rig.told(), [paused, passed(21, 80, LATE)]);
}

#[test]
fn a_window_without_room_waits_and_is_not_lost() {
    let limits = crate::values::Limits { tasks_max: 0, ..crate::values::Limits::default() };
    let mut rig = Rig::with(crate::engine::EngineConfig { limits, ..Default::default() });
    put(&mut rig, "s", minutely());
    rig.go_to(17 * MINUTE);
    rig.go_to(17 * MINUTE + 5_000);
    assert_eq!(rig.told(), []);
    rig.engine.config.limits.tasks_max = 10;
    rig.go_to(17 * MINUTE + 7_000);
    assert_eq!(rig.told(), [Told::Ran(17 * MINUTE, FiredAs::Late)]);
}

#[test]
fn what_passed_before_an_edit_or_a_deletion_is_accounted_for() {
    let mut rig = with(minutely());
    pause(&mut rig, "s", true);
    rig.live_until(19 * MINUTE + 1_000);
    put(&mut rig, "s", tasks(cron("*/2 * * * *", "UTC")));
    let passed = |first: u64, last: u64, count| Told::Passed {
        first: first * MINUTE,
        last: last * MINUTE,
        count,
        outcome: Unfired::Skipped(Reason::Paused),
    };
    assert_eq!(rig.told_anew(), [passed(17, 19, 3)]);
    rig.live_until(24 * MINUTE);
    say(&mut rig, ScheduleCommand::Delete { key: key("s"), seen: None }).expect("there is one");
    assert_eq!(rig.told(), [passed(20, 24, 3)]);
}

#[test]
fn a_window_without_room_is_missed_when_its_schedule_goes() {
    let limits = crate::values::Limits { tasks_max: 0, ..crate::values::Limits::default() };
    let mut rig = Rig::with(crate::engine::EngineConfig { limits, ..Default::default() });
    put(&mut rig, "s", minutely());
    rig.go_to(17 * MINUTE);
    say(&mut rig, ScheduleCommand::Delete { key: key("s"), seen: None }).expect("there is one");
    let missed = Told::Passed { first: 17 * MINUTE, last: 17 * MINUTE, count: 1, outcome: LATE };
    assert_eq!(rig.told(), [missed]);
}

/// A world in which no window can begin anything.
fn without_room() -> Rig {
    let limits = crate::values::Limits { tasks_max: 0, ..crate::values::Limits::default() };
    Rig::with(crate::engine::EngineConfig { limits, ..Default::default() })
}

#[test]
fn an_edit_that_changes_nothing_gives_up_nothing() {
    let mut rig = without_room();
    put(&mut rig, "s", minutely());
    rig.go_to(17 * MINUTE);
    put(&mut rig, "s", minutely());
    let spec = minutely();
    let same = ScheduleCommand::Put { key: key("s"), spec, own: ScheduleHome::default(), seen: None };
    let claim = crate::key::KeyClaim {
        scope: crate::key::KeyScope(5),
        request: 1 << 8,
        expires: Wall::from_millis(1 << 40),
        group: crate::values::Group::ZERO,
    };
    let keyed = crate::engine::Keyed {
        key: (claim, crate::key::KeyFact::Absent),
        command: Command::Schedule(Box::new(same)),
    };
    rig.tell(Command::Keyed(Box::new(keyed))).expect("nothing changes");
    assert_eq!(rig.told(), []);
    rig.engine.config.limits.tasks_max = 10;
    rig.go_to(17 * MINUTE + 3_000);
    assert_eq!(rig.told(), [Told::Ran(17 * MINUTE, FiredAs::Late)]);
}

#[test]
fn a_window_that_an_edit_gave_up_is_not_decided_again() {
    let mut rig = without_room();
    let every = |secs| tasks(Timing::After(Millis::from_secs(secs)));
    put(&mut rig, "s", every(10));
    let first = rig.schedule().next.expect("at once");
    put(&mut rig, "s", every(20));
    let missed = Told::Passed { first: first.millis(), last: first.millis(), count: 1, outcome: LATE };
    assert_eq!(rig.told(), [missed]);
    assert!(rig.schedule().next > Some(first), "{:?}", rig.schedule().next);
}
