use super::*;
use mainspring_core::task::Status;

#[test]
fn the_first_record_names_the_new_epoch_and_comes_before_any_answer() {
    let mut rig = Rig::open(Disk::default(), quiet(), 1, START);
    assert_eq!((rig.appends.len(), rig.appends[0].seq), (1, Seq::new(1)));
    let submit = rig.submit(StartTime::Now);
    rig.tell(1, vec![Command::Submit(Box::new(submit))]);
    assert!(rig.answers.is_empty() && rig.appends.len() == 1);
}

#[test]
fn what_was_durable_is_there_again_with_and_without_a_cut() {
    for config in [quiet(), ShardConfig { cut_every: Millis::ZERO, ..ShardConfig::default() }] {
        let mut rig = rig_with(config);
        rig.hello();
        let done = rig.submitted(StartTime::Now);
        rig.succeed();
        let running = rig.submitted(StartTime::Now);
        let soon = rig.submitted(StartTime::After(Millis::from_secs(60)));
        let far = rig.submitted(StartTime::After(Millis::from_secs(86_400)));
        let mut rig = rig.crash_and_open(2);
        let expected = [
            (done, Status::Succeeded),
            (running, Status::Running),
            (soon, Status::Pending),
            (far, Status::Pending),
        ];
        for (id, status) in expected {
            assert_eq!(rig.task(id).status(), status);
        }
        rig.hello();
        for _ in 0..60 {
            rig.ms += 1_000;
            rig.run();
        }
        assert_eq!(rig.task(soon).status(), Status::Queued, "its worker said nothing for a minute");
    }
}

#[test]
fn what_was_not_durable_is_gone_and_was_never_acknowledged() {
    let mut rig = rig_with(quiet());
    let submit = rig.submit(StartTime::Now);
    let id = submit.id;
    rig.tell(1, vec![Command::Submit(Box::new(submit))]);
    assert!(rig.answers.is_empty());
    let mut rig = rig.crash_and_open(2);
    assert_eq!(rig.call(Command::Read { id }), Ok(Answer::Task(None)));
}

#[test]
fn a_parked_task_that_the_tail_touches_is_loaded_for_it() {
    let mut rig = rig_with(ShardConfig { cut_every: Millis::ZERO, ..ShardConfig::default() });
    let id = rig.submitted(StartTime::After(Millis::from_secs(86_400)));
    assert!(!rig.in_memory(id));
    // Cancelled after the last cut: durable in the journal, not yet in the tables.
    rig.tell(1, vec![Command::Cancel { id, stop_running: false }]);
    let (_, command, reply) = rig.loads.pop().expect("asks the tables");
    let (found, reading) = (rig.disk.find(id), rig.reading());
    rig.shard.loaded(command, reply, found, reading);
    rig.step();
    rig.append(Ok(()));
    assert!(rig.answers.contains_key(&1));
    let mut rig = rig.crash_and_open(2);
    assert_eq!(rig.task(id).status(), Status::Cancelled);
}

#[test]
fn a_record_that_contradicts_the_tables_is_named() {
    let mut rig = rig_with(quiet());
    let id = rig.submitted(StartTime::Now);
    rig.call(Command::Cancel { id, stop_running: false }).expect("waits");
    let mut disk = rig.disk;
    disk.records.remove(1);
    let reading = Reading::new(Millis::ZERO, Wall::from_millis(START));
    let error = Shard::<u32>::recover(quiet(), Epoch::new(2), &mut disk, reading).err().expect("refuses");
    let text = error.to_string();
    assert!(text.contains("journal record 3") && text.contains(&id.to_string()), "{text}");
}

#[test]
fn fences_grow_over_owners() {
    let mut rig = rig_with(quiet());
    rig.hello();
    rig.submitted(StartTime::Now);
    let first = rig.starts.pop().expect("started").fence;
    let mut rig = rig.crash_and_open(2);
    rig.hello();
    rig.submitted(StartTime::Now);
    assert!(rig.starts.pop().expect("started").fence > first);
}
