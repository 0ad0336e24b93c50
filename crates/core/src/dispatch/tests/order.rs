//! Who goes first: bands, turns of tenants, levels, age.

use super::*;
use crate::values::Chance;

/// Queues tasks 0, 1, … of these kinds and checks the order in which one slot takes them.
#[track_caller]
fn check(what: &str, kinds: &[Kind], order: &[u32]) {
    let mut world = World::with(&[offer(100)]);
    for (task, kind) in (0..).zip(kinds) {
        world.queue(task, kind);
    }
    assert_eq!(world.tasks(), order, "{what}");
}

#[test]
fn bands_then_levels_then_age() {
    use Band::{P0, P1, P2};
    let of = |band, level| kind().band(band).level(level);
    check("age", &[kind(), kind(), kind()], &[0, 1, 2]);
    check("bands are strict", &[of(P2, 10), of(P1, 0), of(P0, 0), of(P1, 10)], &[2, 3, 1, 0]);
    check("levels", &[of(P1, 0), of(P1, 10), of(P1, 5), of(P1, 10)], &[1, 3, 2, 0]);
    let mixed = [kind().cpu(1), kind().cpu(2), kind().cpu(1), kind(), kind().cpu(2)];
    check("age over requirement classes", &mixed, &[0, 1, 2, 3, 4]);
    check("bands over tenants", &[kind().tenant("a").band(P1), kind().tenant("b").band(P0)], &[1, 0]);
}

#[test]
fn removal_from_head_middle_and_tail() {
    for (removed, order) in [(0, [1, 2, 3]), (1, [0, 2, 3]), (3, [0, 1, 2])] {
        let mut world = World::with(&[offer(100)]);
        (0..4).for_each(|task| world.queue(task, &kind()));
        assert!(world.0.remove(TaskIndex(removed)));
        assert!(!world.0.remove(TaskIndex(removed)), "it is gone");
        assert!(!world.0.is_queued(TaskIndex(removed)));
        assert_eq!(world.0.queued_total(), 3);
        assert_eq!(world.tasks(), order);
        assert_eq!(world.0.queued_in_pool(&name("p")), 0);
    }
}

#[test]
fn the_age_of_a_class_follows_its_head() {
    let mut world = World::with(&[offer(100)]);
    world.queue(0, &kind().cpu(1));
    world.queue(1, &kind().cpu(2));
    world.queue(2, &kind().cpu(1));
    world.0.remove(TaskIndex(0));
    assert_eq!(world.tasks(), [1, 2]);
}

#[test]
fn enqueued_again_it_goes_to_the_end() {
    let mut world = World::with(&[offer(100)]);
    (0..3).for_each(|task| world.queue(task, &kind()));
    world.queue(0, &kind());
    assert_eq!(world.0.queued_total(), 3);
    assert_eq!(world.tasks(), [1, 2, 0]);
    world.queue(1, &kind());
    assert_eq!(world.0.depths()[0].running, 2, "an attempt that is queued again was given up");
}

fn backlog(world: &mut World, first: u32, tasks: u32, kind: &Kind) {
    (first..first + tasks).for_each(|task| world.queue(task, kind));
}

fn count_below(tasks: &[u32], bound: u32) -> usize {
    tasks.iter().filter(|task| **task < bound).count()
}

#[test]
fn turns_follow_weights() {
    for (weight, first_400) in [(1, 200), (3, 300), (7, 350)] {
        let mut world = World::with(&[offer(10_000)]);
        world.tenant("heavy", weight, u32::MAX);
        backlog(&mut world, 0, 1000, &kind().tenant("heavy"));
        backlog(&mut world, 1000, 1000, &kind().tenant("light"));
        let got = count_below(&world.tasks()[..400], 1000);
        assert!(got.abs_diff(first_400) <= 1, "weight {weight}: {got} of 400");
    }
}

#[test]
fn an_idle_tenant_saves_up_no_turns() {
    let mut world = World::with(&[offer(10_000)]);
    world.queue(5000, &kind().tenant("idle"));
    backlog(&mut world, 0, 1000, &kind().tenant("busy"));
    for _ in 0..500 {
        world.place();
    }
    backlog(&mut world, 6000, 1000, &kind().tenant("idle"));
    let next: Vec<u32> = (0..100).map(|_| world.place().unwrap().0).collect();
    assert!(count_below(&next, 1000).abs_diff(50) <= 1, "{next:?}");
}

#[test]
fn an_idle_tenant_joins_behind_those_whose_turn_it_is() {
    let mut world = World::with(&[offer(100)]);
    let tenants = ["a", "b", "c"].map(|tenant| kind().tenant(tenant));
    (0..3).for_each(|tenant| world.queue(tenant, &tenants[tenant as usize]));
    assert_eq!(world.tasks(), [0, 1, 2]);
    (10..20).for_each(|task| world.queue(task, &tenants[0]));
    (20..30).for_each(|task| world.queue(task, &tenants[1]));
    for task in [10, 20, 11, 21, 12] {
        assert_eq!(world.place().unwrap().0, task);
    }
    world.queue(30, &tenants[2]);
    assert_eq!(world.tasks()[..3], [22, 30, 13]);
}

#[test]
fn a_tenant_blocked_for_long_saves_up_no_turns() {
    let mut world = World::with(&[offer(10_000)]);
    world.tenant("blocked", 1, 0);
    backlog(&mut world, 5000, 1000, &kind().tenant("blocked"));
    backlog(&mut world, 0, 1000, &kind().tenant("busy"));
    for _ in 0..500 {
        assert!(world.place().unwrap().0 < 1000);
    }
    world.tenant("blocked", 1, u32::MAX);
    let next: Vec<u32> = (0..100).map(|_| world.place().unwrap().0).collect();
    assert!(count_below(&next, 1000).abs_diff(50) <= 1, "{next:?}");
}

#[test]
fn turns_are_fair_while_workers_are_full() {
    // One slot at a time becomes free, and every tenant waits for cpu: the parked order must keep the turns.
    let mut world = World::with(&[offer_cpu(1000)]);
    world.tenant("b", 3, u32::MAX);
    for task in 0..400 {
        world.queue(task, &kind().tenant("a").cpu(1000));
        world.queue(1000 + task, &kind().tenant("b").cpu(1000));
    }
    let mut got = Vec::new();
    for _ in 0..400 {
        let (task, _) = world.place().unwrap();
        assert_eq!(world.place(), None);
        got.push(task);
        world.release(task);
    }
    assert!(count_below(&got, 1000).abs_diff(100) <= 1);
}

#[test]
fn a_woken_class_keeps_its_level() {
    let mut world = World::with(&[offer_cpu(1000)]);
    world.hold(9, 0, &kind().cpu(1000));
    world.queue(0, &kind().cpu(600).level(1));
    world.queue(1, &kind().cpu(500).level(9));
    assert_eq!(world.tasks(), []);
    world.release(9);
    assert_eq!(world.tasks(), [1], "both woke, the higher level goes first and fills the worker");
}

#[test]
fn what_cannot_run_holds_up_nothing() {
    let gpu = kind().level(10).needs(resources([0, 0, 0, 1]));
    let mut world = World::with(&[offer(100)]);
    world.queue(0, &gpu);
    world.queue(1, &kind());
    world.queue(2, &kind().tenant("other"));
    world.queue(3, &gpu.clone().band(Band::P0));
    world.queue(4, &kind().level(10));
    let mut placed = world.tasks();
    placed.sort_unstable();
    assert_eq!(placed, [1, 2, 4]);
    let mut with_gpu = offer(1);
    with_gpu.capacity.gpus = 1;
    world.join(1, &with_gpu);
    assert_eq!(world.place_all(), [(3, 1)], "the urgent one first, then the worker is full");
    world.release(3);
    assert_eq!(world.place_all(), [(0, 1)]);
}

#[test]
fn the_same_calls_give_the_same_placements() {
    let run = || {
        let mut world = World::with(&(0..300).map(|cpu| offer_cpu(4000 + cpu % 7)).collect::<Vec<_>>());
        let mut chance = Chance::new(3);
        for task in 0..500 {
            let band = Band::ALL[chance.below(3) as usize];
            world.queue(task, &kind().band(band).cpu(chance.below(1000)));
        }
        world.place_all()
    };
    assert_eq!(run(), run());
}
