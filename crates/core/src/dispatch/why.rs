//! Why a task waits, in data and in words.
//! Entry: [`Dispatcher::why`]. Read from the state at the time of asking, the surest obstacle first.

use std::fmt;

use super::Dispatcher;
use super::group::{Conditions, zone_holds};
use super::need::{Need, Outlook};
use super::queue::{Class, Line, Pool};
use super::room::basic;
use super::workers::PoolWorker;
use crate::collections::Id;
use crate::task::Profile;
use crate::values::{Band, LEVEL_MAX, LabelCondition, Name, Requirements, TaskIndex};

/// Longer lines are measured by the age of their tasks instead of being walked.
const WALK_MAX: u32 = 4096;
/// Holders of a limit that are named.
pub const HOLDERS_MAX: usize = 5;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaitReason {
    NoWorkers {
        pool: Name,
    },
    /// `unmet` is what no worker of the pool has; empty if each has some of it but none has all.
    NoWorkerMatches {
        pool: Name,
        unmet: Vec<Unmet>,
    },
    PoolLimit {
        pool: Name,
        running: u32,
        max: u32,
    },
    /// Backfills have their share of the pool.
    BackfillShare {
        pool: Name,
        running: u32,
        max: u32,
    },
    TenantLimit {
        tenant: Name,
        running: u32,
        max: u32,
    },
    /// A named limit has no permit left; some of those who hold one.
    Limit {
        limit: Name,
        key: Name,
        held: u32,
        max: u32,
        holders: Vec<TaskIndex>,
    },
    NoRoom {
        pool: Name,
        ahead: u64,
    },
    /// Nothing stands in its way but tasks that go first: those of higher bands, and those of its own
    /// tenant. Lines longer than a few thousand are estimated from above.
    Behind {
        tasks: u64,
    },
    AboutToBePlaced,
}

/// A [`WaitReason`] without its data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WaitKind {
    NoWorkers,
    NoWorkerMatches,
    PoolLimit,
    BackfillShare,
    TenantLimit,
    Limit,
    NoRoom,
    Behind,
    AboutToBePlaced,
}

impl WaitKind {
    pub const ALL: [Self; 9] = [
        Self::NoWorkers,
        Self::NoWorkerMatches,
        Self::PoolLimit,
        Self::BackfillShare,
        Self::TenantLimit,
        Self::Limit,
        Self::NoRoom,
        Self::Behind,
        Self::AboutToBePlaced,
    ];

    /// A word for programs.
    pub const fn label(self) -> &'static str {
        match self {
            Self::NoWorkers => "no_workers",
            Self::NoWorkerMatches => "no_worker_matches",
            Self::PoolLimit => "pool_limit",
            Self::BackfillShare => "backfill_share",
            Self::TenantLimit => "tenant_limit",
            Self::Limit => "limit",
            Self::NoRoom => "no_room",
            Self::Behind => "behind",
            Self::AboutToBePlaced => "about_to_be_placed",
        }
    }
}

/// Something no worker of a pool could give, even when idle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unmet {
    Label(LabelCondition),
    Zone(Name),
    Executor(Name),
    /// `most` is what the largest worker has.
    Resource {
        name: Name,
        wanted: u64,
        most: u64,
    },
}

impl Dispatcher {
    /// `None` if the task does not wait.
    pub fn why(&self, task: TaskIndex) -> Option<WaitReason> {
        let class = &self.classes[self.links.queued(task)?];
        let ahead = self.ahead(task, class, &self.lines[class.line]);
        Some(self.why_class(class, ahead))
    }

    /// Why tasks of a class wait that have so many before them.
    pub(super) fn why_class(&self, class: &Class, ahead: u64) -> WaitReason {
        let line = &self.lines[class.line];
        let need = &self.needs[class.need];
        let (pool, tenant) = (&self.pools[line.pool], &self.tenants[line.tenant]);
        let name = || pool.name.clone();
        if self.workers.pool(line.pool).all.is_empty() {
            return WaitReason::NoWorkers { pool: name() };
        }
        let has_room = self.has_room(need);
        if !has_room && !self.could_ever_run(need) {
            return WaitReason::NoWorkerMatches { pool: name(), unmet: self.unmet_by(need) };
        }
        if pool.running >= pool.limit.running_max {
            WaitReason::PoolLimit { pool: name(), running: pool.running, max: pool.limit.running_max }
        } else if line.band == Band::Backfill && pool.backfill >= self.backfill_max(line.pool) {
            let (running, max) = (pool.backfill, self.backfill_max(line.pool));
            WaitReason::BackfillShare { pool: name(), running, max }
        } else if tenant.is_at_limit() {
            let (running, max) = (tenant.running, tenant.share.running_max);
            WaitReason::TenantLimit { tenant: tenant.name.clone(), running, max }
        } else if let Some(reason) = self.limit_reason(class) {
            reason
        } else if !has_room {
            WaitReason::NoRoom { pool: name(), ahead }
        } else if ahead > 0 {
            WaitReason::Behind { tasks: ahead }
        } else {
            WaitReason::AboutToBePlaced
        }
    }

    /// Why no worker that is known could run tasks like this, even if it were idle; `None` if one could. Tasks that
    /// only wait need no worker.
    pub fn never_runs(&self, profile: &Profile) -> Option<WaitReason> {
        if profile.waits() {
            return None;
        }
        let wanted = &profile.requirements;
        let known = self.find_pool(&wanted.pool).map(|pool| (pool, &self.workers.pool(pool).all));
        let Some((pool, all)) = known.filter(|(_, all)| !all.is_empty()) else {
            return Some(WaitReason::NoWorkers { pool: wanted.pool.clone() });
        };
        let conditions = Conditions::of(wanted);
        let could = |worker: &PoolWorker| {
            worker.runs(&profile.executor)
                && conditions.hold_for(worker)
                && worker.room.could_fit(&wanted.resources)
        };
        let can_run = all.iter().any(|worker| could(self.workers.at(*worker)));
        (!can_run).then(|| WaitReason::NoWorkerMatches {
            pool: wanted.pool.clone(),
            unmet: self.unmet(pool, &profile.executor, wanted),
        })
    }

    fn limit_reason(&self, class: &Class) -> Option<WaitReason> {
        let (limit, max) = self.full_limit(class)?;
        let limit = &self.limits[limit];
        Some(WaitReason::Limit {
            limit: limit.name.clone(),
            key: limit.key.clone(),
            held: limit.holders.len() as u32,
            max: limit.max_for(max),
            holders: limit.holders.iter().copied().take(HOLDERS_MAX).collect(),
        })
    }

    fn has_room(&self, need: &Need) -> bool {
        match need.outlook {
            Outlook::Closed => false,
            Outlook::Only(worker) => self.workers.fits(worker, need),
            Outlook::Open => self.workers.tightest(need, None).is_some(),
        }
    }

    fn could_ever_run(&self, need: &Need) -> bool {
        let members = &self.workers.groups[need.group].members;
        members
            .iter()
            .map(|member| self.workers.at(*member))
            .any(|worker| worker.runs(&need.executor) && worker.room.could_fit(&need.requirements.resources))
    }

    fn unmet_by(&self, need: &Need) -> Vec<Unmet> {
        self.unmet(need.pool, &need.executor, &need.requirements)
    }

    fn unmet(&self, pool: Id<Pool>, executor: &Name, wanted: &Requirements) -> Vec<Unmet> {
        let all = &self.workers.pool(pool).all;
        let workers = || all.iter().map(|worker| self.workers.at(*worker));
        let labels = wanted.labels.iter().filter(|c| !workers().any(|w| c.holds(w.label(c.key()))));
        let zone =
            (!workers().any(|w| zone_holds(&wanted.zone, w))).then(|| Unmet::Zone(wanted.zone.clone()));
        let executor =
            (!workers().any(|worker| worker.runs(executor))).then(|| Unmet::Executor(executor.clone()));
        let names = ["cpu_milli", "memory_bytes", "disk_bytes", "gpus"].map(Name::fixed);
        let mut most = [0; 4];
        for worker in workers() {
            most = std::array::from_fn(|kind| worker.room.capacity()[kind].max(most[kind]));
        }
        let basic = names.into_iter().zip(basic(&wanted.resources)).zip(most);
        let custom = wanted.resources.custom().iter().map(|(name, amount)| {
            let most = workers().map(|worker| worker.room.custom_capacity(name)).max();
            ((name.clone(), *amount), most.unwrap_or(0))
        });
        let short = basic.chain(custom).filter(|((_, wanted), most)| wanted > most);
        let resources = short.map(|((name, wanted), most)| Unmet::Resource { name, wanted, most });
        labels.cloned().map(Unmet::Label).chain(zone).chain(executor).chain(resources).collect()
    }

    fn ahead(&self, task: TaskIndex, class: &Class, line: &Line) -> u64 {
        self.ahead_of_class(class, line) + self.links.position(&class.fifo, task, WALK_MAX)
    }

    pub(super) fn ahead_of_class(&self, class: &Class, line: &Line) -> u64 {
        let lanes = &self.pools[line.pool].lanes;
        let bands = Band::ALL.iter().filter(|band| **band < line.band).map(|band| lanes[band.index()].queued);
        let levels = (class.level + 1..=LEVEL_MAX).map(|level| u64::from(line.queued[usize::from(level)]));
        bands.chain(levels).sum::<u64>()
    }
}

impl WaitReason {
    pub const fn kind(&self) -> WaitKind {
        match self {
            Self::NoWorkers { .. } => WaitKind::NoWorkers,
            Self::NoWorkerMatches { .. } => WaitKind::NoWorkerMatches,
            Self::PoolLimit { .. } => WaitKind::PoolLimit,
            Self::BackfillShare { .. } => WaitKind::BackfillShare,
            Self::TenantLimit { .. } => WaitKind::TenantLimit,
            Self::Limit { .. } => WaitKind::Limit,
            Self::NoRoom { .. } => WaitKind::NoRoom,
            Self::Behind { .. } => WaitKind::Behind,
            Self::AboutToBePlaced => WaitKind::AboutToBePlaced,
        }
    }

    /// Of the limit that is full.
    pub const fn limit(&self) -> Option<&Name> {
        match self {
            Self::Limit { limit, .. } => Some(limit),
            _ => None,
        }
    }

    /// What the reader can do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::NoWorkers { pool } => {
                format!("start a worker with `--pool {pool}`, or submit to another pool")
            }
            Self::NoWorkerMatches { .. } => "start a worker that has all of it, or ask for less".into(),
            Self::PoolLimit { pool, .. } => format!("wait, or raise `pools.{pool}.running_max`"),
            Self::BackfillShare { .. } => "wait, or raise `backfill.fleet_share_percent`".into(),
            Self::TenantLimit { tenant, .. } => format!("wait, or raise `tenants.{tenant}.running_max`"),
            Self::Limit { limit, .. } => {
                format!("wait until one of the holders ends, or raise `max` of limit `{limit}`")
            }
            Self::NoRoom { pool, .. } => format!("wait, or add workers to pool `{pool}`"),
            Self::Behind { .. } => "wait, or raise its priority".into(),
            Self::AboutToBePlaced => "wait a moment".into(),
        }
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWorkers { pool } => write!(f, "pool `{pool}` has no workers"),
            Self::NoWorkerMatches { pool, unmet } if unmet.is_empty() => {
                write!(f, "no worker of pool `{pool}` has all that it needs")
            }
            Self::NoWorkerMatches { pool, unmet } if matches!(unmet[..], [Unmet::Executor(_)]) => {
                write!(f, "no worker of pool `{pool}` can run {}", unmet[0])
            }
            Self::NoWorkerMatches { pool, unmet } => {
                write!(f, "no worker of pool `{pool}` has ")?;
                for (at, unmet) in unmet.iter().enumerate() {
                    write!(f, "{}{unmet}", if at == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::PoolLimit { pool, running, max } => {
                write!(f, "pool `{pool}` runs {running} of at most {max} tasks")
            }
            Self::BackfillShare { pool, running, max } => {
                write!(f, "backfills run {running} of at most {max} tasks in pool `{pool}`")
            }
            Self::TenantLimit { tenant, running, max } => {
                write!(f, "tenant `{tenant}` runs {running} of at most {max} tasks")
            }
            Self::Limit { limit, key, held, max, .. } => {
                write!(f, "limit `{limit}`")?;
                if !key.is_empty() {
                    write!(f, " of `{key}`")?;
                }
                write!(f, " has {held} of at most {max} holders")
            }
            Self::NoRoom { pool, ahead: 0 } => {
                write!(f, "all matching workers of pool `{pool}` are busy or not accepting work")
            }
            Self::NoRoom { pool, ahead } => write!(
                f,
                "all matching workers of pool `{pool}` are busy or not accepting work, and {ahead} tasks go first"
            ),
            Self::Behind { tasks } => write!(f, "{tasks} tasks go first"),
            Self::AboutToBePlaced => f.write_str("it is about to be placed"),
        }
    }
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(LabelCondition::Is(key, value)) => write!(f, "label `{key}={value}`"),
            Self::Label(LabelCondition::IsNot(key, value)) => {
                write!(f, "a label `{key}` other than `{value}`")
            }
            Self::Label(LabelCondition::Has(key)) => write!(f, "label `{key}`"),
            Self::Zone(zone) => write!(f, "zone `{zone}`"),
            Self::Executor(executor) => write!(f, "executor `{executor}`"),
            Self::Resource { name, wanted, most } => write!(f, "`{name}` of {wanted} (the most is {most})"),
        }
    }
}
