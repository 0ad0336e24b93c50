use super::questions::standing;
use super::*;
use crate::decision::Alert;
use crate::engine::question::Standing;
use crate::retry::RetryRates;
use crate::task::Delivery;
use crate::values::Resources;

/// Fails the newest attempt, again and again, on workers in turn.
fn fail_on(rig: &mut Rig, id: TaskId, class: FailureClass, times: u32) {
    for _ in 0..times {
        if rig.status(id).is_ended() {
            return;
        }
        rig.report(id, failed(class));
        rig.pass(100);
    }
}

#[test]
fn retries_are_spent_and_then_the_task_fails_with_every_error_kept() {
    let mut rig = rig();
    let id = rig.running(spec());
    fail_on(&mut rig, id, FailureClass::Transient, 5);
    assert_eq!((rig.status(id), rig.starts(id)), (Status::Failed, 3));
    let numbers: Vec<u32> = rig.task(id).failures().iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, [1, 2, 3], "the dead letter tells the whole story");
}

#[test]
fn each_class_has_its_own_course() {
    let rows = [
        (FailureClass::Transient, Status::RetryWait, 1),
        (FailureClass::Permanent, Status::Failed, 0),
        (FailureClass::Resource, Status::RetryWait, 1),
        (FailureClass::Timeout, Status::RetryWait, 1),
        (FailureClass::WorkerLost, Status::Assigned, 0),
        (FailureClass::Preempted, Status::Assigned, 0),
        (FailureClass::Cancelled, Status::Cancelled, 0),
    ];
    for (class, status, spent) in rows {
        let mut rig = rig();
        let id = rig.running(spec());
        rig.report(id, failed(class));
        assert_eq!((rig.status(id), rig.task(id).retries_spent), (status, spent), "{class:?}");
    }
}

#[test]
fn a_resource_failure_asks_for_more_memory() {
    let mut rig = rig();
    let mut spec = spec();
    spec.requirements.resources = Resources::new(0, 1000, 0, 0);
    let offer = WorkerOffer {
        pool: Name::fixed("default"),
        slots: 1,
        capacity: Resources::new(0, 10_000, 0, 0),
        ..WorkerOffer::default()
    };
    let hello = Hello {
        worker: worker(1),
        epoch: Epoch::ZERO,
        session: Session::new(1),
        incarnation: Incarnation::new(1),
        offer,
        holding: vec![],
    };
    rig.tell(Command::Session(SessionCommand::Hello(Box::new(hello)))).expect("never refused");
    let id = rig.submit_as(spec, StartTime::Now);
    for expected in [Some(1500), Some(2250)] {
        rig.report(id, failed(FailureClass::Resource));
        rig.pass(100);
        assert_eq!(rig.start_of(id).memory_bytes, expected);
    }
}

#[test]
fn failing_alike_on_three_workers_is_poison() {
    let mut rig = rig();
    let mut spec = spec();
    spec.retry.attempts_max = 100;
    rig.hello(1, 1, 1, &[]);
    rig.hello(2, 1, 1, &[]);
    let id = rig.submit_as(spec, StartTime::Now);
    fail_on(&mut rig, id, FailureClass::Transient, 6);
    assert!(!rig.status(id).is_ended(), "two workers are no proof");
    rig.hello(3, 1, 1, &[]);
    let closed = SessionCommand::Closed { worker: worker(1), session: Session::new(1) };
    rig.tell(Command::Session(closed)).expect("never refused");
    fail_on(&mut rig, id, FailureClass::Transient, 20);
    assert_eq!(rig.status(id), Status::Quarantined);
    assert!(rig.effects.contains(&Effect::Alert { task: id, alert: Alert::Quarantined }));
}

#[test]
fn killing_five_workers_is_poison() {
    let mut rig = rig();
    let id = rig.running(spec());
    for life in 2..20 {
        if rig.status(id) == Status::Quarantined {
            break;
        }
        // The worker process died and came back without the attempt.
        rig.hello(1, life, life, &[]);
        rig.pass(0);
        if rig.status(id) == Status::Assigned {
            rig.report(id, ReportKind::Accepted);
        }
    }
    assert_eq!((rig.status(id), rig.starts(id)), (Status::Quarantined, 5));
}

#[test]
fn at_most_once_fails_what_is_unknown_and_retries_what_is_known() {
    let mut spec = spec();
    spec.delivery = Delivery::AtMostOnce;
    let mut rig = rig();
    let lost = rig.running(spec.clone());
    rig.hello(1, 2, 2, &[]);
    rig.pass(0);
    assert_eq!(rig.status(lost), Status::Failed, "the outcome is unknown");
    let known = rig.running(spec.clone());
    rig.report(known, failed(FailureClass::Transient));
    assert_eq!(rig.status(known), Status::RetryWait, "it certainly ended");
    let vanished = rig.running(spec.clone());
    let lost_answer = Failure::new(FailureClass::Transient, 0, "the connection broke");
    rig.report(vanished, ReportKind::Vanished(lost_answer.clone()));
    assert_eq!(rig.status(vanished), Status::Failed, "its worker could not see how it ended");
    let repeated = rig.running(super::spec());
    rig.report(repeated, ReportKind::Vanished(lost_answer));
    assert_eq!(rig.status(repeated), Status::RetryWait, "at least once: it is tried again");
    let unaccepted = rig.submit_as(spec, StartTime::Now);
    for _ in 0..4 {
        rig.pass(10_000);
        rig.heartbeat(1, 2);
    }
    assert_eq!(rig.status(unaccepted), Status::Failed, "it may have begun unheard");
}

#[test]
fn a_failed_task_can_be_queued_again_by_its_owner() {
    let mut rig = rig();
    let id = rig.running(spec());
    rig.report(id, failed(FailureClass::Permanent));
    let revive = |id| Command::Revive { id, fact: None, over: over(), dead_only: false };
    rig.tell(revive(id)).expect("failed tasks can be revived");
    assert_eq!((rig.status(id), rig.task(id).retries_spent), (Status::Assigned, 0));
    assert!(matches!(rig.tell(revive(id)), Err(Rejection::TaskNotEnded { .. })));
    rig.report(id, OK);
    assert!(matches!(rig.tell(revive(id)), Err(Rejection::TaskAlreadyEnded { .. })), "a success stays");
}

#[test]
fn a_dead_letter_is_put_away_with_its_attempts() {
    let mut rig = rig();
    let id = rig.running(spec());
    let discard = |id| Command::Discard { id, fact: None, over: over() };
    let early = rig.tell(discard(id));
    assert!(matches!(early, Err(Rejection::NotADeadLetter { status: Status::Running, .. })), "{early:?}");
    rig.report(id, failed(FailureClass::Permanent));
    let requeue = |id| Command::Revive { id, fact: None, over: over(), dead_only: true };
    rig.tell(requeue(id)).expect("a dead letter is queued again");
    assert!(matches!(rig.tell(requeue(id)), Err(Rejection::NotADeadLetter { .. })), "it is none any more");
    rig.report(id, failed(FailureClass::Permanent));
    let away = Answer::Now { id, status: Status::Skipped };
    assert_eq!(rig.tell(discard(id)), Ok(away.clone()));
    assert_eq!((rig.status(id), rig.task(id).failures().len()), (Status::Skipped, 2));
    let before = rig.events.len();
    assert_eq!(rig.tell(discard(id)), Ok(away), "asked again");
    assert_eq!(rig.events.len(), before, "nothing happens twice");
    rig.tell(Command::Revive { id, fact: None, over: over(), dead_only: false })
        .expect("it can still be queued again");
    rig.report(id, OK);
    assert!(matches!(rig.tell(discard(id)), Err(Rejection::NotADeadLetter { .. })), "a success is none");
}

#[test]
fn an_output_is_kept_and_a_huge_one_refused() {
    let mut rig = rig();
    let id = rig.running(spec());
    let output: Arc<[u8]> = Arc::from(*b"42");
    rig.report(id, ReportKind::Succeeded { output: Some(output.clone()) });
    assert_eq!(rig.task(id).extra.as_ref().and_then(|extra| extra.output.clone()), Some(output));
    let huge = rig.running(spec());
    rig.report(huge, ReportKind::Succeeded { output: Some(vec![0; 64 * 1024 + 1].into()) });
    assert_eq!(rig.status(huge), Status::Failed);
}

#[test]
fn a_storm_of_failures_comes_back_at_the_budgeted_rate() {
    let retry_rates = RetryRates { overall_per_s: 5000, per_min: 600, burst: 10 };
    let mut rig = Rig::with(EngineConfig { retry_rates, ..EngineConfig::default() });
    let ids: Vec<TaskId> = (0..50).map(|_| rig.running(spec())).collect();
    for id in &ids {
        rig.report(*id, failed(FailureClass::Transient));
    }
    rig.pass(100);
    let back = ids.iter().filter(|id| rig.status(**id) != Status::RetryWait).count();
    assert!((10..=12).contains(&back), "{back} of 50 came back at once");
    let last = standing(&mut rig, ids[49]);
    assert_eq!(last.label(), "retry_budget");
    let told = last.to_string();
    assert!(
        told.starts_with("the retry budget of job `job` is used up; the next attempt begins in"),
        "{told}"
    );
    let Standing::Backoff { left, due, .. } = last else { panic!("{told}") };
    assert_eq!(due, rig.now.wall + left);
    assert_eq!(rig.engine.counts().retries.delayed, [39, 0, 0], "ten at once, and one within its backoff");
    for _ in 0..5 {
        rig.pass(1_000);
        rig.heartbeat(1, 1);
    }
    assert!(ids.iter().all(|id| rig.status(*id) != Status::RetryWait));
}
