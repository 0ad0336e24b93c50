//! Kinds of tasks that wait for the same are counted together.

use super::*;
use crate::dispatch::WaitKind;

fn told(world: &World) -> Vec<(String, WaitKind, u64, Vec<u32>)> {
    let (groups, more) = world.0.waiting();
    assert!(!more);
    let row = |group: crate::dispatch::WaitingTasks| {
        let firsts = group.first.iter().map(|task| task.0).collect();
        (format!("{}/{}", group.pool, group.tenant), group.reason.kind(), group.queued, firsts)
    };
    groups.into_iter().map(row).collect()
}

#[test]
fn reasons_are_those_of_each_task() {
    let mut world = World::with(&[offer(2)]);
    (0..5).for_each(|task| world.queue(task, &kind()));
    world.queue(5, &kind().cpu(7));
    world.queue(6, &kind().tenant("b"));
    world.queue(7, &kind().pool("q"));
    world.place_all();
    let rows = told(&world);
    let of = |place: &str| rows.iter().filter(|row| row.0 == place).collect::<Vec<_>>();
    assert_eq!(of("q/t"), [&("q/t".to_owned(), WaitKind::NoWorkers, 1, vec![7])]);
    assert!(
        rows.iter().filter(|row| row.0.starts_with("p/")).all(|row| row.1 == WaitKind::NoRoom),
        "{rows:?}"
    );
    let counted: u64 = rows.iter().map(|row| row.2).sum();
    assert_eq!(counted, world.0.queued_total());
    for task in (0..8).map(TaskIndex) {
        let class = world.0.class_of(task).map(|class| world.0.why_class_with(class).kind());
        assert_eq!(class, world.0.why(task).map(|reason| reason.kind()), "{task:?}");
    }
    world.release(0);
    assert_eq!(told(&World::empty()), []);
}

#[test]
fn attempts_are_counted_for_as_long_as_their_queue_is_known() {
    let mut world = World::with(&[offer(1)]);
    (0..3).for_each(|task| world.queue(task, &kind()));
    let placed = |world: &World| world.0.depths().first().map(|depth| depth.placed);
    assert_eq!(world.tasks(), [0]);
    assert_eq!(placed(&world), Some(1));
    world.release(0);
    assert_eq!(world.tasks(), [1]);
    assert_eq!(placed(&world), Some(2));
}
