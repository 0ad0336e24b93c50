//! Permits of named and keyed limits: never more than the maximum, none held while waiting, the next one at once.

use super::*;
use crate::dispatch::WaitReason;
use crate::dispatch::forget::IDLE_MAX;

#[test]
fn one_at_a_time_for_each_key() {
    let mut world = World::with(&[offer(100)]);
    for task in 0..4 {
        world.queue(task, &kind().permit("customer", "a", Some(1)));
        world.queue(10 + task, &kind().permit("customer", "b", Some(1)));
    }
    assert_eq!(world.tasks(), [0, 10]);
    world.release(10);
    assert_eq!(world.tasks(), [11], "the next of the same key, and no other");
    world.release(0);
    assert_eq!(world.tasks(), [1]);
}

#[test]
fn a_limit_is_shared_by_kinds_and_not_by_tenants() {
    let mut world = World::with(&[offer(100)]);
    let db = |max| kind().permit("db", "", max);
    world.queue(0, &db(Some(2)));
    world.queue(1, &db(Some(2)).band(Band::P0).cpu(5));
    world.queue(2, &db(Some(2)).level(7));
    world.queue(3, &db(Some(2)).tenant("other"));
    world.queue(4, &db(Some(3)));
    assert_eq!(world.tasks(), [1, 2, 3, 4], "the third permit is only there for who may be one of three");
    world.release(4);
    assert_eq!(world.tasks(), [], "two still hold one");
    world.release(1);
    assert_eq!(world.tasks(), [0]);
}

#[test]
fn seats_are_taken_with_the_worker_or_not_at_all() {
    let mut world = World::with(&[offer_cpu(10)]);
    let seated = |key: &str| kind().permit("db", "", Some(1)).permit("customer", key, Some(1));
    world.queue(0, &seated("a").cpu(11));
    world.queue(1, &seated("b").cpu(5));
    world.queue(2, &kind().permit("customer", "b", Some(1)).cpu(5));
    assert_eq!(world.tasks(), [1], "the one that fits nowhere holds no permit");
    world.release(1);
    assert_eq!(world.tasks(), [2]);
    world.join(1, &offer_cpu(20));
    assert_eq!(world.tasks(), [0]);
}

#[test]
fn who_goes_away_passes_the_seat_on() {
    let mut world = World::with(&[offer(1)]);
    let db = |level| kind().permit("db", "", Some(1)).level(level);
    world.queue(0, &db(9));
    world.queue(1, &db(5));
    world.queue(2, &db(3));
    world.queue(3, &kind().band(Band::P0));
    assert_eq!(world.tasks(), [3]);
    world.release(3);
    assert_eq!(world.tasks(), [0]);
    world.release(0);
    world.0.remove(TaskIndex(1));
    assert_eq!(world.tasks(), [2]);
}

#[test]
fn what_already_runs_counts() {
    let mut world = World::with(&[offer(10)]);
    world.hold(7, 0, &kind().permit("db", "", None));
    world.queue(0, &kind().permit("db", "", None));
    assert_eq!(world.tasks(), [], "one, unless something says otherwise");
    let Some(WaitReason::Limit { held, max, holders, .. }) = world.0.why(TaskIndex(0)) else { panic!() };
    assert_eq!((held, max, holders), (1, 1, vec![TaskIndex(7)]));
    world.0.set_limit(&name("db"), Some(2));
    assert_eq!(world.tasks(), [0]);
}

#[test]
fn keys_come_and_go() {
    let mut world = World::with(&[offer(10)]);
    for round in 0..3 * IDLE_MAX {
        world.queue(0, &kind().permit("customer", &format!("k{round}"), Some(1)));
        assert_eq!(world.tasks(), [0]);
        world.release(0);
    }
    assert!(world.0.limits.len() <= IDLE_MAX, "{}", world.0.limits.len());
}

#[test]
fn the_use_of_a_limit_counts_holders_and_who_waits() {
    let mut world = World::with(&[offer(100)]);
    world.0.set_limit(&name("idle"), Some(7));
    for task in 0..5 {
        world.queue(task, &kind().permit("warehouse", "", Some(2)));
    }
    for task in 10..13 {
        world.queue(task, &kind().permit("customer", "a", Some(1)));
    }
    world.queue(20, &kind().permit("customer", "b", Some(1)));
    assert_eq!(world.tasks(), [0, 1, 10, 20]);
    let row = |usage: &crate::dispatch::LimitLoad| {
        (usage.limit.to_string(), usage.keys, usage.full, usage.held, usage.queued, usage.configured)
    };
    let uses = world.0.limit_loads();
    let rows: Vec<_> = uses.limits.iter().map(row).collect();
    let wanted = [
        ("idle".to_owned(), 0, 0, 0, 0, Some(7)),
        ("customer".to_owned(), 2, 2, 2, 2, None),
        ("warehouse".to_owned(), 1, 1, 2, 3, None),
    ];
    assert_eq!(rows, wanted);
    assert_eq!(uses.limits[2].holders, [TaskIndex(0), TaskIndex(1)]);
    let keys: Vec<_> =
        uses.limits[1].busiest.iter().map(|key| (key.key.as_str(), key.queued, key.max)).collect();
    assert_eq!(keys, [("a", 2, 1), ("b", 0, 1)], "the busiest first");
    assert!(!uses.more);
    world.release(0);
    assert_eq!(world.tasks(), [2]);
    world.0.remove(TaskIndex(3));
    let after = world.0.limit_loads();
    assert_eq!((after.limits[2].held, after.limits[2].queued), (2, 1), "one began and one was cancelled");
}

#[test]
fn only_the_busiest_keys_of_a_limit_are_named() {
    let mut world = World::with(&[offer(100)]);
    for key in 0..20_u32 {
        for task in 0..=key {
            world.queue(100 * key + task, &kind().permit("customer", &format!("k{key:02}"), Some(1)));
        }
    }
    let uses = world.0.limit_loads();
    let usage = &uses.limits[0];
    assert_eq!((usage.keys, usage.queued, usage.busiest.len()), (20, 210, crate::dispatch::KEYS_MAX));
    assert_eq!((usage.busiest[0].key.as_str(), usage.busiest[0].queued), ("k19", 20));
}
