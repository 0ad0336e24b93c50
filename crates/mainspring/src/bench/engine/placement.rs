//! Choosing among 50,000 workers of several shapes.

use std::time::{Duration, Instant};

use mainspring_core::dispatch::{Dispatcher, Wants};
use mainspring_core::task::{Profile, ProfileSpec};
use mainspring_core::values::{
    Band, Chance, LabelCondition, Name, Priority, Requirements, Resources, TaskIndex, WorkerIndex,
};
use mainspring_core::worker::WorkerOffer;

use super::{Figures, Plan};

const WORKERS: u32 = 50_000;
const SLOTS: u32 = 8;

pub(super) fn run(plan: &Plan, figures: &mut Figures) {
    let mut dispatcher = Dispatcher::new(1);
    for worker in 0..WORKERS {
        dispatcher.worker_joined(WorkerIndex(worker), &offer(worker));
    }
    let profiles = profiles();
    let decisions = plan.scaled(400_000).min(u64::from(WORKERS * SLOTS) / 2) as u32;
    let mut chance = Chance::new(2);
    let mut times = Vec::with_capacity(decisions as usize);
    let mut placed: Vec<TaskIndex> = Vec::new();
    for task in 0..decisions {
        let profile = &profiles[chance.below(profiles.len() as u64) as usize];
        let band = Band::ALL[chance.below(3) as usize];
        let wants =
            Wants { profile, priority: Priority::of(band), avoid: None, memory_bytes: None, permits: None };
        dispatcher.enqueue(TaskIndex(task), wants);
        let start = Instant::now();
        let placement = dispatcher.place();
        times.push(start.elapsed());
        if let Some(placement) = placement {
            placed.push(placement.task);
        }
        // A third of what was placed ends again, so that the fleet is never uniform.
        if task % 3 == 0 && !placed.is_empty() {
            let ended = placed.swap_remove(chance.below(placed.len() as u64) as usize);
            dispatcher.release(ended);
        }
    }
    times.sort();
    let at = |per_mille: usize| micros(times[(times.len() - 1) * per_mille / 1000]);
    figures.add("placement_p50_us", "placement among 50,000 workers, p50", at(500), "µs", ("20", "–"));
    figures.add("placement_p99_us", "placement among 50,000 workers, p99", at(990), "µs", ("200", "–"));
    figures.add("placement_max_us", "placement among 50,000 workers, slowest", at(1000), "µs", ("–", "–"));
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Four hardware shapes in five zones, a rare label on one in a hundred, a host name on each.
fn offer(worker: u32) -> WorkerOffer {
    let shape = u64::from(worker % 4) + 1;
    let mut labels = vec![(Name::fixed("host"), name(&format!("host-{worker}")))];
    if worker.is_multiple_of(100) {
        labels.push((Name::fixed("disk"), Name::fixed("nvme")));
    }
    let gpus = if worker.is_multiple_of(50) { 8 } else { 0 };
    let capacity = Resources::new(8_000 * shape, (32 << 30) * shape, 0, gpus);
    let zone = name(&format!("zone-{}", worker % 5));
    WorkerOffer { pool: Name::fixed("default"), slots: SLOTS, capacity, labels, zone, executors: Vec::new() }
}

/// Sixteen kinds of work of four tenants: plain, sized, bound to a zone, to a label, to a gpu.
fn profiles() -> Vec<std::sync::Arc<Profile>> {
    let kinds = (0..16_u64).map(|kind| {
        let resources = Resources::new(250 * (kind % 4), (kind % 3) << 30, 0, u64::from(kind == 7));
        let labels = match kind {
            5 => vec![LabelCondition::Is(Name::fixed("disk"), Name::fixed("nvme"))],
            9 => vec![LabelCondition::IsNot(Name::fixed("disk"), Name::fixed("nvme"))],
            _ => Vec::new(),
        };
        let zone = if kind % 4 == 2 { name(&format!("zone-{}", kind % 5)) } else { Name::default() };
        let requirements = Requirements { pool: Name::fixed("default"), resources, labels, zone };
        let tenant = name(&format!("tenant-{}", kind % 4));
        Profile::new(ProfileSpec { tenant, requirements, ..ProfileSpec::default() })
    });
    kinds.collect()
}

fn name(text: &str) -> Name {
    Name::new(text).expect("a short printable name")
}
