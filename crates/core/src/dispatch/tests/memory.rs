//! What is no longer used is forgotten.

use super::*;
use crate::dispatch::forget::IDLE_MAX;

fn sizes(world: &World) -> [usize; 6] {
    let it = &world.0;
    let groups = it.workers.groups.len();
    [it.classes.len(), it.lines.len(), it.needs.len(), groups, it.tenants.len(), it.pools.len()]
}

#[test]
fn endless_variety_takes_bounded_memory() {
    let mut world = World::with(&[offer(10)]);
    for round in 0..3 * IDLE_MAX {
        let text = format!("v{round}");
        let odd = kind().tenant(&text).where_(&[is("host", &text)]);
        world.queue(0, &odd);
        world.queue(1, &odd.clone().pool(&text));
        world.queue(2, &kind().cpu(round as u64));
        world.queue(3, &kind().needs(cpu_memory(0, (1 << 41) + round as u64)));
        assert_eq!(world.tasks(), [2]);
        world.release(2);
        world.0.remove(TaskIndex(3));
        world.0.remove(TaskIndex(0));
        world.0.remove(TaskIndex(1));
    }
    for (what, size) in ["classes", "lines", "needs", "groups", "tenants", "pools"].iter().zip(sizes(&world))
    {
        assert!(size <= IDLE_MAX + 2, "{size} {what}");
    }
    for round in 0..2 * IDLE_MAX {
        world.queue(0, &kind().cpu(round as u64));
        world.place_all();
        world.release(0);
    }
    assert_eq!(sizes(&world), [IDLE_MAX, 1, IDLE_MAX, 1, 1, 1], "one tenant, one group, one pool");
}

#[test]
fn what_is_configured_or_has_workers_stays() {
    let mut world = World::empty();
    world.tenant("t", 3, 9);
    world.pool_limit("p", 9);
    world.join(0, &WorkerOffer { pool: name("q"), ..offer(1) });
    assert_eq!(sizes(&world), [0, 0, 0, 0, 1, 2]);
    world.0.worker_left(WorkerIndex(0));
    world.tenant("t", TENANT_DEFAULT.weight, TENANT_DEFAULT.running_max);
    world.0.set_pool(&name("p"), super::super::POOL_DEFAULT);
    assert_eq!(sizes(&world), [0; 6]);
}

#[test]
fn a_forgotten_class_is_not_mistaken_for_its_successor() {
    let mut world = World::with(&[offer(1)]);
    let (first, other) = (kind().cpu(1), kind().cpu(2).pool("elsewhere"));
    world.queue(0, &first);
    world.0.remove(TaskIndex(0));
    for round in 0..=IDLE_MAX {
        world.queue(0, &kind().cpu(1000 + round as u64));
        world.0.remove(TaskIndex(0));
    }
    world.queue(1, &other);
    world.queue(2, &first);
    assert_eq!(world.tasks(), [2]);
}
