//! The server was stopped, or slept, or waited for its journal: what workers said meanwhile lies unread.

use super::*;
use crate::task::{Delivery, TimeLimits};

/// A turn after so long, in which the server listens.
fn turn(rig: &mut Rig, ms: u64) {
    rig.now = Now { elapsed: rig.now.elapsed + Millis::new(ms), wall: rig.now.wall + Millis::new(ms) };
    rig.begin();
    rig.engine.listen(true);
    rig.pass(0);
}

/// Turns that follow each other closely.
fn turns(rig: &mut Rig, seconds: u64) {
    (0..seconds).for_each(|_| turn(rig, 1_000));
}

#[test]
fn after_a_stall_every_worker_has_a_full_lease() {
    let mut rig = rig();
    let id = rig.running(spec());
    turn(&mut rig, 0);
    turn(&mut rig, 60_000);
    turns(&mut rig, 14);
    assert_eq!(rig.status(id), Status::Running, "its words may not have been read yet");
    turns(&mut rig, 1);
    assert_eq!((rig.status(id), rig.engine.counts().workers_lost), (Status::Queued, 1), "it was silent");
}

#[test]
fn nobody_is_judged_while_a_stall_lasts() {
    let mut rig = rig();
    let id = rig.running(spec());
    turn(&mut rig, 0);
    // Turns go on, but nothing can be taken in.
    for _ in 0..60 {
        rig.pass(1_000);
        rig.engine.listen(false);
    }
    assert_eq!(rig.status(id), Status::Running);
    turns(&mut rig, 14);
    assert_eq!(rig.status(id), Status::Running);
}

#[test]
fn a_pause_that_is_no_stall_does_not_lengthen_a_lease() {
    let mut rig = rig();
    let id = rig.running(spec());
    turn(&mut rig, 0);
    (0..5).for_each(|_| turn(&mut rig, 3_000));
    assert_eq!(rig.status(id), Status::Queued);
}

#[test]
fn no_deadline_of_an_attempt_is_judged_before_what_its_worker_said_was_read() {
    let limits = |hard: bool, progress: bool| TimeLimits {
        hard: hard.then_some(Millis::from_secs(20)),
        progress: progress.then_some(Millis::from_secs(20)),
        ..TimeLimits::default()
    };
    for (hard, progress) in [(true, false), (false, true)] {
        let mut rig = rig();
        let id = rig.running(ProfileSpec { limits: limits(hard, progress), ..spec() });
        turn(&mut rig, 0);
        turn(&mut rig, 60_000);
        assert!(rig.task(id).lease().is_some_and(|lease| lease.stop.is_none()), "its result may be unread");
        assert_eq!(rig.report(id, OK), Some(ReportVerdict::Recorded));
        assert_eq!(rig.status(id), Status::Succeeded);
    }
    for delivery in [Delivery::AtLeastOnce, Delivery::AtMostOnce] {
        let mut rig = rig();
        rig.hello(1, 1, 1, &[]);
        let id = rig.submit_as(ProfileSpec { delivery, ..spec() }, StartTime::Now);
        turn(&mut rig, 0);
        turn(&mut rig, 60_000);
        assert_eq!((rig.status(id), rig.starts(id)), (Status::Assigned, 1), "it may have been accepted");
        rig.report(id, ReportKind::Accepted);
        assert_eq!(rig.report(id, OK), Some(ReportVerdict::Recorded));
    }
}
