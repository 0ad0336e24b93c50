//! Limits of pools and tenants: never exceeded, and those who wait for them are woken.

use super::*;

#[test]
fn a_pool_limit_holds_and_wakes() {
    let mut world = World::with(&[offer(100)]);
    world.pool_limit("p", 2);
    (0..4).for_each(|task| world.queue(task, &kind()));
    assert_eq!(world.tasks(), [0, 1]);
    world.release(0);
    assert_eq!(world.tasks(), [2]);
    world.pool_limit("p", 3);
    assert_eq!(world.tasks(), [3]);
    world.pool_limit("p", 1);
    world.queue(5, &kind());
    world.release(1);
    world.release(2);
    assert_eq!(world.tasks(), [], "a lowered limit waits until enough have ended");
    world.release(3);
    assert_eq!(world.tasks(), [5]);
}

#[test]
fn a_tenant_limit_holds_over_pools_and_wakes() {
    let other = WorkerOffer { pool: name("q"), ..offer(100) };
    let mut world = World::with(&[offer(100), other]);
    world.tenant("t", 1, 2);
    for task in 0..3 {
        world.queue(task, &kind());
        world.queue(10 + task, &kind().pool("q"));
        world.queue(20 + task, &kind().tenant("free"));
    }
    let placed = world.tasks();
    let limited: Vec<_> = placed.iter().copied().filter(|task| *task < 20).collect();
    assert_eq!(placed.len(), 5);
    assert_eq!(limited, [0, 10], "pools take turns");
    world.release(0);
    assert_eq!(world.place_all().len(), 1);
    world.tenant("t", 1, 4);
    assert_eq!(world.place_all().len(), 2);
    world.tenant("t", 1, u32::MAX);
    assert_eq!(world.place_all().len(), 1);
    assert_eq!(world.0.queued_total(), 0);
}

#[test]
fn a_tenant_with_a_limit_of_one_serves_its_pools_in_turn() {
    let other = WorkerOffer { pool: name("q"), ..offer(100) };
    let mut world = World::with(&[offer(100), other]);
    world.tenant("t", 1, 1);
    for task in 0..3 {
        world.queue(task, &kind());
        world.queue(10 + task, &kind().pool("q"));
    }
    let mut order = Vec::new();
    while let [task] = world.tasks()[..] {
        order.push(task);
        world.release(task);
    }
    assert_eq!(order, [0, 10, 1, 11, 2, 12]);
}

#[test]
fn held_attempts_count_for_limits() {
    let mut world = World::with(&[offer(100)]);
    world.tenant("t", 1, 1);
    world.pool_limit("p", 2);
    world.hold(0, 0, &kind());
    world.hold(1, 0, &kind());
    world.queue(2, &kind());
    world.release(0);
    assert_eq!(world.tasks(), [], "the tenant still runs one");
    world.release(1);
    assert_eq!(world.tasks(), [2]);
}

#[test]
fn removed_while_waiting_for_a_limit() {
    let mut world = World::with(&[offer(100)]);
    world.tenant("t", 1, 1);
    (0..3).for_each(|task| world.queue(task, &kind()));
    assert_eq!(world.tasks(), [0]);
    world.0.remove(TaskIndex(1));
    world.0.remove(TaskIndex(2));
    world.release(0);
    assert_eq!(world.tasks(), []);
    world.queue(3, &kind());
    assert_eq!(world.tasks(), [3]);
}

#[test]
fn depths_count_by_pool_band_and_tenant() {
    let mut world = World::with(&[offer(1)]);
    world.queue(0, &kind().tenant("b"));
    world.queue(1, &kind().tenant("b").band(Band::P2));
    world.queue(2, &kind().tenant("a").pool("o"));
    world.place_all();
    let depths: Vec<_> = world
        .0
        .depths()
        .into_iter()
        .map(|d| (d.pool.to_string(), d.band, d.tenant.to_string(), d.queued, d.running))
        .collect();
    let row = |pool: &str, band, tenant: &str, queued, running| {
        (pool.to_owned(), band, tenant.to_owned(), queued, running)
    };
    let expected =
        [row("o", Band::P1, "a", 1, 0), row("p", Band::P1, "b", 0, 1), row("p", Band::P2, "b", 1, 0)];
    assert_eq!(depths, expected);
    assert_eq!(world.0.queued_in_pool(&name("o")), 1);
    assert_eq!(world.0.pool_limit(&name("o")).queued_max, u64::MAX);
}

#[test]
fn backfills_have_a_share_of_the_pool_and_come_last() {
    let mut world = World::with(&[offer(40)]);
    (0..10).for_each(|task| world.queue(task, &kind().band(Band::Backfill)));
    assert_eq!(world.tasks(), [0, 1], "5 per cent of 40");
    let why = world.0.why(TaskIndex(2)).expect("it waits");
    assert_eq!(why.to_string(), "backfills run 2 of at most 2 tasks in pool `p`");
    world.queue(20, &kind().band(Band::P2));
    world.release(0);
    assert_eq!(world.tasks(), [20, 2]);
    world.0.set_backfill_share(10);
    assert_eq!(world.tasks(), [3, 4]);
    let mut small = World::with(&[offer(1)]);
    (0..2).for_each(|task| small.queue(task, &kind().band(Band::Backfill)));
    assert_eq!(small.tasks(), [0], "one at least");
}
