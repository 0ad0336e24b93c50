//! Where a task may run, and where it runs best.

use super::*;

/// Whether one task of this kind is placed on one worker with this offer.
#[track_caller]
fn check(what: &str, kind: &Kind, offer: &WorkerOffer, placed: bool) {
    let mut known = World::with(std::slice::from_ref(offer));
    known.queue(0, kind);
    assert_eq!(known.place().is_some(), placed, "{what}, worker first");
    let mut late = World::empty();
    late.queue(0, kind);
    assert_eq!(late.place(), None);
    late.join(0, offer);
    assert_eq!(late.place().is_some(), placed, "{what}, task first");
}

#[test]
fn labels_and_zones() {
    let worker =
        WorkerOffer { labels: pairs(&[("os", "linux"), ("rack", "7")]), zone: name("eu-1"), ..offer(1) };
    let rows: [(&str, &[LabelCondition], bool); 9] = [
        ("no condition", &[], true),
        ("is", &[is("os", "linux")], true),
        ("is another", &[is("os", "mac")], false),
        ("is, without the label", &[is("disk", "ssd")], false),
        ("is not", &[is_not("os", "mac")], true),
        ("is not, but is", &[is_not("os", "linux")], false),
        ("is not, without the label", &[is_not("disk", "ssd")], true),
        ("has", &[has("rack")], true),
        ("one of two fails", &[has("rack"), has("disk")], false),
    ];
    for (what, labels, placed) in rows {
        check(what, &kind().where_(labels), &worker, placed);
    }
    check("zone", &kind().zone("eu-1"), &worker, true);
    check("another zone", &kind().zone("eu-2"), &worker, false);
    check("another pool", &kind().pool("q"), &worker, false);
    check("no slots", &kind(), &offer(0), false);
}

#[test]
fn amounts_must_fit() {
    let gib = 1 << 30;
    let have =
        resources([4000, 8 * gib, 100 * gib, 2]).with_custom([(name("licence"), 3), (name("tape"), 1)]);
    let worker = WorkerOffer { capacity: have.clone(), ..offer(4) };
    let none = Resources::default;
    let rows = [
        ("all of it", have.clone(), true),
        ("cpu", resources([4001, 0, 0, 0]), false),
        ("memory", resources([0, 8 * gib + 1, 0, 0]), false),
        ("disk", resources([0, 0, 100 * gib + 1, 0]), false),
        ("gpus", resources([0, 0, 0, 3]), false),
        ("custom", none().with_custom([(name("licence"), 3)]), true),
        ("too much custom", none().with_custom([(name("licence"), 4)]), false),
        ("unknown custom", none().with_custom([(name("magic"), 1)]), false),
        ("second custom", none().with_custom([(name("licence"), 1), (name("tape"), 2)]), false),
    ];
    for (what, need, placed) in rows {
        check(what, &kind().needs(need), &worker, placed);
    }
}

#[test]
fn custom_resources_run_out_and_come_back() {
    let need = |tape| Resources::default().with_custom([(name("licence"), 1), (name("tape"), tape)]);
    let capacity = Resources::default().with_custom([(name("licence"), 3), (name("tape"), 2)]);
    let mut world = World::with(&[WorkerOffer { capacity, ..offer(10) }]);
    for (task, tape) in [(0, 1), (1, 2), (2, 1), (3, 1)] {
        world.queue(task, &kind().needs(need(tape)));
    }
    assert_eq!(world.tasks(), [0, 2]);
    world.release(0);
    assert_eq!(world.tasks(), [3]);
    world.release(2);
    world.release(3);
    assert_eq!(world.tasks(), [1]);
}

#[test]
fn a_memory_override_replaces_the_need() {
    let mut world = World::with(&[WorkerOffer { capacity: cpu_memory(1000, 100), ..offer(10) }]);
    let ten = kind().needs(cpu_memory(1, 10));
    world.queue(0, &ten.clone().memory_override(101));
    world.queue(1, &ten.clone().memory_override(95));
    world.queue(2, &ten);
    assert_eq!(world.tasks(), [1]);
    world.release(1);
    assert_eq!(world.tasks(), [2]);
    world.queue(0, &ten.memory_override(90));
    assert_eq!(world.tasks(), [0]);
}

/// Workers with these (cpu, memory); which of them gets a task that needs (1000, 10)?
#[track_caller]
fn check_choice(what: &str, band: Band, workers: &[(u64, u64)], chosen: Option<u32>) {
    let offers: Vec<_> = workers
        .iter()
        .map(|(cpu, memory)| WorkerOffer { capacity: cpu_memory(*cpu, *memory), ..offer(10) })
        .collect();
    let mut world = World::with(&offers);
    world.queue(0, &kind().band(band).needs(cpu_memory(1000, 10)));
    assert_eq!(world.place().map(|(_, worker)| worker), chosen, "{what}");
}

#[test]
fn best_fit_and_most_room() {
    use Band::{P0, P1};
    let workers = [(4000, 90), (1500, 50), (500, 100), (1500, 20), (1200, 5), (4000, 80)];
    check_choice("least cpu left, then least memory", P1, &workers, Some(3));
    check_choice("most cpu, then most memory", P0, &workers, Some(0));
    check_choice("none fits", P1, &[(900, 100), (2000, 9)], None);
    check_choice("none fits an urgent one", P0, &[(900, 100), (2000, 9)], None);
    // Block by block the greatest cpu and memory are enough, but never on one worker.
    let split: Vec<_> = (0..500).map(|w| if w % 2 == 0 { (9000, 9) } else { (900, 90) }).collect();
    check_choice("no worker has both", P1, &split, None);
    check_choice("no worker has both, urgent", P0, &split, None);
    let one: Vec<_> = split.iter().copied().chain([(1000, 10)]).collect();
    check_choice("the last one fits", P1, &one, Some(500));
    check_choice("outside the sample, found all the same", P0, &one, Some(500));
}

#[test]
fn best_fit_fills_one_worker_before_the_next() {
    let mut world = World::with(&[offer_cpu(4000), offer_cpu(4000), offer_cpu(4000)]);
    (0..8).for_each(|task| world.queue(task, &kind().cpu(1000)));
    let workers: Vec<_> = world.place_all().into_iter().map(|(_, worker)| worker).collect();
    assert_eq!(workers, [0, 0, 0, 0, 1, 1, 1, 1]);
    world.release(6);
    world.release(1);
    world.queue(9, &kind().cpu(1000));
    assert_eq!(world.place_all(), [(9, 0)], "both have room, neither more than the other");
}

#[test]
fn urgent_tasks_spread() {
    let mut world = World::with(&[offer(2), offer(2), offer(2)]);
    (0..6).for_each(|task| world.queue(task, &kind().band(Band::P0)));
    let workers: Vec<_> = world.place_all().into_iter().map(|(_, worker)| worker).collect();
    assert_eq!(workers, [0, 1, 2, 0, 1, 2], "equal resources: the most free slots");
}

#[test]
fn urgent_tasks_find_a_roomy_worker_in_a_large_pool() {
    let mut world = World::with(&(1..=2000).map(|cpu| offer_cpu(cpu * 10)).collect::<Vec<_>>());
    for task in 0..50 {
        world.queue(task, &kind().band(Band::P0).cpu(1));
        let (_, worker) = world.place().unwrap();
        assert!(worker > 1600, "the best of 100 of 2000 was worker {worker}");
    }
}

#[test]
fn avoid_is_a_wish() {
    for band in Band::ALL {
        let mut world = World::with(&[offer(2), offer(2)]);
        world.0.set_backfill_share(100);
        for (task, avoid) in [(0, 0), (1, 0), (2, 0), (3, 1)] {
            world.queue(task, &kind().band(band).avoid(avoid));
        }
        assert_eq!(world.place_all(), [(0, 1), (1, 1), (2, 0), (3, 0)], "{band:?}");
    }
}

#[test]
fn many_workers_keep_their_order_while_they_change() {
    let mut world = World::with(&(0..700).map(|w| offer_cpu(1000 + 100 * (w % 10))).collect::<Vec<_>>());
    for task in 0..700 {
        world.queue(task, &kind().cpu(1000));
    }
    let placed = world.place_all();
    assert_eq!(placed.len(), 700);
    let room: Vec<_> = placed.iter().map(|(_, worker)| worker % 10).collect();
    assert!(room.is_sorted(), "the tightest first");
    (0..700).rev().for_each(|task| world.release(task));
    world.queue(0, &kind().cpu(1900));
    assert_eq!(world.place_all(), [(0, 9)]);
}
