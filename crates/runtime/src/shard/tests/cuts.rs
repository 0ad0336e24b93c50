use super::*;
use mainspring_core::decision::KeyOutcome;
use mainspring_core::engine::Keyed;
use mainspring_core::key::{KeyBinding, KeyClaim, KeyFact, KeyScope};
use mainspring_core::task::Status;
use mainspring_core::values::Actor;

/// A cut as soon as there is something to cut.
fn eager() -> ShardConfig {
    ShardConfig { cut_every: Millis::ZERO, ..ShardConfig::default() }
}

#[test]
fn a_cut_waits_until_its_record_is_durable() {
    let mut rig = rig_with(eager());
    let submit = rig.submit(StartTime::Now);
    rig.tell(1, vec![Command::Submit(Box::new(submit))]);
    assert!(rig.cuts.is_empty(), "made, but not handed out");
    rig.append(Ok(()));
    assert_eq!(rig.cuts.len(), 1);
    assert_eq!(rig.cuts[0].through, rig.shard.figures().durable);
}

#[test]
fn an_ended_task_leaves_memory_only_behind_the_barrier() {
    let mut rig = rig_with(eager());
    rig.hello();
    let id = rig.submitted(StartTime::Now);
    let start = rig.starts.pop().expect("started");
    let report = Report {
        worker: start.worker,
        session: start.session,
        task: id,
        fence: start.fence,
        what: ReportKind::Succeeded { output: None },
        details: None,
    };
    rig.tell(1, vec![Command::Report(Box::new(report))]);
    rig.append(Ok(()));
    rig.write_cut();
    assert!(rig.in_memory(id), "a read of the tables from before the cut may still be on its way");
    let barrier = rig.barriers.pop().expect("asked for");
    rig.shard.barrier_passed(barrier);
    assert!(!rig.in_memory(id));
    assert_eq!(rig.task(id).status(), Status::Succeeded, "the tables answer");
}

#[test]
fn a_task_that_lived_between_two_cuts_leaves_one_row() {
    let mut rig = rig_with(quiet());
    rig.hello();
    rig.submitted(StartTime::Now);
    rig.succeed();
    rig.shard.hurry_cut();
    rig.step();
    let cut = rig.cuts[0].clone();
    assert_eq!((cut.live.len(), cut.ended.len(), cut.gone.len()), (0, 1, 0));
    assert_eq!(cut.ended[0].worker, Some(WorkerId::from_bits(1)));
}

#[test]
fn without_history_an_ended_task_leaves_nothing() {
    let mut rig = rig_with(ShardConfig { history: false, ..eager() });
    rig.hello();
    let id = rig.submitted(StartTime::Now);
    rig.succeed();
    assert!(!rig.in_memory(id));
    assert!(rig.disk.live.is_empty() && rig.disk.history.is_empty());
    assert_eq!(rig.call(Command::Read { id }), Ok(Answer::Task(None)));
}

#[test]
fn a_cut_that_failed_is_offered_again() {
    let mut rig = rig_with(eager());
    let submit = rig.submit(StartTime::Now);
    rig.tell(1, vec![Command::Submit(Box::new(submit))]);
    rig.append(Ok(()));
    let cut = rig.cuts.pop().expect("handed out");
    rig.shard.cut_done(Err(mainspring_store::CutError::Full));
    rig.shard.retry_cut();
    rig.collect();
    assert_eq!(rig.cuts, [cut]);
    rig.run();
    assert_eq!(rig.shard.figures().lag_events, 0);
}

#[test]
fn far_off_tasks_live_on_disk_and_come_back_in_time() {
    let mut rig = rig_with(eager());
    let id = rig.submitted(StartTime::After(Millis::from_secs(7200)));
    assert!(!rig.in_memory(id), "parked");
    for _ in 0..7200 / 240 {
        rig.ms += 240_000;
        rig.run();
    }
    let submit = rig.submit(StartTime::Now);
    rig.tell(1, vec![Command::Submit(Box::new(submit))]);
    assert_eq!(rig.task(id).status(), Status::Queued, "due, on time");
}

#[test]
fn a_command_on_a_parked_task_brings_it_back_first() {
    let mut rig = rig_with(eager());
    let id = rig.submitted(StartTime::After(Millis::from_secs(7200)));
    assert_eq!(
        rig.call(Command::Cancel { id, stop_running: false }),
        Ok(Answer::Now { id, status: Status::Cancelled })
    );
    assert!(rig.disk.live.is_empty() && rig.disk.history.contains_key(&id));
    let unknown = rig.submit(StartTime::Now).id;
    assert_eq!(rig.call(Command::RunNow { id: unknown }), Err(Rejection::TaskNotFound { id: unknown }));
}

#[test]
fn a_submission_without_a_key_that_is_sent_again_is_looked_up() {
    let mut rig = rig_with(eager());
    rig.hello();
    let ended = rig.submit(StartTime::Now);
    let parked = rig.submit(StartTime::After(Millis::from_secs(7200)));
    for submit in [&ended, &parked] {
        rig.call(Command::Submit(Box::new(submit.clone()))).expect("accepted");
    }
    rig.succeed();
    assert!(!rig.in_memory(ended.id) && !rig.in_memory(parked.id), "the tables have them");
    for submit in [ended, parked] {
        let id = submit.id;
        let again = Submit { resent: true, ..submit };
        let command = || Command::Submit(Box::new(again.clone()));
        assert_eq!(rig.call(command()), Ok(Answer::AlreadySubmitted { id }));
        if !rig.in_memory(id) {
            rig.tell(7, vec![command(), Command::Read { id }]);
            rig.run();
            let refused = rig.answers.remove(&7).map(|mut answers| answers.swap_remove(0));
            assert!(matches!(refused, Some(Err(Rejection::Internal { .. }))), "in a batch: {refused:?}");
        }
    }
    assert!(rig.starts.is_empty(), "nothing ran twice");
    let new = Submit { resent: true, ..rig.submit(StartTime::Now) };
    let id = new.id;
    let first = rig.call(Command::Submit(Box::new(new)));
    assert!(
        matches!(first, Ok(Answer::Submitted { id: told, status: Status::Queued, .. }) if told == id),
        "the first was lost: {first:?}"
    );
}

#[test]
fn an_ended_task_can_be_revived_from_history() {
    let mut rig = rig_with(eager());
    let id = rig.submitted(StartTime::Now);
    rig.call(Command::Cancel { id, stop_running: false }).expect("waits");
    assert!(!rig.in_memory(id));
    assert!(matches!(rig.call(Command::RunNow { id }), Err(Rejection::TaskAlreadyEnded { .. })));
    let over = Actor { actor: Name::fixed("ann"), reason: Name::fixed("try again") };
    rig.call(Command::Revive { id, fact: None, over, dead_only: false }).expect("revived");
    assert_eq!(rig.task(id).status(), Status::Queued);
    assert!(rig.disk.history.is_empty() && rig.disk.live.contains_key(&id), "one row, not two");
}

#[test]
fn a_dead_letter_is_discarded_from_history_and_stays_so() {
    let mut rig = rig_with(eager());
    let id = rig.submitted(StartTime::Now);
    let over = || Actor { actor: Name::fixed("ann"), reason: Name::fixed("known") };
    rig.call(Command::Force { id, status: Status::Failed, over: over() }).expect("forced");
    assert!(!rig.in_memory(id));
    let discard = Command::Discard { id, fact: None, over: over() };
    assert_eq!(rig.call(discard.clone()), Ok(Answer::Now { id, status: Status::Skipped }));
    assert!(rig.disk.live.is_empty());
    assert_eq!(rig.disk.history.get(&id).map(|row| row.status), Some(Status::Skipped), "one row, put away");
    assert_eq!(rig.call(discard), Ok(Answer::Now { id, status: Status::Skipped }), "asked again");
}

#[test]
fn a_key_in_the_tables_answers_for_a_task_that_has_left_memory() {
    let mut rig = rig_with(eager());
    let id = rig.submitted(StartTime::Now);
    let claim = KeyClaim {
        scope: KeyScope(9),
        request: 7 << 8,
        expires: Wall::from_millis(1 << 50),
        group: Group::ZERO,
    };
    let keyed = |fact, command| Command::Keyed(Box::new(Keyed { key: (claim, fact), command }));
    let cancel = || Command::Cancel { id, stop_running: false };
    let first = rig.call(keyed(KeyFact::Absent, cancel()));
    assert_eq!(first, Ok(Answer::Now { id, status: Status::Cancelled }));
    assert!(!rig.in_memory(id));
    assert_eq!(rig.shard.figures().recent_keys, 0, "the tables answer for it");
    let request = claim.with(KeyOutcome::Now(Status::Cancelled)).request;
    let fact = KeyFact::Bound(KeyBinding { request, task: id, group: claim.group });
    assert_eq!(rig.call(keyed(fact, cancel())), first);
    let refused = rig.call(Command::Cancel { id, stop_running: false });
    assert!(matches!(refused, Err(Rejection::TaskAlreadyEnded { .. })), "without the key it comes too late");
}

#[test]
fn looking_at_a_parked_task_leaves_it_where_it_is() {
    let mut rig = rig_with(eager());
    let id = rig.submitted(StartTime::After(Millis::from_secs(7200)));
    assert!(!rig.in_memory(id));
    let read = rig.call(Command::Read { id });
    assert!(matches!(&read, Ok(Answer::Task(Some(task))) if task.status() == Status::Pending), "{read:?}");
    let why = rig.call(Command::Ask(mainspring_core::engine::question::Question::Why { id }));
    assert!(matches!(&why, Ok(Answer::Diagnosis(why)) if why.status == Status::Pending), "{why:?}");
    assert!(!rig.in_memory(id), "it is still parked");
}

#[test]
fn who_waits_for_the_tables_has_a_small_cut_made_early_and_no_big_one() {
    for (tasks, early) in [(1, true), (600, false)] {
        let mut rig = rig_with(ShardConfig { cut_every: Millis::from_secs(60), ..ShardConfig::default() });
        let submits = (0..tasks).map(|_| Command::Submit(Box::new(rig.submit(StartTime::Now)))).collect();
        rig.tell(1, submits);
        rig.append(Ok(()));
        let record = rig.shard.want_tables();
        assert_eq!(record, rig.shard.figures().durable);
        assert!(!rig.shard.tables_hold(record));
        rig.ms += 100;
        rig.step();
        assert_eq!(rig.cuts.len(), usize::from(early), "{tasks}");
        rig.ms += 60_000;
        rig.step();
        rig.write_cut();
        assert!(rig.shard.tables_hold(record), "{tasks}");
    }
}
