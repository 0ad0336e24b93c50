//! A window comes while something of an earlier one has not ended.

use super::*;
use crate::schedule::Overlap;
use crate::task::Status;

const ON_TIME: FiredAs = FiredAs::OnTime;

fn overlapping(overlap: Overlap) -> Rig {
    let mut rig = with(minutely().on(|terms| {
        terms.overlap = overlap;
        terms.active_max = 2;
    }));
    rig.live_until(20 * MINUTE);
    rig
}

fn ran(minute: u64) -> Told {
    Told::Ran(minute * MINUTE, ON_TIME)
}

#[test]
fn allow_goes_as_far_as_its_bound() {
    let rig = overlapping(Overlap::Allow);
    let full = |minute: u64| skipped(minute * MINUTE, Reason::MaxActive);
    assert_eq!(rig.told(), [ran(17), ran(18), full(19), full(20)]);
}

#[test]
fn forbid_skips_until_the_end() {
    let mut rig = overlapping(Overlap::Forbid);
    let busy = |minute: u64| skipped(minute * MINUTE, Reason::Overlap);
    assert_eq!(rig.told(), [ran(17), busy(18), busy(19), busy(20)]);
    let task = rig.made()[0];
    rig.succeed(task);
    rig.live_until(21 * MINUTE);
    assert_eq!(rig.told()[4..], [ran(21)]);
    assert_eq!((rig.schedule().fired, rig.schedule().skipped), (2, 3));
}

#[test]
fn queue_lets_windows_wait_in_order() {
    let rig = overlapping(Overlap::Queue);
    let full = skipped(20 * MINUTE, Reason::QueueFull);
    assert_eq!(rig.told(), [ran(17), full]);
    let waiting = |rig: &Rig| -> Vec<u64> {
        rig.schedule().rare.waiting.iter().map(|one| one.window.millis() / MINUTE).collect()
    };
    assert_eq!(waiting(&rig), [18, 19]);
    let mut rig = crash(rig);
    rig.hello(1, 2, 1, &[(rig.made()[0], rig.task(rig.made()[0]).fence)]);
    assert_eq!(waiting(&rig), [18, 19]);
    for minute in [18, 19] {
        let task = *rig.made().last().expect("one runs");
        let fence = rig.task(task).fence;
        rig.report_with(task, fence, crate::engine::tests::worker(1), crate::values::Session::new(2), OK);
        rig.pass(0);
        assert_eq!(rig.told().last(), Some(&ran(minute)));
    }
    assert_eq!(waiting(&rig), [] as [u64; 0]);
}

#[test]
fn coalesce_keeps_only_the_newest_that_waits() {
    let mut rig = overlapping(Overlap::Coalesce);
    let merged = |minute: u64| skipped(minute * MINUTE, Reason::Coalesced);
    assert_eq!(rig.told_anew(), [ran(17), merged(18), merged(19)]);
    let task = rig.engine.state().tasks().iter().next().expect("one runs").1.id;
    rig.succeed(task);
    rig.pass(0);
    assert_eq!(rig.told(), [ran(20)]);
}

#[test]
fn replace_cancels_what_runs() {
    let mut rig = with(minutely().on(|terms| terms.overlap = Overlap::Replace));
    rig.live_until(17 * MINUTE);
    let first = rig.made()[0];
    rig.report(first, crate::task::decide::ReportKind::Accepted);
    rig.live_until(18 * MINUTE);
    assert_eq!(rig.told(), [ran(17), ran(18)]);
    let made = rig.made();
    assert!(rig.task(made[0]).cancel_requested && !rig.task(made[1]).cancel_requested);
    assert_eq!(rig.stops(made[0]), 1);
    rig.report(made[0], crate::engine::tests::failed(crate::values::FailureClass::Cancelled));
    assert_eq!(rig.status(made[0]), Status::Cancelled);
    assert_eq!(*rig.schedule().rare.active, [Started::Task(made[1])]);
}

#[test]
fn what_waits_when_a_schedule_is_deleted_is_told_of() {
    let mut rig = overlapping(Overlap::Queue);
    say(&mut rig, ScheduleCommand::Delete { key: key("s"), seen: None }).expect("there is one");
    let rows = rig.engine.take_changed(crate::values::Seq::ZERO).windows;
    let deleted = rows.iter().filter(|row| row.what == Err(Unfired::Skipped(Reason::Deleted)));
    assert_eq!(deleted.count(), 2);
    assert_eq!(rig.schedule().skipped, 3);
}
