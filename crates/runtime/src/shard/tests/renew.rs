//! The next epoch of the same owner.

use super::*;
use mainspring_core::task::Status;

fn few_grants() -> ShardConfig {
    ShardConfig { grants_max: 3, cut_every: Millis::ZERO, ..ShardConfig::default() }
}

#[test]
fn a_new_epoch_is_taken_before_fences_run_out() {
    let mut rig = rig_with(few_grants());
    rig.hello();
    let mut fences = Vec::new();
    for _ in 0..10 {
        let id = rig.submitted(StartTime::Now);
        fences.push(rig.starts.last().expect("it was started").fence);
        rig.succeed();
        assert_eq!(rig.task(id).status(), Status::Succeeded);
    }
    assert!(fences.is_sorted(), "{fences:?}");
    assert!(fences.iter().all(|fence| fence.counter() <= 3), "{fences:?}");
    let epochs: std::collections::BTreeSet<_> = fences.iter().map(|fence| fence.epoch()).collect();
    assert_eq!(epochs.len(), 4, "{fences:?}");
    assert_eq!(rig.shard.epoch(), Epoch::new(4));
    // Records carry the epoch in which they were made, and a crash changes nothing about it.
    assert!(rig.disk.records.is_sorted_by_key(|record| record.epoch));
    let rig = rig.crash_and_open(5);
    assert_eq!(rig.shard.engine().state().epoch, Epoch::new(5));
}

#[test]
fn what_runs_goes_on_and_its_report_counts() {
    let mut rig = rig_with(few_grants());
    rig.hello();
    let ids: Vec<_> = (0..3).map(|_| rig.submitted(StartTime::Now)).collect();
    rig.run();
    assert_eq!(rig.shard.epoch(), Epoch::new(2));
    for _ in &ids {
        rig.succeed();
    }
    for id in ids {
        assert_eq!(rig.task(id).status(), Status::Succeeded);
    }
}

#[test]
fn an_owner_that_was_replaced_stops() {
    let mut rig = rig_with(ShardConfig { grants_max: 1, ..quiet() });
    rig.hello();
    let submit = rig.submit(StartTime::Now);
    rig.tell(1, vec![Command::Submit(Box::new(submit))]);
    rig.append(Ok(()));
    rig.step();
    assert_eq!((rig.renewals, rig.shard.has_room()), (1, false));
    let newest = Epoch::new(7);
    rig.shard.renewed(Err(AppendError::Refused { ours: Epoch::new(1), newest }));
    rig.collect();
    assert_eq!(rig.stopped, Some(StopCause::NotOwner { newest }));
}
