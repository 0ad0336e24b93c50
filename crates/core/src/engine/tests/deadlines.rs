use super::*;
use crate::decision::Alert;
use crate::task::{StopReason, TimeLimits};

fn limited(limits: TimeLimits) -> ProfileSpec {
    ProfileSpec { limits, ..spec() }
}

fn stop_reason(rig: &Rig, id: TaskId) -> Option<StopReason> {
    rig.task(id).lease().and_then(|lease| lease.stop).map(|stop| stop.reason)
}

/// Time passes while the worker stays alive.
fn pass_alive(rig: &mut Rig, seconds: u64) {
    for _ in 0..seconds {
        rig.pass(1_000);
        rig.heartbeat(1, 1);
    }
}

#[test]
fn an_assignment_that_is_not_accepted_is_fenced_and_queued_again_for_free() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    let id = rig.submit();
    let first = rig.start_of(id);
    pass_alive(&mut rig, 30);
    let second = rig.start_of(id);
    assert!(second.fence > first.fence, "a new grant");
    assert_eq!((rig.task(id).attempts, rig.task(id).retries_spent), (1, 0));
    let late = rig.report_with(id, first.fence, first.worker, first.session, OK);
    assert_eq!(late, Some(ReportVerdict::Stale));
    assert_eq!(rig.engine.counts().stale_reports, 1);
    assert_eq!(rig.report(id, OK), Some(ReportVerdict::Recorded));
}

#[test]
fn a_soft_limit_tells_once_and_a_hard_one_stops() {
    let mut rig = rig();
    let limits = TimeLimits {
        soft: Some(Millis::from_secs(5)),
        hard: Some(Millis::from_secs(10)),
        ..TimeLimits::default()
    };
    let id = rig.running(limited(limits));
    pass_alive(&mut rig, 9);
    let told =
        rig.effects.iter().filter(|e| matches!(e, Effect::Alert { alert: Alert::SoftTimeout, .. })).count();
    assert_eq!((told, stop_reason(&rig, id)), (1, None));
    pass_alive(&mut rig, 1);
    assert_eq!(stop_reason(&rig, id), Some(StopReason::HardTimeout));
    rig.report(id, failed(FailureClass::Transient));
    assert_eq!(rig.task(id).failures()[0].failure.class, FailureClass::Timeout);
    assert_eq!(rig.status(id), Status::RetryWait);
}

#[test]
fn more_time_is_given_on_request() {
    let mut rig = rig();
    let id = rig.running(limited(TimeLimits { hard: Some(Millis::from_secs(10)), ..TimeLimits::default() }));
    pass_alive(&mut rig, 9);
    rig.report(id, ReportKind::Extend(Millis::from_secs(5)));
    pass_alive(&mut rig, 5);
    assert_eq!(stop_reason(&rig, id), None);
    pass_alive(&mut rig, 1);
    assert_eq!(stop_reason(&rig, id), Some(StopReason::HardTimeout));
}

#[test]
fn heartbeats_do_not_stand_in_for_progress() {
    let mut rig = rig();
    let id =
        rig.running(limited(TimeLimits { progress: Some(Millis::from_secs(20)), ..TimeLimits::default() }));
    pass_alive(&mut rig, 15);
    rig.report(id, ReportKind::Progress(None));
    pass_alive(&mut rig, 19);
    assert_eq!(stop_reason(&rig, id), None, "progress was made 19 s ago");
    pass_alive(&mut rig, 1);
    assert_eq!(stop_reason(&rig, id), Some(StopReason::NoProgress));
}

#[test]
fn a_deferred_task_gives_its_place_back_and_returns() {
    let mut rig = rig();
    let id = rig.running(spec());
    rig.report(id, ReportKind::Deferred { resume_after: Millis::from_secs(3) });
    assert_eq!(rig.status(id), Status::Deferred);
    let holder = rig.engine.workers().find(worker(1)).expect("connected");
    assert_eq!(rig.engine.workers().held_by(holder).count(), 0);
    pass_alive(&mut rig, 3);
    assert_eq!((rig.status(id), rig.task(id).retries_spent), (Status::Assigned, 0));
}

#[test]
fn the_next_wake_is_the_earliest_of_everything_owed() {
    let mut rig = rig();
    assert_eq!(rig.engine.next_wake(), crate::engine::Wake::default(), "an idle shard sleeps");
    rig.submit_as(spec(), StartTime::After(Millis::from_secs(9)));
    let wake = rig.engine.next_wake();
    assert_eq!(wake.wall, Some(rig.now.wall + Millis::from_secs(9)));
    rig.hello(1, 1, 1, &[]);
    assert_eq!(rig.engine.next_wake().elapsed, Some(rig.now.elapsed + rig.engine.limits().lease));
}
