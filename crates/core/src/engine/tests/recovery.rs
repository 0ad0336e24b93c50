use super::*;
use crate::engine::Debt;
use crate::task::TimeLimits;

/// A new owner that read the tasks back from the tables.
pub(super) fn reopened(rig: &Rig, config: EngineConfig) -> Rig {
    let mut next = Rig::with(config);
    next.now = rig.now;
    next.begin();
    for (_, task) in rig.engine.state().tasks().iter() {
        next.engine.state.load(hardened(task));
        next.shadow.load(hardened(task));
    }
    next.start_epoch(2);
    next.engine.recover();
    next
}

fn one_of_each(rig: &mut Rig) -> [TaskId; 5] {
    let running = rig.running(spec());
    let retrying = rig.running(spec());
    rig.report(retrying, failed(FailureClass::Transient));
    let deferred = rig.running(spec());
    rig.report(deferred, ReportKind::Deferred { resume_after: Millis::from_secs(5) });
    let pending = rig.submit_as(spec(), StartTime::After(Millis::from_secs(5)));
    let mut elsewhere = spec();
    elsewhere.requirements.pool = Name::fixed("elsewhere");
    let queued = rig.submit_as(elsewhere, StartTime::Now);
    [running, retrying, deferred, pending, queued]
}

#[test]
fn everything_owed_is_armed_again() {
    let mut old = rig();
    let [running, retrying, deferred, pending, queued] = one_of_each(&mut old);
    let mut new = reopened(&old, EngineConfig::default());
    assert_eq!(new.engine.unpaid(), vec![]);
    assert_eq!(new.engine.owed().len(), old.engine.owed().len() - 1, "all but the lease of the old session");
    assert_eq!(new.status(running), Status::Running, "after recovery an assigned task counts as running");
    new.hello(1, 2, 1, &[(running, old.start_of(running).fence)]);
    new.pass(5_000);
    for id in [retrying, deferred, pending] {
        assert_eq!(new.status(id), Status::Assigned);
    }
    assert_eq!(new.status(queued), Status::Queued);
    assert!(new.start_of(retrying).fence > old.start_of(retrying).fence, "a later epoch, a greater fence");
    let verdict = new.report_with(running, old.start_of(running).fence, worker(1), Session::new(2), OK);
    assert_eq!(verdict, Some(ReportVerdict::Recorded), "work that went on meanwhile is not run twice");
}

#[test]
fn a_worker_has_a_whole_lease_to_speak_up_after_a_recovery() {
    let mut old = rig();
    let id = old.running(spec());
    old.now = Now {
        elapsed: old.now.elapsed + Millis::from_secs(3600),
        wall: old.now.wall + Millis::from_secs(3600),
    };
    let mut new = reopened(&old, EngineConfig::default());
    new.pass(14_999);
    assert_eq!(new.status(id), Status::Running);
    new.pass(1);
    assert_eq!(new.status(id), Status::Queued);
}

#[test]
fn a_hard_limit_counts_from_the_start_of_the_attempt_over_restarts() {
    let limits = TimeLimits { hard: Some(Millis::from_secs(12)), ..TimeLimits::default() };
    let mut old = rig();
    let id = old.running(ProfileSpec { limits, ..spec() });
    let fence = old.start_of(id).fence;
    let stopped = |rig: &Rig| rig.task(id).lease().is_some_and(|lease| lease.stop.is_some());
    // Two restarts, each 5 s later; the worker goes on.
    for (session, ran) in [(2, 5_000), (3, 10_000)] {
        old.now = Now {
            elapsed: old.now.elapsed + Millis::from_secs(5),
            wall: old.now.wall + Millis::from_secs(5),
        };
        old = reopened(&old, EngineConfig::default());
        let held = Holding { task: id, fence, ran: Some(Millis::new(ran)) };
        old.hello_with(1, session, 1, vec![held]);
        assert!(!stopped(&old), "after {ran} ms");
    }
    old.pass(1_999);
    assert!(!stopped(&old));
    old.pass(1);
    assert!(stopped(&old), "12 s after its start");
}

#[test]
fn a_worker_that_counts_wrong_cannot_end_an_attempt_before_it_was_given_out() {
    let limits = TimeLimits { hard: Some(Millis::from_secs(12)), ..TimeLimits::default() };
    let mut rig = rig();
    rig.pass(3_600_000);
    let id = rig.running(ProfileSpec { limits, ..spec() });
    let fence = rig.start_of(id).fence;
    let ran = Some(Millis::from_secs(3_600));
    rig.hello_with(1, 2, 1, vec![Holding { task: id, fence, ran }]);
    rig.pass(11_999);
    assert!(rig.task(id).lease().is_some_and(|lease| lease.stop.is_none()));
}

#[test]
fn a_forgotten_timer_is_noticed() {
    let mut old = rig();
    one_of_each(&mut old);
    let breaks = crate::values::Breaks { timer_not_rearmed: true, ..Default::default() };
    let new = reopened(&old, EngineConfig { breaks, ..EngineConfig::default() });
    let unpaid = new.engine.unpaid();
    assert!(unpaid.iter().any(|unpaid| matches!(unpaid.0, Debt::Timer(..))), "{unpaid:?}");
}

#[test]
fn memory_wins_over_a_loaded_row() {
    let mut rig = rig();
    let id = rig.submit_as(spec(), StartTime::After(Millis::from_secs(3600)));
    let row = rig.task(id).clone();
    rig.tell(Command::Cancel { id, stop_running: false }).expect("waits");
    assert!(!rig.engine.page_in(row), "the row is older than memory");
    assert_eq!(rig.status(id), Status::Cancelled);
}

#[test]
fn a_far_off_task_leaves_memory_and_comes_back() {
    let mut rig = rig();
    let id = rig.submit_as(spec(), StartTime::After(Millis::from_secs(3600)));
    let (row, seq) = (rig.task(id).clone(), rig.task(id).touched);
    let horizon = rig.now.wall + Millis::from_secs(600);
    assert!(!rig.engine.park(id, seq, horizon), "not stored yet");
    let index = rig.engine.state().tasks().find(id).expect("in memory");
    rig.engine.mark_stored(index);
    assert!(rig.engine.park(id, seq, horizon));
    assert_eq!((rig.engine.state().tasks().len(), rig.engine.timers_armed()), (0, 0));
    assert!(rig.engine.page_in(row));
    rig.pass(3_600_000);
    assert_eq!(rig.status(id), Status::Queued);
}
