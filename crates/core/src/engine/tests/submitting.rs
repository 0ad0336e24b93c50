use super::*;
use crate::dispatch::PoolLimit;
use crate::key::{KeyBinding, KeyClaim, KeyFact, KeyHolder, KeyScope};
use crate::values::{Band, Limits, Pressure, Wall};

#[test]
fn a_task_starts_now_at_an_instant_or_after_a_delay() {
    let rows = [
        ("now", StartTime::Now, 0),
        ("an instant that has passed", StartTime::At(Wall::from_millis(5)), 0),
        ("at an instant", StartTime::At(Wall::from_millis(START + 5_000)), 5_000),
        ("after a delay", StartTime::After(Millis::from_secs(60)), 60_000),
    ];
    for (name, start, due_in) in rows {
        let mut rig = rig();
        rig.hello(1, 1, 1, &[]);
        let id = rig.submit_as(spec(), start);
        if due_in > 0 {
            assert_eq!(rig.status(id), Status::Pending, "{name}");
            // The worker must not be lost meanwhile.
            rig.pass(due_in - 1);
            rig.hello(1, 2, 1, &[]);
            assert_eq!(rig.starts(id), 0, "{name}: never early");
            rig.pass(1);
        }
        assert_eq!((rig.status(id), rig.starts(id)), (Status::Assigned, 1), "{name}");
    }
}

#[test]
fn a_delay_counts_from_the_present_although_the_record_was_begun_before() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    rig.begin();
    // The journal is slow: a record that holds events keeps its instant for 40 ms.
    rig.engine.set_present(rig.now.elapsed + Millis::new(40));
    let submit = rig.command(spec(), StartTime::After(Millis::new(1_000)));
    let id = submit.id;
    let mut batch = Batch::default();
    rig.engine.handle(Command::Submit(Box::new(submit)), &mut batch).expect("accepted");
    rig.absorb(batch);
    rig.pass(1_039);
    assert_eq!(rig.starts(id), 0, "never early");
    rig.pass(1);
    assert_eq!(rig.starts(id), 1);
}

#[test]
fn a_wall_clock_ahead_of_elapsed_time_does_not_move_a_backoff() {
    let mut rig = rig();
    let id = rig.running(spec());
    rig.report(id, failed(FailureClass::Transient));
    rig.now.wall = rig.now.wall + Millis::from_secs(3600);
    rig.pass(99);
    assert_eq!(rig.status(id), Status::RetryWait);
    rig.pass(1);
    assert_eq!(rig.status(id), Status::Assigned);
}

fn keyed(rig: &mut Rig, request: u128, fact: KeyFact) -> Result<Answer, Rejection> {
    let mut submit = rig.command(spec(), StartTime::Now);
    let claim =
        KeyClaim { scope: KeyScope(9), request, expires: Wall::from_millis(START * 2), group: Group::ZERO };
    submit.key = Some((claim, fact));
    rig.tell(Command::Submit(Box::new(submit)))
}

#[test]
fn a_key_stands_for_one_request() {
    let mut rig = rig();
    let first = keyed(&mut rig, 1, KeyFact::Absent);
    let Ok(Answer::Submitted { id, .. }) = first else { panic!("{first:?}") };
    assert_eq!(keyed(&mut rig, 1, KeyFact::Absent), Ok(Answer::AlreadySubmitted { id }), "sent again");
    assert_eq!(
        keyed(&mut rig, 2, KeyFact::Absent),
        Err(Rejection::KeyReused { existing: KeyHolder::Task(id) }),
        "another body"
    );
    assert_eq!(rig.engine.state().tasks().len(), 1);
}

#[test]
fn what_the_tables_know_of_a_key_counts_too() {
    let mut rig = rig();
    let task = rig.next_id();
    let bound = KeyFact::Bound(KeyBinding { request: 1, task, group: Group::ZERO });
    assert_eq!(keyed(&mut rig, 1, bound), Ok(Answer::AlreadySubmitted { id: task }));
    assert_eq!(keyed(&mut rig, 2, bound), Err(Rejection::KeyReused { existing: KeyHolder::Task(task) }));
    assert!(rig.engine.state().tasks().is_empty());
}

#[test]
fn the_same_id_sent_again_is_the_same_task() {
    let mut rig = rig();
    let submit = rig.command(spec(), StartTime::Now);
    let id = submit.id;
    assert!(rig.tell(Command::Submit(Box::new(submit.clone()))).is_ok());
    assert_eq!(rig.tell(Command::Submit(Box::new(submit))), Ok(Answer::AlreadySubmitted { id }));
}

#[test]
fn limits_refuse_by_name() {
    let limits = Limits { payload_bytes_max: 10, tasks_max: 2, ..Limits::default() };
    let mut rig = Rig::with(EngineConfig { limits, ..EngineConfig::default() });
    let mut big = rig.command(spec(), StartTime::Now);
    big.task.payload = vec![0; 11].into();
    assert_eq!(
        rig.tell(Command::Submit(Box::new(big))),
        Err(Rejection::PayloadTooLarge { bytes: 11, max: 10 })
    );
    let mut labelled = rig.command(spec(), StartTime::Now);
    labelled.task.labels = Some(vec![(Name::fixed("k"), Name::fixed("v")); 33].into());
    assert_eq!(
        rig.tell(Command::Submit(Box::new(labelled))),
        Err(Rejection::TooManyLabels { count: 33, max: 32 })
    );
    let far = rig.command(spec(), StartTime::After(Millis::MAX));
    assert!(matches!(rig.tell(Command::Submit(Box::new(far))), Err(Rejection::TooFarAhead { .. })));
    rig.submit();
    rig.submit();
    assert_eq!(rig.engine.state().payload_bytes(), 14);
    let third = rig.command(spec(), StartTime::Now);
    assert_eq!(rig.tell(Command::Submit(Box::new(third))), Err(Rejection::TooManyTasks { held: 2, max: 2 }));
}

#[test]
fn payloads_in_memory_are_bounded_together() {
    let limits = Limits { payload_bytes_held_max: 10, ..Limits::default() };
    let mut rig = Rig::with(EngineConfig { limits, ..EngineConfig::default() });
    let first = rig.submit();
    let payload = Some(vec![0; 20].into());
    rig.tell(Command::Amend { id: first, due: None, priority: None, payload }).expect("waits");
    let second = rig.command(spec(), StartTime::Now);
    assert_eq!(rig.tell(Command::Submit(Box::new(second))), Err(Rejection::MemoryFull { held: 20, max: 10 }));
}

#[test]
fn a_full_queue_refuses() {
    let mut rig = rig();
    let limit = PoolLimit { running_max: u32::MAX, queued_max: 1 };
    let pool = Name::fixed("default");
    rig.tell(Command::Configure(crate::engine::Configure::Pool { pool, limit })).expect("never refused");
    rig.submit();
    let second = rig.command(spec(), StartTime::Now);
    assert!(matches!(
        rig.tell(Command::Submit(Box::new(second))),
        Err(Rejection::QueueFull { queued: 1, max: 1, .. })
    ));
}

#[test]
fn pressure_refuses_the_least_urgent_first() {
    let rows = [
        (Pressure::None, [true, true, true]),
        (Pressure::ShedP2, [true, true, false]),
        (Pressure::ShedP1, [true, false, false]),
        (Pressure::ShedAll, [false, false, false]),
        (Pressure::Unavailable, [false, false, false]),
    ];
    for (pressure, accepted) in rows {
        let mut rig = rig();
        rig.engine.set_pressure(pressure);
        for (band, accepted) in Band::ALL.into_iter().zip(accepted) {
            let mut submit = rig.command(spec(), StartTime::Now);
            submit.task.priority = Priority::of(band);
            let answer = rig.tell(Command::Submit(Box::new(submit)));
            assert_eq!(answer.is_ok(), accepted, "{pressure:?} {band:?}");
            if let Err(rejection) = answer {
                assert!(rejection.retry_after().is_some(), "a refused producer is told when to come back");
            }
        }
    }
}

#[test]
fn a_command_under_a_key_is_done_once_and_answered_as_at_first() {
    use crate::engine::Keyed;
    use crate::key::{KeyClaim, KeyFact, KeyScope};
    let mut rig = rig();
    let id = rig.running(spec());
    let keyed = |request: u128, command| {
        let claim = KeyClaim {
            scope: KeyScope(5),
            request: request << 8,
            expires: Wall::from_millis(1 << 40),
            group: Group::ZERO,
        };
        Command::Keyed(Box::new(Keyed { key: (claim, KeyFact::Absent), command }))
    };
    let soft = Command::Cancel { id, stop_running: false };
    assert_eq!(rig.tell(keyed(1, soft)), Err(Rejection::TaskAlreadyRunning { id }));
    let hard = || Command::Cancel { id, stop_running: true };
    assert_eq!(rig.tell(keyed(2, hard())), Ok(Answer::Stopping { id }), "a refusal binds nothing");
    rig.report(id, failed(FailureClass::Transient));
    let before = rig.events.len();
    assert_eq!(
        rig.tell(keyed(2, hard())),
        Ok(Answer::Stopping { id }),
        "the first answer, though it has ended"
    );
    assert_eq!(rig.tell(keyed(3, hard())), Err(Rejection::KeyReused { existing: KeyHolder::Task(id) }));
    assert_eq!(rig.events.len(), before);
}

#[test]
fn every_outcome_is_read_back_and_says_what_it_belongs_to() {
    use crate::backfill::BackfillStatus;
    use crate::decision::KeyOutcome;
    use crate::values::{BackfillId, OperationId, RunId, RunStatus, TaskId};
    let claim =
        KeyClaim { scope: KeyScope(1), request: 77 << 8, expires: Wall::from_millis(1), group: Group::ZERO };
    let task = TaskId::from_bits(5);
    let (run, backfill) =
        (KeyHolder::Run(RunId::from_bits(5)), KeyHolder::Backfill(BackfillId::from_bits(5)));
    let mut rows = vec![
        (KeyOutcome::Stopping, KeyHolder::Task(task)),
        (KeyOutcome::Operation, KeyHolder::Operation(OperationId::new(5))),
        (KeyOutcome::BackfillCreated, backfill),
        (KeyOutcome::JobApplied { changed: false }, KeyHolder::Request),
        (KeyOutcome::JobApplied { changed: true }, KeyHolder::Request),
        (KeyOutcome::JobsApplied, KeyHolder::Request),
        (KeyOutcome::JobDone, KeyHolder::Request),
        (KeyOutcome::ScheduleStored { changed: false }, KeyHolder::Request),
        (KeyOutcome::ScheduleStored { changed: true }, KeyHolder::Request),
        (KeyOutcome::ScheduleDone, KeyHolder::Request),
        (KeyOutcome::CordonDone, KeyHolder::Request),
        (KeyOutcome::Remembered, KeyHolder::Request),
    ];
    rows.extend(Status::ALL.map(|status| (KeyOutcome::Now(status), KeyHolder::Task(task))));
    rows.extend(RunStatus::ALL.map(|status| (KeyOutcome::Run(status), run)));
    for status in [BackfillStatus::Running, BackfillStatus::Paused, BackfillStatus::Cancelling] {
        rows.push((KeyOutcome::Backfill(status), backfill));
    }
    for (outcome, holder) in rows {
        let binding = KeyBinding { request: claim.with(outcome).request, task, group: Group::ZERO };
        assert_eq!(claim.outcome_of(binding), Some(outcome));
        assert_eq!(binding.holder(), holder, "{outcome:?}");
        let other = KeyClaim { request: 78 << 8, ..claim };
        assert_eq!(other.outcome_of(binding), None, "{outcome:?}");
    }
}
