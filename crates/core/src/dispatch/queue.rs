//! What waits, from the outside in: pool, lane (a band of a pool), line (a tenant in a lane), class.
//! Entry: the types; they are moved about by `tasks`, `place` and `wake`.
//! - QU-1 a class with tasks is either in the order of its line, or parked at its need, or waits at a full limit; one
//!   without is nowhere
//! - QU-2 a line whose order is not empty is either in its lane or waits for its tenant's limit
//! - QU-3 the key under which something is kept is never above its true key: passes and head orders only
//!   grow. So the first with a true key is the true first, and others need no repair when they change.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::links::{Fifo, Links};
use super::need::Need;
use super::permits::{Limit, Row};
use super::ranked::Ranked;
use super::{PoolLimit, TenantShare};
use crate::collections::Id;
use crate::values::{Band, LEVEL_MAX, Name, Requirements};

pub const LEVELS: usize = LEVEL_MAX as usize + 1;
/// A tenant's pass grows by this over its weight with each turn; weights above it count as this.
pub const TURN: u64 = 1 << 20;

#[derive(Debug)]
pub struct Tenant {
    pub name: Name,
    pub share: TenantShare,
    pub running: u32,
    /// How many lines it has.
    pub lines: u32,
    /// Lines that wait for the limit, in the order in which they met it.
    pub at_limit: Vec<Id<Line>>,
}

impl Tenant {
    pub const fn is_at_limit(&self) -> bool {
        self.running >= self.share.running_max
    }

    pub fn turn(&self) -> u64 {
        (TURN / u64::from(self.share.weight.max(1))).max(1)
    }
}

#[derive(Debug)]
pub struct Pool {
    pub name: Name,
    pub limit: PoolLimit,
    pub running: u32,
    /// Of those, the ones of backfills.
    pub backfill: u32,
    pub queued: u64,
    pub lanes: [Lane; Band::ALL.len()],
    /// By executor and requirements.
    pub needs: BTreeMap<Name, BTreeMap<Arc<Requirements>, Id<Need>>>,
}

#[derive(Debug, Default)]
pub struct Lane {
    /// Lines by their pass.
    pub lines: Ranked<(u64, Id<Line>)>,
    /// Needs that may have room again and have parked classes, by the best of these.
    pub woken: Ranked<(Rank, Id<Need>)>,
    /// The highest pass that has had a turn: where a tenant that was idle joins.
    pub pass: u64,
    pub queued: u64,
    /// Whether it is in the ring of lanes that `place` looks at.
    pub in_ring: bool,
}

impl Lane {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.woken.is_empty()
    }
}

#[derive(Debug)]
pub struct Line {
    pub tenant: Id<Tenant>,
    pub pool: Id<Pool>,
    pub band: Band,
    pub pass: u64,
    pub stand: Stand,
    /// Classes by level, highest first, and then by the age of their first task.
    pub order: Ranked<(u8, u64, Id<Class>)>,
    /// How many classes it has.
    pub classes: u32,
    pub queued: [u32; LEVELS],
    pub running: u32,
    /// Attempts that were placed since it is there.
    pub placed: u64,
}

impl Line {
    pub fn queued_total(&self) -> u64 {
        self.queued.iter().map(|queued| u64::from(*queued)).sum()
    }
}

/// Where a line is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stand {
    Out,
    /// In its lane, under this pass.
    Lane(u64),
    AtLimit,
}

/// Tasks that are alike to the dispatcher.
#[derive(Debug)]
pub struct Class {
    pub line: Id<Line>,
    pub need: Id<Need>,
    pub level: u8,
    pub fifo: Fifo,
    pub held: u32,
    /// The limits in which its tasks take permits.
    pub row: Option<Box<Row>>,
    pub spot: Spot,
    /// The full limit at which its tasks waited last, unless they have waited for room since.
    pub waited_at: Option<Id<Limit>>,
    /// Whether it is in the list of classes that may be forgotten.
    pub in_idle: bool,
    /// Tells it from an earlier class with the same id.
    pub serial: u64,
}

impl Class {
    pub const fn is_idle(&self) -> bool {
        self.fifo.is_empty() && self.held == 0
    }

    /// Where it stands in the order of its line; it is not empty.
    pub fn age_key(&self, links: &Links) -> (u8, u64) {
        (LEVEL_MAX - self.level, links.head_order(&self.fifo))
    }
}

/// Where a class is kept, and under which key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    Out,
    Line(u8, u64),
    Parked(Rank),
    AtLimit { limit: Id<Limit>, max: Option<u32>, level: u8, age: u64 },
}

/// The order of classes over the lines of a lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank {
    pub pass: u64,
    pub line: Id<Line>,
    pub age: (u8, u64),
    pub class: Id<Class>,
}
