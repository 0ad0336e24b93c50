//! Rows that cannot be read.

use super::*;
use mainspring_core::engine::QuarantineCommand;
use mainspring_core::task::Status;

const DAY: StartTime = StartTime::After(Millis::from_secs(86_400));

fn at_once() -> ShardConfig {
    ShardConfig { cut_every: Millis::ZERO, ..ShardConfig::default() }
}

fn listed(rig: &mut Rig) -> Vec<String> {
    match rig.call(Command::Quarantine(QuarantineCommand::List)) {
        Ok(Answer::Quarantine(rows)) => rows.into_iter().map(|found| found.row.to_string()).collect(),
        other => panic!("{other:?}"),
    }
}

fn release(rig: &mut Rig, id: TaskId) -> Result<Answer, Rejection> {
    let row = Name::new(&id.to_string()).expect("an id");
    rig.call(Command::Quarantine(QuarantineCommand::Release { row }))
}

fn damaged(rig: &mut Rig, id: TaskId) -> bool {
    matches!(rig.call(Command::Read { id }), Err(Rejection::RowDamaged { row }) if *row == *id.to_string())
}

#[test]
fn a_damaged_row_is_named_and_the_rest_goes_on() {
    let mut rig = rig_with(at_once());
    let (bad, good) = (rig.submitted(DAY), rig.submitted(DAY));
    assert!(!rig.in_memory(bad));
    let whole = rig.disk.live[&bad].clone();
    rig.disk.live.get_mut(&bad).expect("a row").bytes.truncate(3);
    assert!(damaged(&mut rig, bad) && rig.stopped.is_none());
    assert_eq!(rig.task(good).status(), Status::Pending);
    assert_eq!(listed(&mut rig), [bad.to_string()]);
    // As long as it is damaged it cannot be released.
    assert!(matches!(release(&mut rig, bad), Err(Rejection::RowDamaged { .. })));
    assert_eq!(listed(&mut rig).len(), 1);
    rig.disk.live.insert(bad, whole);
    assert_eq!(release(&mut rig, bad), Ok(Answer::Done));
    assert!(listed(&mut rig).is_empty() && rig.in_memory(bad));
    assert!(matches!(release(&mut rig, bad), Err(Rejection::RowNotQuarantined { .. })));
    assert_eq!(rig.task(bad).status(), Status::Pending);
}

#[test]
fn a_damaged_row_that_falls_due_does_not_keep_others_from_starting() {
    let mut rig = rig_with(at_once());
    let (bad, good) = (rig.submitted(DAY), rig.submitted(DAY));
    let whole = rig.disk.live[&bad].clone();
    rig.disk.live.get_mut(&bad).expect("a row").bytes.truncate(3);
    rig.ms += 86_400_000;
    rig.run();
    assert_eq!((rig.task(good).status(), rig.stopped.is_none()), (Status::Queued, true));
    assert_eq!(listed(&mut rig), [bad.to_string()]);
    // A restart finds it damaged again, and starts.
    let mut rig = rig.crash_and_open(2);
    assert_eq!(listed(&mut rig), [bad.to_string()]);
    rig.disk.live.insert(bad, whole);
    release(&mut rig, bad).expect("it was repaired");
    rig.run();
    assert_eq!(rig.task(bad).status(), Status::Queued, "it is due");
}

#[test]
fn a_damaged_row_of_an_ended_task_is_listed_too() {
    let mut rig = rig_with(at_once());
    rig.hello();
    let id = rig.submitted(StartTime::Now);
    rig.succeed();
    rig.run();
    rig.disk.history.get_mut(&id).expect("a row").bytes.truncate(3);
    assert!(damaged(&mut rig, id));
    assert_eq!(listed(&mut rig), [id.to_string()]);
}
