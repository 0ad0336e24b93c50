use super::*;
use mainspring_core::operation::{Bulk, BulkVerb, Selection};
use mainspring_core::values::{Actor, EntityKind, Name, OperationId, WorkerId};
use mainspring_core::worker::Availability;
use mainspring_core::worker::decide::SetCordon;
use mainspring_store::OpenError;

fn cut_always() -> ShardConfig {
    ShardConfig { cut_every: Millis::ZERO, ..ShardConfig::default() }
}

fn cordon(worker: u128, to: Availability) -> Command {
    let by = Actor { actor: Name::fixed("anna"), reason: Name::fixed("disk") };
    Command::Cordon(Box::new(SetCordon { worker: WorkerId::from_bits(worker), to, by }))
}

fn availability(rig: &Rig, worker: u128) -> Availability {
    rig.shard.engine().state().cordons().availability(WorkerId::from_bits(worker))
}

#[test]
fn an_entity_is_there_again_with_and_without_a_cut() {
    for config in [quiet(), cut_always()] {
        let mut rig = rig_with(config);
        for (worker, to) in
            [(1, Availability::Cordoned), (2, Availability::Draining), (3, Availability::Cordoned)]
        {
            assert_eq!(rig.call(cordon(worker, to)), Ok(Answer::Cordon));
        }
        assert_eq!(rig.call(cordon(3, Availability::Open)), Ok(Answer::Cordon));
        let rig = rig.crash_and_open(2);
        let found = [1, 2, 3, 4].map(|worker| availability(&rig, worker));
        let expected =
            [Availability::Cordoned, Availability::Draining, Availability::Open, Availability::Open];
        assert_eq!(found, expected);
    }
}

#[test]
fn an_ended_entity_leaves_memory_and_keeps_its_row() {
    let mut rig = rig_with(cut_always());
    rig.call(cordon(1, Availability::Cordoned)).expect("room");
    rig.call(cordon(1, Availability::Open)).expect("never refused");
    rig.run();
    assert!(rig.shard.engine().state().cordons().is_empty(), "behind the barrier");
    let row = rig.disk.entities.get(&(EntityKind::Cordon, 1)).expect("its row");
    assert!(row.ended.is_some());
    let mut rig = rig.crash_and_open(2);
    assert!(rig.shard.engine().state().cordons().is_empty(), "what has ended is not loaded");
    rig.call(cordon(1, Availability::Draining)).expect("room");
    rig.run();
    assert!(rig.disk.entities[&(EntityKind::Cordon, 1)].ended.is_none(), "the same row lives again");
    assert_eq!(availability(&rig.crash_and_open(3), 1), Availability::Draining);
}

#[test]
fn a_row_that_was_lost_or_swapped_is_noticed() {
    let refusal = |damage: &dyn Fn(&mut Disk)| -> OpenError {
        let mut rig = rig_with(cut_always());
        for worker in [1, 2] {
            rig.call(cordon(worker, Availability::Cordoned)).expect("room");
        }
        rig.run();
        let (reading, mut disk) = (rig.reading(), rig.disk);
        damage(&mut disk);
        Shard::<u32>::recover(quiet(), Epoch::new(2), &mut disk, reading).err().expect("refused")
    };
    let lost = refusal(&|disk| drop(disk.entities.remove(&(EntityKind::Cordon, 2)))).to_string();
    assert!(lost.contains("has 1 rows of kind `cordon`") && lost.contains("the last cut wrote 2"), "{lost}");
    let swapped = refusal(&|disk| {
        let bytes = disk.entities[&(EntityKind::Cordon, 1)].bytes.clone();
        disk.entities.get_mut(&(EntityKind::Cordon, 2)).expect("a row").bytes = bytes;
    });
    assert!(swapped.to_string().contains("another id"), "{swapped}");
}

#[test]
fn an_operation_is_there_again_and_its_number_is_not_given_away_twice() {
    for config in [quiet(), cut_always()] {
        let mut rig = rig_with(config);
        let cancel = || {
            let (verb, of) =
                (BulkVerb::CancelTasks { stop_running: false }, Selection::Tasks(Box::default()));
            let (over, total, words) = (None, None, "".into());
            Command::Bulk(Box::new(Bulk { verb, of, before: Wall::ZERO, over, total, words }))
        };
        assert_eq!(rig.call(cancel()), Ok(Answer::Operation(OperationId::new(1))));
        let before = rig.shard.engine().state().operations().unfinished();
        let mut rig = rig.crash_and_open(2);
        assert_eq!(rig.shard.engine().state().operations().unfinished(), before);
        assert_eq!(rig.call(cancel()), Ok(Answer::Operation(OperationId::new(2))));
    }
}
