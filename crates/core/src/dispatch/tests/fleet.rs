//! Workers that come, go, stop accepting, or hold more than they have.

use super::*;

#[test]
fn a_cordoned_worker_gets_nothing_new() {
    let mut world = World::with(&[offer(2)]);
    world.queue(0, &kind());
    assert_eq!(world.place_all(), [(0, 0)]);
    world.0.set_accepting(WorkerIndex(0), false);
    world.queue(1, &kind());
    world.release(0);
    assert_eq!(world.tasks(), []);
    world.join(0, &offer(2));
    assert_eq!(world.tasks(), [], "a new hello does not lift the cordon");
    world.0.set_accepting(WorkerIndex(0), true);
    assert_eq!(world.place_all(), [(1, 0)]);
}

#[test]
fn rejoining_keeps_held_room() {
    let mut world = World::with(&[offer_cpu(4000)]);
    (0..5).for_each(|task| world.queue(task, &kind().cpu(1000)));
    assert_eq!(world.place_all().len(), 4);
    world.join(0, &offer_cpu(3000));
    world.release(0);
    assert_eq!(world.tasks(), [], "three are held, there is room for three");
    world.release(1);
    assert_eq!(world.tasks(), [4]);
    world.queue(6, &kind().cpu(1000));
    world.join(0, &offer_cpu(5000));
    assert_eq!(world.tasks(), [6]);
}

#[test]
fn rejoining_with_other_labels_or_in_another_pool() {
    let mut world = World::with(&[WorkerOffer { labels: pairs(&[("os", "mac")]), ..offer(9) }]);
    world.queue(0, &kind().where_(&[is("os", "linux")]));
    world.queue(1, &kind().where_(&[is("os", "mac")]));
    world.queue(2, &kind().pool("q"));
    assert_eq!(world.tasks(), [1]);
    world.join(0, &WorkerOffer { labels: pairs(&[("os", "linux")]), ..offer(9) });
    world.queue(3, &kind().where_(&[is("os", "mac")]));
    assert_eq!(world.tasks(), [0]);
    world.join(0, &WorkerOffer { pool: name("q"), ..offer(3) });
    world.queue(4, &kind().pool("q"));
    assert_eq!(world.tasks(), [2], "two attempts of the old pool still hold their slots");
    world.release(1);
    assert_eq!(world.tasks(), [4]);
}

#[test]
fn a_worker_that_left_gives_its_room_back_to_nobody() {
    let mut world = World::with(&[offer(1)]);
    world.tenant("t", 1, 1);
    world.queue(0, &kind());
    assert_eq!(world.tasks(), [0]);
    world.0.worker_left(WorkerIndex(0));
    world.join(0, &offer(1));
    world.queue(1, &kind());
    assert_eq!(world.tasks(), [], "the attempt counts for its tenant until it is released");
    world.queue(2, &kind().tenant("other"));
    assert_eq!(world.place_all(), [(2, 0)], "the successor in the slot is empty");
    world.release(0);
    assert_eq!(world.tasks(), [], "and does not get room from its predecessor");
    world.release(2);
    assert_eq!(world.place_all(), [(1, 0)]);
}

#[test]
fn a_returning_worker_claims_its_attempts() {
    let mut world = World::with(&[offer(2)]);
    world.queue(0, &kind());
    world.place_all();
    world.0.worker_left(WorkerIndex(0));
    world.join(5, &offer(1));
    world.hold(0, 5, &kind());
    world.queue(1, &kind());
    assert_eq!(world.tasks(), []);
    assert_eq!(world.0.depths()[0].running, 1, "held once, not twice");
    world.release(0);
    assert_eq!(world.place_all(), [(1, 5)]);
}

#[test]
fn holding_overdraws_and_blocks_until_there_is_room() {
    let mut world = World::with(&[offer_cpu(1000)]);
    (0..3).for_each(|task| world.hold(task, 0, &kind().cpu(500)));
    world.queue(9, &kind());
    for task in 0..3 {
        let blocked = task == 0;
        assert_eq!(world.tasks().is_empty(), blocked || task == 2, "before the release of {task}");
        world.release(task);
    }
    let mut slots = World::with(&[offer(1)]);
    slots.hold(0, 0, &kind());
    slots.hold(1, 0, &kind());
    slots.queue(2, &kind());
    slots.release(0);
    assert_eq!(slots.tasks(), []);
    slots.release(1);
    assert_eq!(slots.tasks(), [2]);
}

#[test]
fn attempts_may_be_held_before_the_hello() {
    let mut world = World::empty();
    let licence = kind().needs(Resources::default().with_custom([(name("licence"), 2)]));
    world.hold(0, 3, &licence);
    world.queue(1, &licence);
    let capacity = Resources::default().with_custom([(name("licence"), 3)]);
    world.join(3, &WorkerOffer { capacity, ..offer(5) });
    assert_eq!(world.tasks(), []);
    world.release(0);
    assert_eq!(world.place_all(), [(1, 3)]);
}

#[test]
fn an_unknown_task_or_worker_is_no_error() {
    let mut world = World::empty();
    world.release(7);
    assert!(!world.0.remove(TaskIndex(7)));
    world.0.worker_left(WorkerIndex(9));
    world.0.set_accepting(WorkerIndex(2), true);
    assert_eq!(world.tasks(), []);
}
