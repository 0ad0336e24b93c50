//! The sizes and limits of one world, small enough that every path is taken in a few thousand steps.

use mainspring_core::dispatch::{PoolLimit, TenantShare};
use mainspring_core::engine::EngineConfig;
use mainspring_core::retry::RetryRates;
use mainspring_core::values::{Chance, Group, Groups, Limits, Millis, Name, Resources, WorkerId};
use mainspring_core::worker::WorkerOffer;
use mainspring_runtime::ShardConfig;

use crate::breaks::BreakMode;
use crate::checkers::{Bounds, Rules};

pub const TENANTS: [&str; 3] = ["acme", "beta", "corp"];
/// Every tenant has a group of its own here.
pub const GROUPS: Groups = Groups::assigned_by(group);

fn group(tenant: &str) -> Group {
    let place = TENANTS.iter().position(|known| *known == tenant).unwrap_or(TENANTS.len());
    Group::new(10 + place as u8)
}

pub const POOLS: [&str; 2] = ["", "batch"];
pub const ZONES: [&str; 2] = ["north", "south"];

#[derive(Clone, Debug)]
pub struct Settings {
    pub shard: ShardConfig,
    /// Operations that callers begin before the world heals.
    pub operations: u64,
    /// Mean milliseconds between two of them.
    pub operation_every: u64,
    pub workers: Vec<WorkerOffer>,
    pub tenants: Vec<(Name, TenantShare)>,
    pub pools: Vec<(Name, PoolLimit)>,
    /// Steps before the world heals, at most.
    pub steps: u64,
    /// Usual delay of a message, in milliseconds.
    pub hop: u64,
    /// Usual time of an append, a cut, a read.
    pub append_ms: u64,
    pub cut_ms: u64,
    pub read_ms: u64,
    pub heartbeat: u64,
    /// Of 1,000 operations, those on jobs and runs.
    pub flows: u64,
    /// Of 1,000 operations, those on schedules.
    pub schedules: u64,
}

pub fn worker_id(index: usize) -> WorkerId {
    WorkerId::from_bits(0x0077_0000 + index as u128)
}

fn pick(chance: &mut Chance, choices: &[u64]) -> u64 {
    choices[chance.below(choices.len() as u64) as usize]
}

impl Settings {
    pub fn draw(chance: &mut Chance, break_mode: Option<BreakMode>) -> Self {
        let lease = pick(chance, &[2_000, 4_000, 8_000, 15_000]);
        let limits = Limits {
            lease: Millis::new(lease),
            payload_bytes_max: 512,
            output_bytes_max: 128,
            checkpoint_bytes_max: 128,
            tasks_max: if chance.per_mille(100) { 40 } else { 1_000_000 },
            operations_max: 2,
            event_waits_per_record: pick(chance, &[1, 2, 1_000]) as u32,
            announced_per_record: pick(chance, &[1, 3, 1_000]) as u32,
            sweep_every: Millis::new(pick(chance, &[5_000, 60_000, 300_000])),
            forget_deleted_after: Millis::new(pick(chance, &[1_000, 30_000, 86_400_000])),
            ..Limits::default()
        };
        let engine = EngineConfig {
            limits,
            retry_rates: RetryRates::default(),
            seed: chance.draw(),
            watch: chance.per_mille(300),
            breaks: BreakMode::in_core(break_mode),
        };
        let shard = ShardConfig {
            engine,
            record_bytes_max: pick(chance, &[500, 5_000, 1_000_000]) as usize,
            grants_max: pick(chance, &[20, 200, u64::from(u32::MAX - 1)]) as u32,
            record_events_max: pick(chance, &[4, 8, 30, 1_000]) as usize,
            cut_rows_max: pick(chance, &[1, 4, 20, 100]) as usize,
            cut_every: Millis::new(pick(chance, &[20, 100, 250, 1_000, 5_000])),
            lag_bytes_max: pick(chance, &[20_000, 1_000_000]),
            lag_events_max: pick(chance, &[60, 300, 100_000]),
            park_beyond: Millis::new(pick(chance, &[500, 2_000, 10_000, 60_000])),
            page_rows_max: pick(chance, &[1, 3, 20]) as u32,
            groups: GROUPS,
            history: !chance.per_mille(100),
            breaks: BreakMode::in_runtime(break_mode),
            trust: BreakMode::trust(break_mode),
            ..ShardConfig::default()
        };
        let operations = pick(chance, &[10, 40, 100, 200, 400]);
        Self {
            shard,
            operations,
            operation_every: pick(chance, &[5, 30, 100, 300]),
            workers: draw_workers(chance),
            tenants: draw_tenants(chance),
            pools: draw_pools(chance),
            steps: 1_500 + chance.below(2_500),
            hop: pick(chance, &[1, 5, 30, 150]),
            append_ms: pick(chance, &[1, 5, 40, 200]),
            cut_ms: pick(chance, &[1, 10, 100, 800]),
            read_ms: pick(chance, &[1, 20, 150, 700]),
            heartbeat: lease / 4,
            // Without a history the outputs of a run's tasks do not survive a crash.
            flows: if shard.history { pick(chance, &[0, 300, 700]) } else { 0 },
            schedules: pick(chance, &[0, 50, 250]),
        }
    }

    /// A healed store and network keep up with the work.
    pub fn quicken(&mut self) {
        self.hop = self.hop.min(10);
        self.append_ms = self.append_ms.min(5);
        self.cut_ms = self.cut_ms.min(20);
        self.read_ms = self.read_ms.min(20);
    }

    pub fn rules(&self) -> Rules {
        let offers = self.workers.iter().enumerate().map(|(index, offer)| (worker_id(index), offer.clone()));
        let bounds = Bounds {
            tenants: self.tenants.iter().map(|(name, share)| (name.clone(), share.running_max)).collect(),
            pools: self.pools.iter().map(|(name, limit)| (name.clone(), limit.running_max)).collect(),
            offers: offers.collect(),
        };
        Rules { bounds, lease: self.shard.engine.limits.lease, history: self.shard.history }
    }
}

/// Every pool has at least one worker that is large enough for any task.
fn draw_workers(chance: &mut Chance) -> Vec<WorkerOffer> {
    let count = 2 + chance.below(5) as usize;
    let offer = |index: usize| {
        let first = index < POOLS.len();
        let slots = if first { 2 } else { 1 } + chance.below(6) as u32;
        let mut capacity = Resources::default();
        capacity.cpu_milli = if first { 4_000 } else { 1_000 };
        capacity.memory_bytes = 1 << 40;
        WorkerOffer {
            pool: Name::fixed(POOLS[index % POOLS.len()]),
            slots,
            capacity,
            labels: vec![(Name::fixed("disk"), Name::fixed(if first { "ssd" } else { "hdd" }))],
            zone: Name::fixed(ZONES[if first { 0 } else { index % ZONES.len() }]),
            executors: Vec::new(),
        }
    };
    (0..count).map(offer).collect()
}

fn draw_tenants(chance: &mut Chance) -> Vec<(Name, TenantShare)> {
    let share = |name: &'static str| {
        let running_max = if chance.per_mille(400) { 1 + chance.below(4) as u32 } else { 1_000 };
        (Name::fixed(name), TenantShare { weight: 1 + chance.below(4) as u32, running_max })
    };
    TENANTS.into_iter().map(share).collect()
}

fn draw_pools(chance: &mut Chance) -> Vec<(Name, PoolLimit)> {
    let limit = |name: &'static str| {
        let running_max = if chance.per_mille(300) { 1 + chance.below(6) as u32 } else { 1_000 };
        let queued_max = if chance.per_mille(200) { 10 + chance.below(50) } else { u64::MAX };
        (Name::fixed(name), PoolLimit { running_max, queued_max })
    };
    POOLS.into_iter().map(limit).collect()
}
