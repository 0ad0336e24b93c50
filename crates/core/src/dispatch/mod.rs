//! Dispatch: which waiting task runs next, and on which worker.
//! Entry: [`Dispatcher`]: it is told what waits and who can work, and [`Dispatcher::place`] pairs them.
//! - DP-1 bands are strict, and the one of backfills has at most its share of a pool's slots; inside a band the tenants of a pool take turns by weight; inside a tenant the
//!   higher level goes first, then the task that was queued first
//! - DP-2 room, pool limit, tenant limit and the permits in named limits are taken in one step or not at all, and never beyond what is
//!   free; only `hold`, which records what already runs, may overdraw
//! - DP-3 what cannot run holds up nothing that can, and is looked at again only after a change to what
//!   stopped it; when `place` returns `None`, nothing could be placed
//! - DP-4 a listed worker is on the shelf of each of its groups, with its present free room
//! - DP-5 the same calls with the same seed give the same placements
//! - DP-6 a waiting task costs 24 bytes; all else grows with the kinds of tasks and with the workers
//! - DP-7 an id in use names a live cell
//!
//! Not here: what a task is (`task`), who is lost (`worker`), making room for large tasks by holding back
//! small ones, or by preemption. `queued_max` is kept here and enforced by `task::decide`.

mod choose;
mod fleet;
mod forget;
mod group;
mod limits;
mod links;
mod lookup;
mod need;
mod permits;
mod place;
mod queue;
mod ranked;
mod room;
mod shelf;
mod tasks;
#[cfg(test)]
mod tests;
mod waiting;
mod wake;
mod why;
mod workers;

use std::collections::VecDeque;
use std::sync::Arc;

pub use self::limits::{KEYS_MAX, KeyLoad, LimitLoad, LimitLoads};
use self::links::Links;
use self::lookup::Lookup;
use self::need::Need;
use self::permits::Limit;
use self::queue::{Class, Line, Pool, Tenant};
pub use self::waiting::WaitingTasks;
pub use self::why::{Unmet, WaitKind, WaitReason};
use self::workers::WorkerRoom;
use crate::collections::{Id, Slab};
use crate::task::Profile;
use crate::values::{Band, Chance, Name, Permits, Priority, TaskIndex, WorkerIndex};

/// How a tenant shares the workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TenantShare {
    /// Turns relative to other tenants of the same band; at least 1.
    pub weight: u32,
    /// Most attempts at once over all pools.
    pub running_max: u32,
}

/// Bounds of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolLimit {
    /// Most attempts at once over all its workers.
    pub running_max: u32,
    /// Most waiting tasks.
    pub queued_max: u64,
}

/// Per cent of the slots of a pool that tasks of backfills hold at most; one slot at least.
pub const BACKFILL_SHARE_DEFAULT: u32 = 5;
pub const TENANT_DEFAULT: TenantShare = TenantShare { weight: 1, running_max: u32::MAX };
pub const POOL_DEFAULT: PoolLimit = PoolLimit { running_max: u32::MAX, queued_max: u64::MAX };

/// What the dispatcher needs to know of a task.
#[derive(Clone, Copy, Debug)]
pub struct Wants<'a> {
    pub profile: &'a Arc<Profile>,
    pub priority: Priority,
    /// Preferably not on this worker.
    pub avoid: Option<WorkerIndex>,
    /// Replaces the memory need of the profile.
    pub memory_bytes: Option<u64>,
    /// Permits that it takes together with its worker.
    pub permits: Option<&'a Permits>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    pub task: TaskIndex,
    pub worker: WorkerIndex,
    /// The named limit for which it waited; not told of one that waited for room after that.
    pub waited_for: Option<Name>,
}

/// How much waits and runs, for one tenant in one band of one pool.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Depth {
    pub pool: Name,
    pub band: Band,
    pub tenant: Name,
    pub queued: u64,
    pub running: u32,
    /// Attempts that began since the dispatcher has known of such tasks; a counter that starts anew when all have ended.
    pub placed: u64,
}

#[derive(Debug)]
pub struct Dispatcher {
    links: Links,
    classes: Slab<Class>,
    lines: Slab<Line>,
    needs: Slab<Need>,
    tenants: Slab<Tenant>,
    pools: Slab<Pool>,
    limits: Slab<Limit>,
    workers: WorkerRoom,
    lookup: Lookup,
    /// Pools with something to place, for each band.
    ready: [VecDeque<Id<Pool>>; Band::ALL.len()],
    /// Per cent of a pool's slots that backfills may have.
    backfill_share: u32,
    chance: Chance,
    /// Counts what was enqueued.
    order: u64,
    queued: u64,
}

impl Dispatcher {
    pub fn new(seed: u64) -> Self {
        Self {
            links: Links::default(),
            classes: Slab::default(),
            lines: Slab::default(),
            needs: Slab::default(),
            tenants: Slab::default(),
            pools: Slab::default(),
            limits: Slab::default(),
            workers: WorkerRoom::default(),
            lookup: Lookup::default(),
            ready: Default::default(),
            backfill_share: BACKFILL_SHARE_DEFAULT,
            chance: Chance::new(seed),
            order: 0,
            queued: 0,
        }
    }

    pub fn queued_in_pool(&self, pool: &Name) -> u64 {
        self.find_pool(pool).map_or(0, |pool| self.pools[pool].queued)
    }

    pub fn pool_limit(&self, pool: &Name) -> PoolLimit {
        self.find_pool(pool).map_or(POOL_DEFAULT, |pool| self.pools[pool].limit)
    }

    /// Of pools that have limits, by name.
    pub fn pool_limits(&self) -> Vec<(Name, PoolLimit)> {
        let pools = self.pools.iter().filter(|pool| pool.limit != POOL_DEFAULT);
        let mut limits: Vec<_> = pools.map(|pool| (pool.name.clone(), pool.limit)).collect();
        limits.sort_by(|(a, _), (b, _)| a.cmp(b));
        limits
    }

    pub fn queued_total(&self) -> u64 {
        self.queued
    }

    /// By pool, band and tenant; those with nothing are left out.
    pub fn depths(&self) -> Vec<Depth> {
        let mut depths: Vec<Depth> = self
            .lines
            .iter()
            .map(|line| Depth {
                pool: self.pools[line.pool].name.clone(),
                band: line.band,
                tenant: self.tenants[line.tenant].name.clone(),
                queued: line.queued_total(),
                running: line.running,
                placed: line.placed,
            })
            .filter(|depth| depth.queued > 0 || depth.running > 0)
            .collect();
        depths.sort();
        depths
    }
}
