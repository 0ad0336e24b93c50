//! From what a task wants to its class: found, or made.
//! Entry: `Dispatcher::class_for`.
//! - LO-1 the usual way compares a fingerprint and a pointer, and neither clones nor compares a name
//!
//! Not here: forgetting what is not used (`forget`).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::group::Conditions;
use super::links::Fifo;
use super::need::Need;
use super::permits::Limit;
use super::queue::{Class, LEVELS, Lane, Line, Pool, Spot, Stand, Tenant};
use super::ranked::Ranked;
use super::{Dispatcher, POOL_DEFAULT, TENANT_DEFAULT, Wants};
use crate::collections::{Id, KeyIndex};
use crate::task::Profile;
use crate::values::{Band, Name, Permits, Priority};

/// Entries of the cache from profiles to classes; a newcomer replaces what was there.
const CACHE: usize = 1024;

/// Line, need, level and permits of a class.
type Seated = (Id<Line>, Id<Need>, u8, Permits);

#[derive(Debug, Default)]
pub struct Lookup {
    pub tenants: KeyIndex<Name, Id<Tenant>>,
    pub pools: KeyIndex<Name, Id<Pool>>,
    pub lines: KeyIndex<(Id<Tenant>, Id<Pool>, Band), Id<Line>>,
    pub classes: KeyIndex<(Id<Line>, Id<Need>, u8), Id<Class>>,
    /// Classes with permits.
    pub seated: KeyIndex<Seated, Id<Class>>,
    pub limits: KeyIndex<(Id<Tenant>, Name, Name), Id<Limit>>,
    /// Maxima of limits that are configured.
    pub limit_max: BTreeMap<Name, u32>,
    cache: Vec<Option<Cached>>,
    pub idle: VecDeque<Id<Class>>,
    serial: u64,
}

#[derive(Debug)]
struct Cached {
    profile: Arc<Profile>,
    priority: Priority,
    memory_bytes: Option<u64>,
    class: Id<Class>,
    serial: u64,
}

impl Cached {
    fn answers(&self, wants: &Wants<'_>) -> bool {
        self.priority == wants.priority
            && self.memory_bytes == wants.memory_bytes
            && *self.profile == **wants.profile
    }
}

fn cache_cell(wants: &Wants<'_>) -> usize {
    let memory = wants.memory_bytes.unwrap_or(0);
    let rest = u64::from(wants.priority.level()) << 2 | wants.priority.band.index() as u64;
    let mixed = wants.profile.fingerprint() ^ (memory ^ rest).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32) as usize % CACHE
}

impl Dispatcher {
    pub(super) fn class_for(&mut self, wants: &Wants<'_>) -> Id<Class> {
        if wants.permits.is_some() {
            return self.class_by_parts(wants);
        }
        let cell = cache_cell(wants);
        if let Some(Some(cached)) = self.lookup.cache.get(cell)
            && self.classes.get(cached.class).is_some_and(|class| class.serial == cached.serial)
            && cached.answers(wants)
        {
            return cached.class;
        }
        let class = self.class_by_parts(wants);
        if self.lookup.cache.is_empty() {
            self.lookup.cache.resize_with(CACHE, || None);
        }
        self.lookup.cache[cell] = Some(Cached {
            profile: Arc::clone(wants.profile),
            priority: wants.priority,
            memory_bytes: wants.memory_bytes,
            class,
            serial: self.classes[class].serial,
        });
        class
    }

    fn class_by_parts(&mut self, wants: &Wants<'_>) -> Id<Class> {
        let pool = self.pool_for(&wants.profile.requirements.pool);
        let tenant = self.tenant_for(&wants.profile.tenant);
        let need = self.need_for(pool, wants.profile, wants.memory_bytes);
        let line = self.line_for(tenant, pool, wants.priority.band);
        let level = wants.priority.level();
        let known = match wants.permits {
            None => self.lookup.classes.get(&(line, need, level)),
            Some(permits) => self.lookup.seated.get(&(line, need, level, permits.clone())),
        };
        if let Some(class) = known {
            return *class;
        }
        let row = wants.permits.map(|permits| Box::new(self.row_for(tenant, permits)));
        self.lookup.serial += 1;
        let class = self.classes.insert(Class {
            line,
            need,
            level,
            fifo: Fifo::default(),
            held: 0,
            row,
            spot: Spot::Out,
            waited_at: None,
            in_idle: false,
            serial: self.lookup.serial,
        });
        self.needs[need].classes += 1;
        self.lines[line].classes += 1;
        match wants.permits {
            None => self.lookup.classes.insert((line, need, level), class),
            Some(permits) => self.lookup.seated.insert((line, need, level, permits.clone()), class),
        };
        class
    }

    pub(super) fn forget_class_key(&mut self, class: &Class) {
        let Class { line, need, level, row, .. } = class;
        match row {
            None => self.lookup.classes.remove(&(*line, *need, *level)),
            Some(row) => self.lookup.seated.remove(&(*line, *need, *level, row.permits.clone())),
        };
    }

    pub(super) fn find_pool(&self, name: &Name) -> Option<Id<Pool>> {
        self.lookup.pools.get(name).copied()
    }

    pub(super) fn pool_for(&mut self, name: &Name) -> Id<Pool> {
        if let Some(pool) = self.find_pool(name) {
            return pool;
        }
        let pool = self.pools.insert(Pool {
            name: name.clone(),
            limit: POOL_DEFAULT,
            running: 0,
            backfill: 0,
            queued: 0,
            lanes: <[Lane; Band::ALL.len()]>::default(),
            needs: BTreeMap::new(),
        });
        self.workers.add_pool(pool);
        self.lookup.pools.insert(name.clone(), pool);
        pool
    }

    pub(super) fn tenant_for(&mut self, name: &Name) -> Id<Tenant> {
        if let Some(tenant) = self.lookup.tenants.get(name) {
            return *tenant;
        }
        let tenant = self.tenants.insert(Tenant {
            name: name.clone(),
            share: TENANT_DEFAULT,
            running: 0,
            lines: 0,
            at_limit: Vec::new(),
        });
        self.lookup.tenants.insert(name.clone(), tenant);
        tenant
    }

    fn line_for(&mut self, tenant: Id<Tenant>, pool: Id<Pool>, band: Band) -> Id<Line> {
        if let Some(line) = self.lookup.lines.get(&(tenant, pool, band)) {
            return *line;
        }
        let line = self.lines.insert(Line {
            tenant,
            pool,
            band,
            pass: 0,
            stand: Stand::Out,
            order: Ranked::default(),
            classes: 0,
            queued: [0; LEVELS],
            placed: 0,
            running: 0,
        });
        self.tenants[tenant].lines += 1;
        self.lookup.lines.insert((tenant, pool, band), line);
        line
    }

    fn need_for(&mut self, pool: Id<Pool>, profile: &Profile, memory: Option<u64>) -> Id<Need> {
        let (executor, of_profile) = (&profile.executor, &profile.requirements);
        let changed = memory.filter(|memory| *memory != of_profile.resources.memory_bytes).map(|memory| {
            let mut requirements = of_profile.clone();
            requirements.resources.memory_bytes = memory;
            requirements
        });
        let requirements = changed.as_ref().unwrap_or(of_profile);
        if let Some(need) = self.pools[pool].needs.get(executor).and_then(|needs| needs.get(requirements)) {
            return *need;
        }
        let requirements = Arc::new(requirements.clone());
        let group = self.workers.group_for(pool, Conditions::of(&requirements));
        self.workers.groups[group].needs += 1;
        let need = self.needs.insert(Need::new(pool, group, executor.clone(), Arc::clone(&requirements)));
        self.pools[pool].needs.entry(executor.clone()).or_default().insert(requirements, need);
        need
    }
}
