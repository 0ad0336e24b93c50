use super::*;
use mainspring_core::values::Band;

fn submission(rig: &mut Rig) -> Command {
    Command::Submit(Box::new(rig.submit(StartTime::Now)))
}

#[test]
fn nothing_leaves_before_its_record_is_durable() {
    let mut rig = rig_with(quiet());
    rig.hello();
    let submit = submission(&mut rig);
    rig.tell(1, vec![submit]);
    assert!(rig.answers.is_empty() && rig.starts.is_empty(), "neither answer nor order");
    rig.append(Ok(()));
    assert_eq!((rig.answers.len(), rig.starts.len()), (1, 1), "submitted and assigned in one record");
}

#[test]
fn one_record_is_in_flight_while_the_next_is_built() {
    let mut rig = rig_with(quiet());
    let (first, second, third) = (submission(&mut rig), submission(&mut rig), submission(&mut rig));
    rig.tell(1, vec![first]);
    rig.tell(2, vec![second]);
    rig.tell(3, vec![third]);
    assert_eq!(rig.appends.len(), 1);
    rig.append(Ok(()));
    assert_eq!(rig.answers.keys().copied().collect::<Vec<_>>(), [1]);
    assert_eq!(rig.appends[0].events, 2, "what came meanwhile shares a record");
    rig.append(Ok(()));
    assert_eq!(rig.answers.len(), 3);
}

#[test]
fn a_read_and_a_refusal_wait_for_what_they_saw() {
    let mut rig = rig_with(quiet());
    let submit = rig.submit(StartTime::Now);
    let id = submit.id;
    rig.tell(1, vec![Command::Submit(Box::new(submit.clone()))]);
    rig.tell(2, vec![Command::Read { id }]);
    rig.tell(3, vec![Command::Submit(Box::new(submit))]);
    assert!(rig.answers.is_empty(), "the task they saw might still be lost");
    rig.append(Ok(()));
    assert_eq!(rig.answers.len(), 3);
    rig.tell(4, vec![Command::Read { id }]);
    assert!(rig.answers.contains_key(&4), "what is durable is answered at once, without a record");
    assert!(rig.appends.is_empty());
}

#[test]
fn a_refused_epoch_ends_the_shard() {
    let mut rig = rig_with(quiet());
    let (first, second) = (submission(&mut rig), submission(&mut rig));
    rig.tell(1, vec![first]);
    rig.append(Err(AppendError::Refused { ours: Epoch::new(1), newest: Epoch::new(2) }));
    assert_eq!(rig.stopped, Some(StopCause::NotOwner { newest: Epoch::new(2) }));
    rig.tell(2, vec![second]);
    assert!(rig.answers.is_empty() && rig.appends.is_empty() && !rig.shard.has_room());
}

#[test]
fn a_full_disk_refuses_submissions_and_resumes_with_the_same_bytes() {
    let mut rig = rig_with(quiet());
    let (first, second) = (submission(&mut rig), submission(&mut rig));
    rig.tell(1, vec![first]);
    let offered = rig.appends[0].clone();
    rig.append(Err(AppendError::Full { bytes: 1 }));
    assert_eq!(rig.retries, 1);
    rig.tell(2, vec![second]);
    assert!(matches!(rig.answers[&2][..], [Err(Rejection::StoreUnavailable { .. })]), "told at once");
    assert!(!rig.answers.contains_key(&1), "not acknowledged");
    rig.shard.retry_append();
    rig.collect();
    assert_eq!(rig.appends, [offered], "byte for byte");
    rig.append(Ok(()));
    assert!(matches!(rig.answers[&1][..], [Ok(Answer::Submitted { .. })]));
    rig.submitted(StartTime::Now);
}

#[test]
fn an_unknown_outcome_is_settled_by_offering_the_same_record() {
    let mut rig = rig_with(quiet());
    let submit = submission(&mut rig);
    rig.tell(1, vec![submit]);
    let offered = rig.appends[0].clone();
    rig.append(Err(AppendError::Unknown { what: "connection lost".into() }));
    assert!(rig.answers.is_empty());
    rig.shard.retry_append();
    rig.collect();
    assert_eq!(rig.appends, [offered]);
}

#[test]
fn a_broken_device_stops_the_shard() {
    let mut rig = rig_with(quiet());
    let submit = submission(&mut rig);
    rig.tell(1, vec![submit]);
    rig.append(Err(AppendError::Broken { what: "fsync failed".into() }));
    assert!(matches!(rig.stopped, Some(StopCause::Broken(_))));
    assert!(rig.answers.is_empty());
}

#[test]
fn a_record_that_is_full_takes_no_more() {
    let mut rig = rig_with(ShardConfig { record_events_max: 2, ..quiet() });
    for reply in 1..=3 {
        let submit = submission(&mut rig);
        rig.tell(reply, vec![submit]);
    }
    assert!(!rig.shard.has_room(), "one in flight, two events in the next");
    rig.append(Ok(()));
    assert!(rig.shard.has_room());
}

#[test]
fn lag_of_the_tables_sheds_the_least_urgent_first() {
    let mut rig = rig_with(ShardConfig { lag_events_max: 20, cut_rows_max: usize::MAX, ..quiet() });
    let mut refused = [None; 3];
    for n in 0..30 {
        for (band, refused) in Band::ALL.into_iter().zip(&mut refused) {
            let mut submit = rig.submit(StartTime::Now);
            submit.task.priority = Priority::of(band);
            if rig.call(Command::Submit(Box::new(submit))).is_err() {
                refused.get_or_insert(n);
            }
        }
    }
    let [p0, p1, p2] = refused.map(|first| first.expect("the bound holds for every band"));
    assert!(p2 < p1 && p1 < p0, "{refused:?}");
    rig.hello();
    rig.succeed();
    assert!(rig.shard.figures().lag_events > 20, "results pass");
}

#[test]
fn a_slow_journal_with_a_full_record_costs_no_worker_its_lease() {
    let mut rig = rig_with(ShardConfig { record_events_max: 2, ..quiet() });
    rig.hello();
    let id = rig.submitted(StartTime::Now);
    let submits: Vec<Submit> = (0..4).map(|_| rig.submit(StartTime::Now)).collect();
    for (reply, submit) in submits.into_iter().enumerate() {
        rig.tell(reply as u32, vec![Command::Submit(Box::new(submit))]);
    }
    assert!(!rig.shard.has_room(), "heartbeats behind commands would not be taken in");
    rig.ms += 60_000;
    rig.append(Ok(()));
    rig.step();
    rig.run();
    let lost = |rig: &Rig| rig.shard.engine().counts().workers_lost;
    assert_eq!(lost(&rig), 0, "nobody was listened to");
    for _ in 0..14 {
        rig.ms += 1_000;
        rig.step();
        rig.run();
    }
    assert_eq!(lost(&rig), 0);
    assert!(rig.task(id).lease().is_some());
    rig.ms += 1_000;
    rig.step();
    assert_eq!(lost(&rig), 1, "it had a full lease");
}

/// Nothing came while the process was stopped: the turn after it must not judge.
#[test]
fn a_stopped_process_costs_no_worker_its_lease_and_a_heartbeat_needs_no_journal() {
    let mut rig = rig_with(quiet());
    rig.hello();
    rig.submitted(StartTime::Now);
    rig.ms += 60_000;
    rig.step();
    assert_eq!(rig.shard.engine().counts().workers_lost, 0);
    let wake = rig.shard.sleep().expect("somebody is listened to");
    assert!(wake <= Millis::new(15_000 / 8), "{wake:?}");
    // The journal does not answer, and the worker is heard all the same.
    let submit = rig.submit(StartTime::Now);
    rig.tell(1, vec![Command::Submit(Box::new(submit))]);
    let (worker, session) = (WorkerId::from_bits(1), Session::new(rig.shard.epoch().get()));
    for _ in 0..40 {
        rig.ms += 1_000;
        let reading = rig.reading();
        rig.shard.heard(worker, session, reading);
        rig.step();
    }
    rig.append(Ok(()));
    rig.run();
    assert_eq!(rig.shard.engine().counts().workers_lost, 0);
}

#[test]
fn callers_do_not_wait_for_a_disk_that_stays_full() {
    let mut rig = rig_with(quiet());
    let old = rig.submitted(StartTime::Now);
    let submit = rig.submit(StartTime::Now);
    let new = submit.id;
    rig.tell(1, vec![Command::Submit(Box::new(submit))]);
    let offered = rig.appends[0].clone();
    rig.append(Err(AppendError::Full { bytes: 1 }));
    rig.tell(2, vec![Command::Read { id: old }]);
    assert!(matches!(rig.answers[&2][..], [Ok(Answer::Task(Some(_)))]), "what is durable is told at once");
    rig.tell(3, vec![Command::Read { id: new }]);
    assert!(!rig.answers.contains_key(&3), "this one is not");
    rig.ms += 1_000;
    rig.step();
    rig.shard.retry_append();
    rig.collect();
    rig.append(Err(AppendError::Full { bytes: 1 }));
    assert!(
        matches!(rig.answers[&3][..], [Err(Rejection::StoreUnavailable { .. })]),
        "nothing is recorded of it"
    );
    assert!(!rig.answers.contains_key(&1));
    rig.shard.retry_append();
    rig.collect();
    assert_eq!(rig.appends, [offered], "byte for byte");
    rig.append(Ok(()));
    assert!(!rig.answers.contains_key(&1), "its caller was told long ago that the outcome is unknown");
    assert!(rig.in_memory(new), "it was recorded all the same");
}
