//! How named limits are used: how many hold a permit, how many wait that need one.
//! Entry: `Dispatcher::limit_loads`.
//! - LU-1 at most [`SCAN_MAX`] limits are looked at: a limit with a key for every customer has one for each of them

use std::collections::BTreeMap;

use super::Dispatcher;
use super::permits::Limit;
use super::why::HOLDERS_MAX;
use crate::values::{Name, TaskIndex};

/// Limits looked at for one answer.
const SCAN_MAX: usize = 100_000;
/// Keys of one limit that are named, those with the most waiting tasks first.
pub const KEYS_MAX: usize = 10;

/// All that is named by a task that waits or runs, or by the configuration.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LimitLoads {
    /// By tenant and name.
    pub limits: Vec<LimitLoad>,
    /// Not all were looked at.
    pub more: bool,
}

/// One limit of a tenant, over all of its keys.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LimitLoad {
    /// Empty for a limit that is configured and not in use.
    pub tenant: Name,
    pub limit: Name,
    /// For each key, if the configuration says so.
    pub configured: Option<u32>,
    pub keys: u64,
    /// Keys, or the limit itself, that have no permit left.
    pub full: u64,
    pub held: u64,
    /// Tasks that wait and need a permit.
    pub queued: u64,
    /// The first ones.
    pub holders: Vec<TaskIndex>,
    /// At most [`KEYS_MAX`].
    pub busiest: Vec<KeyLoad>,
}

/// One key of a limit; empty for a limit without keys.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct KeyLoad {
    pub queued: u64,
    pub held: u64,
    pub key: Name,
    pub max: u32,
}

impl LimitLoad {
    fn add(&mut self, limit: &Limit) {
        let max = limit.max_for(limit.named);
        let held = limit.holders.len() as u64;
        self.keys += 1;
        self.full += u64::from(held >= u64::from(max));
        self.held += held;
        self.queued += limit.queued;
        let room = HOLDERS_MAX - self.holders.len();
        self.holders.extend(limit.holders.iter().take(room));
        self.name_key(KeyLoad { queued: limit.queued, held, key: limit.key.clone(), max });
    }

    /// Keeps the busiest ones.
    pub fn name_key(&mut self, key: KeyLoad) {
        let place = self.busiest.partition_point(|known| *known > key);
        self.busiest.insert(place, key);
        self.busiest.truncate(KEYS_MAX);
    }
}

impl Dispatcher {
    pub fn limit_loads(&self) -> LimitLoads {
        let mut found: BTreeMap<(&Name, &Name), LimitLoad> = BTreeMap::new();
        for limit in self.limits.iter().take(SCAN_MAX) {
            let tenant = &self.tenants[limit.tenant].name;
            let usage = found.entry((tenant, &limit.name)).or_insert_with(|| LimitLoad {
                tenant: tenant.clone(),
                limit: limit.name.clone(),
                configured: limit.max,
                ..LimitLoad::default()
            });
            usage.add(limit);
        }
        let unused =
            self.lookup.limit_max.iter().filter(|(name, _)| !found.keys().any(|(_, known)| known == name));
        let unused = unused.map(|(name, max)| LimitLoad {
            limit: name.clone(),
            configured: Some(*max),
            ..LimitLoad::default()
        });
        let mut limits: Vec<LimitLoad> = unused.collect();
        limits.extend(found.into_values());
        LimitLoads { limits, more: self.limits.iter().nth(SCAN_MAX).is_some() }
    }
}
