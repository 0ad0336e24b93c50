//! Named and keyed limits: an attempt takes a permit in each limit of its task together with its worker.
//! Entry: `Dispatcher::full_limit` before a placement, `sit` and `stand_up` around an attempt, `rouse` after a change.
//! - PT-1 a class waits at one full limit, together with others of its line, its need and its maximum there
//! - PT-2 while a limit has a permit for such a group, the first of the group is in its line or at its need: so whoever
//!   goes away without taking the permit rouses the next
//! - PT-3 a limit lives as long as a class names it

use std::collections::{BTreeMap, BTreeSet};

use super::Dispatcher;
use super::need::Need;
use super::queue::{Class, Line, Spot, Tenant};
use super::ranked::Ranked;
use crate::collections::Id;
use crate::values::{Name, Permit, Permits, TaskIndex};

#[derive(Debug)]
pub struct Limit {
    pub tenant: Id<Tenant>,
    pub name: Name,
    pub key: Name,
    /// As configured for the name.
    pub max: Option<u32>,
    pub holders: BTreeSet<TaskIndex>,
    /// The maximum that the newest of its classes named.
    pub named: Option<u32>,
    /// Tasks that wait, for this limit or for something else, and need a permit of it.
    pub queued: u64,
    /// How many classes name it.
    pub classes: u32,
    waiting: BTreeMap<PermitGroup, Ranked<(u8, u64, Id<Class>)>>,
}

/// Classes that can take a permit, or not, for the same reasons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct PermitGroup {
    max: Option<u32>,
    line: Id<Line>,
    need: Id<Need>,
}

/// The permits of a class.
#[derive(Debug)]
pub struct Row {
    pub permits: Permits,
    /// In the order of `permits`.
    limits: Box<[Id<Limit>]>,
}

impl Limit {
    /// The lower of what the task and the configuration say.
    pub fn max_for(&self, max: Option<u32>) -> u32 {
        max_of(max, self.max)
    }

    fn has_permit(&self, max: Option<u32>) -> bool {
        self.holders.len() < self.max_for(max) as usize
    }
}

fn max_of(own: Option<u32>, configured: Option<u32>) -> u32 {
    match (own, configured) {
        (Some(own), Some(configured)) => own.min(configured),
        (Some(max), None) | (None, Some(max)) => max,
        (None, None) => 1,
    }
}

impl Row {
    pub fn iter(&self) -> impl Iterator<Item = (&Permit, Id<Limit>)> {
        self.permits.iter().zip(self.limits.iter().copied())
    }
}

impl Dispatcher {
    pub fn set_limit(&mut self, name: &Name, max: Option<u32>) {
        match max {
            Some(max) => self.lookup.limit_max.insert(name.clone(), max),
            None => self.lookup.limit_max.remove(name),
        };
        let named: Vec<Id<Limit>> = self.limits.ids().filter(|id| self.limits[*id].name == *name).collect();
        for id in named {
            self.limits[id].max = max;
            self.rouse(id);
        }
    }

    /// Whether one of the permits is meant for one at a time, or for one at a time of a kind: with a key.
    pub fn is_exclusive(&self, permits: &Permits) -> bool {
        let configured = |permit: &Permit| self.lookup.limit_max.get(&permit.limit).copied();
        permits.iter().any(|permit| !permit.key.is_empty() || max_of(permit.max, configured(permit)) == 1)
    }

    pub(super) fn row_for(&mut self, tenant: Id<Tenant>, permits: &Permits) -> Row {
        let limits = permits.iter().map(|permit| self.limit_for(tenant, permit)).collect();
        Row { permits: permits.clone(), limits }
    }

    fn limit_for(&mut self, tenant: Id<Tenant>, permit: &Permit) -> Id<Limit> {
        let by = (tenant, permit.limit.clone(), permit.key.clone());
        let id = self.lookup.limits.get(&by).copied().unwrap_or_else(|| {
            let id = self.limits.insert(Limit {
                tenant,
                name: permit.limit.clone(),
                key: permit.key.clone(),
                max: self.lookup.limit_max.get(&permit.limit).copied(),
                named: None,
                holders: BTreeSet::new(),
                queued: 0,
                classes: 0,
                waiting: BTreeMap::new(),
            });
            self.lookup.limits.insert(by, id);
            id
        });
        self.limits[id].classes += 1;
        self.limits[id].named = permit.max;
        id
    }

    pub(super) fn drop_row(&mut self, row: &Row) {
        for id in &row.limits {
            self.limits[*id].classes -= 1;
            if self.limits[*id].classes == 0 {
                let limit = self.limits.remove(*id);
                self.lookup.limits.remove(&(limit.tenant, limit.name, limit.key));
            }
        }
    }

    /// A task of this class waits, or no longer does.
    pub(super) fn count_wish(&mut self, id: Id<Class>, waits: bool) {
        let Some(row) = self.classes[id].row.as_deref() else { return };
        for limit in &row.limits {
            let queued = &mut self.limits[*limit].queued;
            *queued = if waits { *queued + 1 } else { *queued - 1 };
        }
    }

    /// The first limit of the class in which it finds no permit.
    pub(super) fn full_limit(&self, class: &Class) -> Option<(Id<Limit>, Option<u32>)> {
        let row = class.row.as_deref()?;
        let full = row.iter().find(|(permit, limit)| !self.limits[*limit].has_permit(permit.max))?;
        Some((full.1, full.0.max))
    }

    /// From its line to a limit that is full.
    pub(super) fn wait_for_permit(&mut self, id: Id<Class>, limit: Id<Limit>, max: Option<u32>) {
        self.take_from_line(id);
        self.put_at_limit(id, limit, max);
        self.rouse_all_of(id, Some(limit));
    }

    fn put_at_limit(&mut self, id: Id<Class>, limit: Id<Limit>, max: Option<u32>) {
        let class = &mut self.classes[id];
        let (level, age) = class.age_key(&self.links);
        class.spot = Spot::AtLimit { limit, max, level, age };
        class.waited_at = Some(limit);
        let group = PermitGroup { max, line: class.line, need: class.need };
        self.limits[limit].waiting.entry(group).or_default().insert((level, age, id));
    }

    pub(super) fn take_from_limit(&mut self, id: Id<Class>) {
        let class = &mut self.classes[id];
        let Spot::AtLimit { limit, max, level, age } = class.spot else { return };
        class.spot = Spot::Out;
        let group = PermitGroup { max, line: class.line, need: class.need };
        let waiting = &mut self.limits[limit].waiting;
        if let Some(ranked) = waiting.get_mut(&group) {
            ranked.remove(&(level, age, id));
            if ranked.is_empty() {
                waiting.remove(&group);
            }
        }
    }

    /// A task of this class has got its worker.
    pub(super) fn sit(&mut self, id: Id<Class>, task: TaskIndex) {
        let Some(row) = self.classes[id].row.as_deref() else { return };
        for limit in &row.limits {
            self.limits[*limit].holders.insert(task);
        }
    }

    pub(super) fn stand_up(&mut self, id: Id<Class>, task: TaskIndex) {
        let Some(row) = self.classes[id].row.as_deref() else { return };
        let limits = row.limits.clone();
        for limit in limits {
            self.limits[limit].holders.remove(&task);
            self.rouse(limit);
        }
    }

    /// The class took a permit, or went away: there may be one for the next.
    pub(super) fn rouse_all_of(&mut self, id: Id<Class>, save: Option<Id<Limit>>) {
        let Some(row) = self.classes[id].row.as_deref() else { return };
        let limits = row.limits.clone();
        limits.into_iter().filter(|limit| Some(*limit) != save).for_each(|limit| self.rouse(limit));
    }

    /// Puts the first of each group that would find a permit back in line.
    fn rouse(&mut self, id: Id<Limit>) {
        let limit = &self.limits[id];
        if limit.waiting.is_empty() {
            return;
        }
        let groups: Vec<PermitGroup> =
            limit.waiting.keys().copied().filter(|group| limit.has_permit(group.max)).collect();
        for group in groups {
            while let Some((level, age, class)) = self.limits[id].waiting.get(&group).and_then(Ranked::first)
            {
                self.take_from_limit(class);
                if self.classes[class].age_key(&self.links) == (level, age) {
                    self.put_in_line(class);
                    break;
                }
                // Its first task has gone since: another may be before it now.
                self.put_at_limit(class, id, group.max);
            }
        }
    }
}
