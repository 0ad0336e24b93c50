use super::*;
use crate::engine::ByActor;
use crate::task::{StopReason, TaskChange};
use crate::values::{Band, Wall};

fn cancel(rig: &mut Rig, id: TaskId, stop_running: bool) -> Result<Answer, Rejection> {
    rig.tell(Command::Cancel { id, stop_running })
}

#[test]
fn what_waits_is_cancelled_at_once_in_every_waiting_state() {
    let mut rig = rig();
    let queued = rig.submit();
    let pending = rig.submit_as(spec(), StartTime::After(Millis::from_secs(9)));
    let mut waiting = vec![queued, pending];
    for id in waiting.clone() {
        assert_eq!(cancel(&mut rig, id, false), Ok(Answer::Now { id, status: Status::Cancelled }));
    }
    let retrying = rig.running(spec());
    rig.report(retrying, failed(FailureClass::Transient));
    let deferred = rig.running(spec());
    rig.report(deferred, ReportKind::Deferred { resume_after: Millis::from_secs(5) });
    for id in [retrying, deferred] {
        assert_eq!(cancel(&mut rig, id, false), Ok(Answer::Now { id, status: Status::Cancelled }));
    }
    waiting.extend([retrying, deferred]);
    rig.pass(60_000);
    for id in waiting {
        assert_eq!(rig.status(id), Status::Cancelled);
        assert!(matches!(cancel(&mut rig, id, true), Err(Rejection::TaskAlreadyEnded { .. })));
    }
    assert_eq!(rig.starts(queued) + rig.starts(pending), 0);
}

#[test]
fn what_runs_is_stopped_only_if_asked_to() {
    let mut rig = rig();
    let id = rig.running(spec());
    assert_eq!(cancel(&mut rig, id, false), Err(Rejection::TaskAlreadyRunning { id }));
    assert_eq!(cancel(&mut rig, id, true), Ok(Answer::Stopping { id }));
    assert_eq!(cancel(&mut rig, id, true), Ok(Answer::Stopping { id }), "asked again");
    assert_eq!(rig.stops(id), 1, "one order");
    assert_eq!(rig.report(id, failed(FailureClass::Transient)), Some(ReportVerdict::Recorded));
    assert_eq!(rig.status(id), Status::Cancelled);
    assert_eq!(rig.task(id).failures()[0].failure.class, FailureClass::Cancelled);
}

#[test]
fn a_success_after_a_stop_order_is_a_success() {
    let mut rig = rig();
    let id = rig.running(spec());
    cancel(&mut rig, id, true).expect("stops");
    rig.report(id, OK);
    assert_eq!(rig.status(id), Status::Succeeded);
    assert!(rig.task(id).cancel_requested, "and shows that a cancel was asked for");
}

#[test]
fn a_worker_that_does_not_answer_a_stop_order_loses_the_attempt() {
    let mut rig = rig();
    let id = rig.running(spec());
    cancel(&mut rig, id, true).expect("stops");
    for _ in 0..4 {
        rig.pass(10_000);
        rig.heartbeat(1, 1);
    }
    assert_eq!(rig.status(id), Status::Cancelled);
    assert_eq!(rig.stops(id), 2, "the stop order, then the kill");
    assert_eq!(rig.report(id, OK), Some(ReportVerdict::Duplicate), "its word comes too late");
}

#[test]
fn a_cancel_outranks_a_timeout_that_came_first() {
    let mut rig = rig();
    let mut spec = spec();
    spec.limits.hard = Some(Millis::from_secs(1));
    let id = rig.running(spec);
    rig.pass(1_000);
    assert_eq!(
        rig.task(id).lease().and_then(|lease| lease.stop).map(|stop| stop.reason),
        Some(StopReason::HardTimeout)
    );
    cancel(&mut rig, id, true).expect("stops");
    rig.report(id, failed(FailureClass::Transient));
    assert_eq!(rig.status(id), Status::Cancelled, "not retried");
}

#[test]
fn an_unknown_task_is_not_found() {
    let mut rig = rig();
    let id = rig.next_id();
    assert_eq!(cancel(&mut rig, id, true), Err(Rejection::TaskNotFound { id }));
    assert_eq!(rig.tell(Command::RunNow { id }), Err(Rejection::TaskNotFound { id }));
}

#[test]
fn amending_works_until_the_task_starts() {
    let mut rig = rig();
    let id = rig.submit_as(spec(), StartTime::After(Millis::from_secs(60)));
    let later = Wall::from_millis(START + 90_000);
    let payload: crate::task::Payload = Arc::from(*b"new");
    let amend = |due, payload| Command::Amend { id, due, priority: Some(Priority::of(Band::P0)), payload };
    rig.tell(amend(Some(later), Some(payload.clone()))).expect("still pending");
    rig.pass(60_000);
    assert_eq!(rig.status(id), Status::Pending, "moved to a later time");
    rig.tell(amend(Some(Wall::from_millis(1)), None)).expect("still pending");
    assert_eq!(rig.status(id), Status::Queued, "moved to the past: at once");
    assert!(matches!(
        rig.tell(amend(Some(later + Millis::from_secs(99)), None)),
        Err(Rejection::TaskAlreadyStarted { .. })
    ));
    rig.hello(1, 1, 1, &[]);
    assert_eq!((rig.start_of(id).payload, rig.task(id).priority.band), (payload, Band::P0));
    assert!(matches!(rig.tell(amend(None, None)), Err(Rejection::TaskAlreadyRunning { .. })));
}

#[test]
fn a_changed_priority_moves_a_waiting_task() {
    let mut rig = rig();
    let (first, second) = (rig.submit(), rig.submit());
    let urgent =
        Command::Amend { id: second, due: None, priority: Some(Priority::of(Band::P0)), payload: None };
    rig.tell(urgent).expect("waits");
    rig.hello(1, 1, 1, &[]);
    let order: Vec<TaskId> = rig
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Start(start) => Some(start.task),
            _ => None,
        })
        .collect();
    assert_eq!(order, [second, first]);
}

#[test]
fn run_now_releases_what_waits_for_time() {
    let mut rig = rig();
    let id = rig.submit_as(spec(), StartTime::After(Millis::from_secs(3600)));
    rig.tell(Command::RunNow { id }).expect("waits");
    assert_eq!(rig.status(id), Status::Queued);
}

#[test]
fn a_change_by_somebody_leaves_a_note_and_what_changes_nothing_leaves_none() {
    let mut rig = rig();
    let by = |command| Command::ByActor(Box::new(ByActor { over: over(), command }));
    let notes = |rig: &Rig, id| {
        let notes = rig.task(id).extra.as_ref().map_or(Vec::new(), |extra| extra.notes.clone());
        notes.into_iter().map(|note| (note.change, note.status, note.over)).collect::<Vec<_>>()
    };
    let waiting = rig.submit_as(spec(), StartTime::After(Millis::from_secs(9)));
    rig.tell(by(Command::RunNow { id: waiting })).expect("it waits");
    rig.tell(by(Command::Cancel { id: waiting, stop_running: false })).expect("it is queued");
    rig.tell(by(Command::Cancel { id: waiting, stop_running: false })).expect_err("it has ended");
    let told =
        [(TaskChange::RunNow, Status::Queued, over()), (TaskChange::Cancelled, Status::Cancelled, over())];
    assert_eq!(notes(&rig, waiting), told);

    let running = rig.running(spec());
    rig.tell(by(Command::Cancel { id: running, stop_running: true })).expect("it can be stopped");
    rig.tell(by(Command::Cancel { id: running, stop_running: true })).expect("it is asked already");
    assert_eq!(notes(&rig, running).len(), 1);
}
