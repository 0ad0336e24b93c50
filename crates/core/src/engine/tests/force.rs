use super::recovery::reopened;
use super::*;
use crate::values::{Permit, Permits};

#[test]
fn an_operator_can_force_an_end() {
    let mut rig = rig();
    for status in [Status::Succeeded, Status::Failed, Status::Skipped] {
        let id = rig.running(spec());
        let force = Command::Force { id, status, over: over() };
        assert_eq!(rig.tell(force.clone()), Ok(Answer::Stopping { id }));
        assert_eq!((rig.status(id), rig.stops(id)), (Status::Running, 1), "its attempt is stopped first");
        assert_eq!(rig.tell(force), Ok(Answer::Stopping { id }), "asked again");
        assert_eq!(rig.tell(Command::Cancel { id, stop_running: true }), Ok(Answer::Stopping { id }));
        assert_eq!(rig.stops(id), 1, "and nothing happens twice");
        assert_eq!(rig.report(id, failed(FailureClass::Transient)), Some(ReportVerdict::Recorded));
        assert_eq!(rig.status(id), status, "however the attempt ended");
        assert_eq!(rig.task(id).extra.as_ref().and_then(|extra| extra.forced.clone()), Some(over()));
        assert_eq!(rig.report(id, OK), Some(ReportVerdict::Duplicate));
    }
    let id = rig.submit();
    assert_eq!(
        rig.tell(Command::Force { id, status: Status::Running, over: over() }),
        Err(Rejection::StateNotForcible { status: Status::Running })
    );
}

/// A task that only one may do at a time.
fn exclusive(rig: &mut Rig) -> TaskId {
    let permit = Permit { limit: Name::fixed("deploy"), key: Name::fixed("prod"), max: Some(1) };
    let permits: Permits = Arc::new([permit]);
    let mut submit = rig.command(spec(), StartTime::Now);
    let id = submit.id;
    submit.task.permits = Some(permits);
    rig.tell(Command::Submit(Box::new(submit))).expect("accepted");
    id
}

/// A holder that runs and was forced, and one that waits for its place.
fn forced_holder() -> (Rig, TaskId, TaskId) {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    let (holder, next) = (exclusive(&mut rig), exclusive(&mut rig));
    rig.report(holder, ReportKind::Accepted);
    rig.tell(Command::Force { id: holder, status: Status::Failed, over: over() }).expect("can be forced");
    assert_eq!((rig.status(next), rig.starts(next)), (Status::Queued, 0), "the process is not gone yet");
    (rig, holder, next)
}

#[test]
fn a_forced_holder_keeps_its_place_until_its_process_is_gone() {
    let (mut rig, holder, next) = forced_holder();
    rig.report(holder, OK);
    assert_eq!((rig.status(holder), rig.starts(next)), (Status::Failed, 1));
}

#[test]
fn a_forced_holder_whose_worker_does_not_answer_keeps_its_place_for_the_grace() {
    let (mut rig, holder, next) = forced_holder();
    for _ in 0..3 {
        rig.pass(10_000);
        rig.heartbeat(1, 1);
        assert_eq!((rig.status(holder), rig.starts(next)), (Status::Running, 0));
    }
    rig.pass(10_000);
    assert_eq!((rig.status(holder), rig.starts(next)), (Status::Failed, 1));
    assert_eq!(rig.stops(holder), 2, "the stop order, then the kill");
}

#[test]
fn a_forced_holder_whose_worker_is_lost_keeps_its_place_for_the_lease() {
    let (mut rig, holder, next) = forced_holder();
    rig.hello(2, 1, 1, &[]);
    rig.pass(rig.engine.limits().lease.get() - 1);
    rig.heartbeat(2, 1);
    assert_eq!((rig.status(holder), rig.starts(next)), (Status::Running, 0));
    rig.pass(1);
    assert_eq!((rig.status(holder), rig.starts(next)), (Status::Failed, 1));
}

#[test]
fn what_was_forced_is_not_forgotten_by_a_crash() {
    let (old, holder, next) = forced_holder();
    let fence = old.start_of(holder).fence;
    let mut rig = reopened(&old, EngineConfig::default());
    rig.hello(1, 2, 1, &[(holder, fence)]);
    assert_eq!((rig.stops(holder), rig.starts(next)), (1, 0), "the worker is told again");
    rig.report_with(holder, fence, worker(1), Session::new(2), failed(FailureClass::Transient));
    assert_eq!((rig.status(holder), rig.starts(next)), (Status::Failed, 1));
    assert_eq!(rig.task(holder).extra.as_ref().and_then(|extra| extra.forced.clone()), Some(over()));
}

#[test]
fn the_last_word_of_an_operator_counts() {
    let (mut rig, holder, _) = forced_holder();
    rig.tell(Command::Force { id: holder, status: Status::Skipped, over: over() }).expect("can be forced");
    rig.report(holder, OK);
    assert_eq!(rig.status(holder), Status::Skipped);
}
