//! Small worlds for the tests of the dispatcher; they use only its public door.

mod fit;
mod fleet;
mod limits;
mod memory;
mod model;
mod order;
mod permits;
mod waiting;
mod why;

use std::sync::Arc;

use super::{Dispatcher, PoolLimit, TENANT_DEFAULT, TenantShare, Wants};
use crate::task::{Profile, ProfileSpec};
use crate::values::{
    Band, LabelCondition, Name, Permit, Permits, Priority, Requirements, Resources, TaskIndex, WorkerIndex,
};
use crate::worker::WorkerOffer;

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

fn pairs(text: &[(&str, &str)]) -> Vec<(Name, Name)> {
    text.iter().map(|(key, value)| (name(key), name(value))).collect()
}

fn is(key: &str, value: &str) -> LabelCondition {
    LabelCondition::Is(name(key), name(value))
}

fn is_not(key: &str, value: &str) -> LabelCondition {
    LabelCondition::IsNot(name(key), name(value))
}

fn has(key: &str) -> LabelCondition {
    LabelCondition::Has(name(key))
}

/// A kind of task; the default is one of tenant `t` in pool `p` that needs nothing but a slot.
#[derive(Clone, Debug)]
struct Kind {
    spec: ProfileSpec,
    band: Band,
    level: u8,
    avoid: Option<WorkerIndex>,
    memory_bytes: Option<u64>,
    permits: Option<Permits>,
}

fn kind() -> Kind {
    let requirements = Requirements { pool: name("p"), ..Requirements::default() };
    let spec = ProfileSpec { tenant: name("t"), requirements, ..ProfileSpec::default() };
    Kind { spec, band: Band::P1, level: 5, avoid: None, memory_bytes: None, permits: None }
}

impl Kind {
    fn tenant(mut self, tenant: &str) -> Self {
        self.spec.tenant = name(tenant);
        self
    }

    fn pool(mut self, pool: &str) -> Self {
        self.spec.requirements.pool = name(pool);
        self
    }

    fn band(mut self, band: Band) -> Self {
        self.band = band;
        self
    }

    fn level(mut self, level: u8) -> Self {
        self.level = level;
        self
    }

    fn avoid(mut self, worker: u32) -> Self {
        self.avoid = Some(WorkerIndex(worker));
        self
    }

    fn memory_override(mut self, bytes: u64) -> Self {
        self.memory_bytes = Some(bytes);
        self
    }

    fn needs(mut self, resources: Resources) -> Self {
        self.spec.requirements.resources = resources;
        self
    }

    fn cpu(self, cpu_milli: u64) -> Self {
        self.needs(cpu_memory(cpu_milli, 0))
    }

    fn where_(mut self, labels: &[LabelCondition]) -> Self {
        self.spec.requirements.labels = labels.to_vec();
        self
    }

    fn zone(mut self, zone: &str) -> Self {
        self.spec.requirements.zone = name(zone);
        self
    }

    fn profile(&self) -> Arc<Profile> {
        Profile::new(self.spec.clone())
    }

    /// Takes a permit in this limit, too.
    fn permit(mut self, limit: &str, key: &str, max: Option<u32>) -> Self {
        let permit = Permit { limit: name(limit), key: name(key), max };
        self.permits =
            Some(self.permits.iter().flat_map(|permits| permits.iter().cloned()).chain([permit]).collect());
        self
    }

    fn wants<'a>(&'a self, profile: &'a Arc<Profile>) -> Wants<'a> {
        let priority = Priority::new(self.band, self.level).unwrap();
        Wants {
            profile,
            priority,
            avoid: self.avoid,
            memory_bytes: self.memory_bytes,
            permits: self.permits.as_ref(),
        }
    }
}

/// A worker of pool `p` with this many slots and plenty of cpu and memory.
fn offer(slots: u32) -> WorkerOffer {
    WorkerOffer { pool: name("p"), slots, capacity: cpu_memory(64_000, 1 << 40), ..WorkerOffer::default() }
}

fn offer_cpu(cpu_milli: u64) -> WorkerOffer {
    WorkerOffer { capacity: cpu_memory(cpu_milli, 1 << 40), ..offer(100) }
}

fn cpu_memory(cpu_milli: u64, memory_bytes: u64) -> Resources {
    resources([cpu_milli, memory_bytes, 0, 0])
}

fn resources([cpu_milli, memory_bytes, disk_bytes, gpus]: [u64; 4]) -> Resources {
    let mut resources = Resources::default();
    resources.cpu_milli = cpu_milli;
    resources.memory_bytes = memory_bytes;
    resources.disk_bytes = disk_bytes;
    resources.gpus = gpus;
    resources
}

struct World(Dispatcher);

impl World {
    fn empty() -> Self {
        Self(Dispatcher::new(7))
    }

    /// Workers 0, 1, … with these offers.
    fn with(offers: &[WorkerOffer]) -> Self {
        let mut world = Self::empty();
        for (worker, offer) in (0..).zip(offers) {
            world.join(worker, offer);
        }
        world
    }

    fn join(&mut self, worker: u32, offer: &WorkerOffer) {
        self.0.worker_joined(WorkerIndex(worker), offer);
    }

    fn queue(&mut self, task: u32, kind: &Kind) {
        self.0.enqueue(TaskIndex(task), kind.wants(&kind.profile()));
    }

    fn hold(&mut self, task: u32, worker: u32, kind: &Kind) {
        self.0.hold(TaskIndex(task), WorkerIndex(worker), kind.wants(&kind.profile()));
    }

    fn release(&mut self, task: u32) {
        self.0.release(TaskIndex(task));
    }

    fn place(&mut self) -> Option<(u32, u32)> {
        self.0.place().map(|placement| (placement.task.0, placement.worker.0))
    }

    fn place_all(&mut self) -> Vec<(u32, u32)> {
        std::iter::from_fn(|| self.place()).collect()
    }

    /// The tasks in the order of their placement.
    fn tasks(&mut self) -> Vec<u32> {
        self.place_all().into_iter().map(|(task, _)| task).collect()
    }

    fn tenant(&mut self, tenant: &str, weight: u32, running_max: u32) {
        self.0.set_tenant(&name(tenant), TenantShare { weight, running_max });
    }

    fn pool_limit(&mut self, pool: &str, running_max: u32) {
        self.0.set_pool(&name(pool), PoolLimit { running_max, queued_max: u64::MAX });
    }
}
