//! Every waiting task can say why.

use super::*;
use crate::dispatch::{Unmet, WaitReason};

#[track_caller]
fn check(world: &World, task: u32, reason: &WaitReason, words: &str) {
    let why = world.0.why(TaskIndex(task)).expect("it waits");
    assert_eq!(why, *reason);
    assert_eq!(why.to_string(), words);
    assert!(!why.advice().is_empty());
}

#[test]
fn without_workers() {
    let mut world = World::empty();
    world.queue(0, &kind());
    check(&world, 0, &WaitReason::NoWorkers { pool: name("p") }, "pool `p` has no workers");
    assert_eq!(world.0.why(TaskIndex(1)), None);
}

#[test]
fn what_no_worker_has() {
    let worker = WorkerOffer { labels: pairs(&[("os", "mac")]), ..offer(2) };
    let rows = [
        (kind().where_(&[is("os", "linux"), has("os")]), "label `os=linux`"),
        (kind().where_(&[is_not("os", "mac")]), "a label `os` other than `mac`"),
        (kind().where_(&[has("disk")]).zone("eu"), "label `disk`, zone `eu`"),
        (kind().cpu(64_001), "`cpu_milli` of 64001 (the most is 64000)"),
        (kind().needs(resources([0, 0, 0, 1])), "`gpus` of 1 (the most is 0)"),
        (kind().needs(Resources::default().with_custom([(name("tape"), 2)])), "`tape` of 2 (the most is 0)"),
    ];
    for (kind, words) in rows {
        let mut world = World::with(std::slice::from_ref(&worker));
        world.queue(0, &kind);
        let before = world.0.why(TaskIndex(0)).unwrap().to_string();
        assert_eq!(before, format!("no worker of pool `p` has {words}"));
        assert_eq!(world.place(), None);
        assert_eq!(world.0.why(TaskIndex(0)).unwrap().to_string(), before);
    }
    let mut world = World::with(&[worker, WorkerOffer { labels: pairs(&[("disk", "ssd")]), ..offer(1) }]);
    world.queue(0, &kind().where_(&[has("os"), has("disk")]));
    let reason = WaitReason::NoWorkerMatches { pool: name("p"), unmet: Vec::new() };
    check(&world, 0, &reason, "no worker of pool `p` has all that it needs");
}

#[test]
fn what_no_worker_can_run() {
    let knows = |executors: &[&str]| WorkerOffer {
        executors: executors.iter().map(|e| name(e)).collect(),
        ..offer(2)
    };
    let mut brewing = kind();
    brewing.spec.executor = name("brew");
    let mut world = World::with(&[knows(&["http", "process"])]);
    world.queue(0, &brewing);
    assert_eq!(world.place(), None);
    let unmet = vec![Unmet::Executor(name("brew"))];
    let reason = WaitReason::NoWorkerMatches { pool: name("p"), unmet };
    check(&world, 0, &reason, "no worker of pool `p` can run executor `brew`");
    world.queue(1, &brewing.clone().zone("eu"));
    let why = world.0.why(TaskIndex(1)).expect("it waits");
    assert_eq!(why.to_string(), "no worker of pool `p` has zone `eu`, executor `brew`");
    // A worker that knows it comes.
    world.join(1, &knows(&["brew"]));
    assert_eq!(world.place(), Some((0, 1)), "and only that one gets it");
}

#[test]
fn unmet_is_data() {
    let mut world = World::with(&[offer_cpu(10)]);
    world.queue(0, &kind().cpu(20));
    let unmet = vec![Unmet::Resource { name: name("cpu_milli"), wanted: 20, most: 10 }];
    assert_eq!(world.0.why(TaskIndex(0)), Some(WaitReason::NoWorkerMatches { pool: name("p"), unmet }));
}

#[test]
fn limits_room_and_turns() {
    let mut world = World::with(&[offer(3)]);
    (0..5).for_each(|task| world.queue(task, &kind()));
    check(&world, 0, &WaitReason::AboutToBePlaced, "it is about to be placed");
    check(&world, 2, &WaitReason::Behind { tasks: 2 }, "2 tasks go first");
    world.queue(5, &kind().band(Band::P2));
    world.queue(6, &kind().band(Band::P2).level(6));
    check(&world, 5, &WaitReason::Behind { tasks: 6 }, "6 tasks go first");

    world.place_all();
    let busy = "all matching workers of pool `p` are busy or not accepting work";
    check(&world, 3, &WaitReason::NoRoom { pool: name("p"), ahead: 0 }, busy);
    let third = WaitReason::NoRoom { pool: name("p"), ahead: 1 };
    check(&world, 4, &third, &format!("{busy}, and 1 tasks go first"));

    world.tenant("t", 1, 2);
    let tenant = WaitReason::TenantLimit { tenant: name("t"), running: 3, max: 2 };
    check(&world, 3, &tenant, "tenant `t` runs 3 of at most 2 tasks");
    world.pool_limit("p", 1);
    let pool = WaitReason::PoolLimit { pool: name("p"), running: 3, max: 1 };
    check(&world, 3, &pool, "pool `p` runs 3 of at most 1 tasks");
    assert_eq!(world.0.why(TaskIndex(0)), None, "it runs");
}

#[test]
fn a_long_line_is_estimated() {
    let mut world = World::with(&[offer(1)]);
    (0..10_000).for_each(|task| world.queue(task, &kind()));
    assert_eq!(world.0.why(TaskIndex(9_999)), Some(WaitReason::Behind { tasks: 9_999 }));
    (5_000..9_000).for_each(|task| assert!(world.0.remove(TaskIndex(task))));
    assert_eq!(world.0.why(TaskIndex(9_999)), Some(WaitReason::Behind { tasks: 5_999 }));
}

#[test]
fn no_room_on_a_cordoned_worker() {
    let mut world = World::with(&[offer(1)]);
    world.0.set_accepting(WorkerIndex(0), false);
    world.queue(0, &kind());
    assert_eq!(world.0.why(TaskIndex(0)), Some(WaitReason::NoRoom { pool: name("p"), ahead: 0 }));
}
