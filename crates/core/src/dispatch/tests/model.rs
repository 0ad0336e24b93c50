//! Random calls against a model that keeps lists and tries everything.
//! Checked at each placement: it was possible (DP-2), nothing of a higher band in its pool was (DP-1), it
//! was the first of its tenant that was; and when nothing is placed, nothing could have been (DP-3).

use std::collections::BTreeMap;

use super::*;
use crate::values::Chance;

const TASKS: u64 = 60;
const WORKERS: u64 = 6;
const TENANTS: [&str; 3] = ["a", "b", "c"];
const LIMITS: [&str; 2] = ["m", "n"];
const POOLS: [&str; 2] = ["p", "q"];
/// Per cent of a pool for backfills.
const SHARE: u32 = 40;

struct ModelWorker {
    offer: WorkerOffer,
    joined: bool,
    accepting: bool,
}

struct Waiting {
    kind: Kind,
    since: u64,
}

struct Running {
    kind: Kind,
    /// `None` when the worker has left.
    worker: Option<u32>,
}

struct Model {
    chance: Chance,
    world: World,
    workers: BTreeMap<u32, ModelWorker>,
    waiting: BTreeMap<u32, Waiting>,
    running: BTreeMap<u32, Running>,
    tenant_max: BTreeMap<Name, u32>,
    pool_max: BTreeMap<Name, u32>,
    limit_max: BTreeMap<Name, u32>,
    clock: u64,
}

fn need(kind: &Kind) -> Resources {
    let mut need = kind.spec.requirements.resources.clone();
    need.memory_bytes = kind.memory_bytes.unwrap_or(need.memory_bytes);
    need
}

fn amounts(resources: &Resources) -> [u64; 6] {
    let custom = |custom| resources.custom_amount(&name(custom));
    let Resources { cpu_milli, memory_bytes, disk_bytes, gpus, .. } = *resources;
    [cpu_milli, memory_bytes, disk_bytes, gpus, custom("x"), custom("y")]
}

impl Model {
    fn new(seed: u64) -> Self {
        let mut dispatcher = Dispatcher::new(seed);
        dispatcher.set_backfill_share(SHARE);
        Self {
            chance: Chance::new(seed),
            world: World(dispatcher),
            workers: BTreeMap::new(),
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            tenant_max: BTreeMap::new(),
            pool_max: BTreeMap::new(),
            limit_max: BTreeMap::new(),
            clock: 0,
        }
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.chance.below(from.len() as u64) as usize].clone()
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.chance.below(bound)
    }

    fn draw_resources(&mut self, scale: u64) -> Resources {
        let rare = |chance: &mut Chance, bound| if chance.per_mille(250) { chance.below(bound) } else { 0 };
        let (cpu, memory) = (self.below(4) * scale, self.below(4) * scale);
        let (disk, gpus) = (rare(&mut self.chance, 3) * scale, rare(&mut self.chance, 3));
        resources([cpu, memory, disk, gpus]).with_custom([
            (name("x"), rare(&mut self.chance, 2 + scale)),
            (name("y"), rare(&mut self.chance, 2 + scale)),
        ])
    }

    fn draw_kind(&mut self) -> Kind {
        let conditions =
            [vec![], vec![], vec![is("os", "l")], vec![is_not("os", "l")], vec![has("rack"), is("os", "m")]];
        let mut drawn =
            kind().tenant(self.pick(&TENANTS)).pool(self.pick(&POOLS)).band(self.pick(&Band::ALL));
        drawn =
            drawn.level(self.pick(&[2, 5])).where_(&self.pick(&conditions)).zone(self.pick(&["", "", "z"]));
        if self.chance.per_mille(600) {
            let resources = self.draw_resources(1);
            drawn = drawn.needs(resources);
        }
        drawn.spec.executor = name(self.pick(&["a", "a", "b"]));
        for limit in LIMITS {
            if self.chance.per_mille(150) {
                let (key, max) = (self.pick(&["", "k", "l"]), self.pick(&[None, Some(1), Some(2)]));
                drawn = drawn.permit(limit, key, max);
            }
        }
        drawn.memory_bytes = self.chance.per_mille(100).then(|| self.chance.below(5));
        drawn.avoid = self.chance.per_mille(200).then(|| WorkerIndex(self.chance.below(WORKERS) as u32));
        drawn
    }

    fn draw_offer(&mut self) -> WorkerOffer {
        let labels: [&[(&str, &str)]; 4] =
            [&[], &[("os", "l")], &[("os", "m"), ("rack", "1")], &[("rack", "2")]];
        WorkerOffer {
            pool: name(self.pick(&POOLS)),
            slots: self.below(5) as u32,
            capacity: self.draw_resources(3),
            labels: pairs(self.pick(&labels)),
            zone: name(self.pick(&["z", "y"])),
            executors: self
                .pick(&[&[][..], &[], &["a"], &["a", "b"]])
                .iter()
                .map(|known| name(known))
                .collect(),
        }
    }

    fn used(&self, worker: u32) -> (u32, [u64; 6]) {
        let mut sum = (0, [0; 6]);
        for running in self.running.values().filter(|running| running.worker == Some(worker)) {
            sum.0 += 1;
            let need = amounts(&need(&running.kind));
            sum.1 = std::array::from_fn(|at| sum.1[at] + need[at]);
        }
        sum
    }

    fn fits(&self, kind: &Kind, number: u32) -> bool {
        let Some(worker) = self.workers.get(&number) else { return false };
        let (slots, used) = self.used(number);
        let (have, need) = (amounts(&worker.offer.capacity), amounts(&need(kind)));
        let value =
            |key: &Name| worker.offer.labels.iter().find(|(have, _)| have == key).map(|(_, value)| value);
        let wanted = &kind.spec.requirements;
        worker.joined
            && worker.accepting
            && worker.offer.pool == wanted.pool
            && slots < worker.offer.slots
            && (0..6).all(|at| used[at] + need[at] <= have[at])
            && (wanted.zone.is_empty() || wanted.zone == worker.offer.zone)
            && wanted.labels.iter().all(|condition| condition.holds(value(condition.key())))
            && (worker.offer.executors.is_empty() || worker.offer.executors.contains(&kind.spec.executor))
    }

    fn below_limits(&self, kind: &Kind) -> bool {
        let count = |same: &dyn Fn(&Kind) -> bool| self.running.values().filter(|r| same(&r.kind)).count();
        let (tenant, pool) = (&kind.spec.tenant, &kind.spec.requirements.pool);
        let max = |limits: &BTreeMap<Name, u32>, name| limits.get(name).copied().unwrap_or(u32::MAX) as usize;
        count(&|other| other.spec.tenant == *tenant) < max(&self.tenant_max, tenant)
            && count(&|other| other.spec.requirements.pool == *pool) < max(&self.pool_max, pool)
    }

    fn has_share(&self, kind: &Kind) -> bool {
        let pool = &kind.spec.requirements.pool;
        let of_pool = self.workers.values().filter(|worker| worker.joined && worker.offer.pool == *pool);
        let slots: u32 = of_pool.map(|worker| worker.offer.slots).sum();
        let same = |running: &&Running| {
            running.kind.band == Band::Backfill && running.kind.spec.requirements.pool == *pool
        };
        let out = self.running.values().filter(same).count() as u32;
        kind.band != Band::Backfill || out < (slots * SHARE / 100).max(1)
    }

    fn finds_seats(&self, kind: &Kind) -> bool {
        let permits =
            |kind: &Kind| kind.permits.iter().flat_map(|permits| permits.iter()).cloned().collect::<Vec<_>>();
        permits(kind).iter().all(|permit| {
            let same = |other: &&Running| {
                let named = |held: &Permit| held.limit == permit.limit && held.key == permit.key;
                other.kind.spec.tenant == kind.spec.tenant && permits(&other.kind).iter().any(named)
            };
            let configured = self.limit_max.get(&permit.limit).copied();
            let max = permit.max.into_iter().chain(configured).min().unwrap_or(1);
            self.running.values().filter(same).count() < max as usize
        })
    }

    fn is_placeable(&self, kind: &Kind) -> bool {
        self.below_limits(kind)
            && self.has_share(kind)
            && self.finds_seats(kind)
            && self.workers.keys().any(|worker| self.fits(kind, *worker))
    }

    fn place(&mut self) -> bool {
        let Some((task, worker)) = self.world.place() else {
            let left = self.waiting.iter().find(|(_, waiting)| self.is_placeable(&waiting.kind));
            assert!(left.is_none(), "task {:?} was left behind", left.map(|(task, _)| task));
            return false;
        };
        let placed = self.waiting.remove(&task).expect("placed once, and only what waits");
        let kind = placed.kind;
        assert!(self.below_limits(&kind), "task {task} exceeds a limit");
        assert!(self.has_share(&kind), "task {task} exceeds the share of backfills");
        assert!(self.finds_seats(&kind), "task {task} found no permit");
        assert!(self.fits(&kind, worker), "task {task} does not fit worker {worker}");
        let goes_first = |other: &Waiting| {
            let same_pool = other.kind.spec.requirements.pool == kind.spec.requirements.pool;
            let same_line =
                same_pool && other.kind.spec.tenant == kind.spec.tenant && other.kind.band == kind.band;
            let earlier = (11 - other.kind.level, other.since) < (11 - kind.level, placed.since);
            (same_pool && other.kind.band < kind.band) || (same_line && earlier)
        };
        let first =
            self.waiting.iter().find(|(_, other)| goes_first(other) && self.is_placeable(&other.kind));
        assert!(first.is_none(), "task {:?} comes before {task}", first.map(|(task, _)| task));
        if kind.avoid == Some(WorkerIndex(worker)) {
            let others = self.workers.keys().filter(|other| **other != worker && self.fits(&kind, **other));
            assert_eq!(others.count(), 0, "task {task} should have avoided worker {worker}");
        }
        self.running.insert(task, Running { kind, worker: Some(worker) });
        true
    }

    fn enqueue_or_hold(&mut self) {
        let task = self.below(TASKS) as u32;
        if self.running.contains_key(&task) || self.waiting.contains_key(&task) {
            return;
        }
        let kind = self.draw_kind();
        if self.chance.per_mille(30) {
            let worker = self.below(WORKERS) as u32;
            self.world.hold(task, worker, &kind);
            self.running.insert(task, Running { kind, worker: Some(worker) });
        } else {
            self.clock += 1;
            self.world.queue(task, &kind);
            self.waiting.insert(task, Waiting { kind, since: self.clock });
        }
    }

    fn end_one(&mut self) {
        let task = self.below(TASKS) as u32;
        if self.running.remove(&task).is_some() {
            self.world.release(task);
        } else if self.chance.per_mille(200) {
            assert_eq!(self.world.0.remove(TaskIndex(task)), self.waiting.remove(&task).is_some());
        }
    }

    fn change_worker(&mut self) {
        let number = self.below(WORKERS) as u32;
        let slot = WorkerIndex(number);
        match self.below(5) {
            0 => {
                self.world.0.worker_left(slot);
                self.workers.remove(&number);
                let lost = self.running.values_mut().filter(|running| running.worker == Some(number));
                lost.for_each(|running| running.worker = None);
            }
            1 => {
                let accepting = self.chance.per_mille(700);
                self.world.0.set_accepting(slot, accepting);
                let unknown = ModelWorker { offer: WorkerOffer::default(), joined: false, accepting };
                self.workers.entry(number).or_insert(unknown).accepting = accepting;
            }
            _ => {
                let offer = self.draw_offer();
                self.world.join(number, &offer);
                let accepting = self.workers.get(&number).is_none_or(|worker| worker.accepting);
                self.workers.insert(number, ModelWorker { offer, joined: true, accepting });
            }
        }
    }

    fn change_limit(&mut self) {
        let max = self.pick(&[1, 2, 4, u32::MAX]);
        if self.chance.per_mille(300) {
            let limit = name(self.pick(&LIMITS));
            let max = Some(max).filter(|max| *max != u32::MAX);
            self.world.0.set_limit(&limit, max);
            match max {
                Some(max) => self.limit_max.insert(limit, max),
                None => self.limit_max.remove(&limit),
            };
        } else if self.chance.per_mille(500) {
            let tenant = self.pick(&TENANTS);
            let weight = 1 + self.below(3) as u32;
            self.world.tenant(tenant, weight, max);
            self.tenant_max.insert(name(tenant), max);
        } else {
            let pool = self.pick(&POOLS);
            self.world.pool_limit(pool, max);
            self.pool_max.insert(name(pool), max);
        }
    }

    fn check_counts(&self) {
        assert_eq!(self.world.0.queued_total(), self.waiting.len() as u64);
        let depths = self.world.0.depths();
        assert_eq!(depths.iter().map(|depth| depth.queued).sum::<u64>(), self.waiting.len() as u64);
        assert_eq!(depths.iter().map(|depth| depth.running as usize).sum::<usize>(), self.running.len());
        let permits =
            |kind: &Kind| kind.permits.iter().map(|permits| permits.iter().count() as u64).sum::<u64>();
        let uses = self.world.0.limit_loads().limits;
        let wanted: u64 = self.waiting.values().map(|waiting| permits(&waiting.kind)).sum();
        assert_eq!(uses.iter().map(|usage| usage.queued).sum::<u64>(), wanted, "of those that wait");
        let held: u64 = self.running.values().map(|running| permits(&running.kind)).sum();
        assert_eq!(uses.iter().map(|usage| usage.held).sum::<u64>(), held, "of those that run");
        for task in 0..TASKS as u32 {
            assert_eq!(self.world.0.why(TaskIndex(task)).is_some(), self.waiting.contains_key(&task));
        }
    }
}

#[test]
fn random_calls_agree_with_the_model() {
    for seed in 0..40 {
        let mut model = Model::new(seed);
        for step in 0..1500 {
            match model.below(100) {
                0..50 => model.enqueue_or_hold(),
                50..85 => model.end_one(),
                85..95 => model.change_worker(),
                _ => model.change_limit(),
            }
            // Most of the time a batch of calls comes before placement, and sometimes only a few are placed.
            let placements = [0, 1, 2, u64::MAX][model.below(4) as usize];
            let mut placed = 0;
            while placed < placements && model.place() {
                placed += 1;
            }
            if step % 100 == 0 {
                model.check_counts();
            }
        }
        while model.place() {}
    }
}
