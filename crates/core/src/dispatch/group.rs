//! Groups: the workers of a pool that satisfy one set of conditions, in the order of their free room.
//! Entry: [`DispatchGroup`], [`Conditions`], and [`PoolWorkers`], which finds the groups of a worker.
//! - DG-1 a worker is in every group of its pool whose conditions it satisfies, and in no other
//! - DG-2 labels that no requirement mentions cost nothing: there is no group for them
//!
//! A worker pays for each group it is in, whenever its room changes; so one group for each set of
//! conditions in use, not one for each task or requirement.

use std::collections::{BTreeMap, BTreeSet};

use super::need::Need;
use super::queue::Pool;
use super::shelf::Shelf;
use super::workers::PoolWorker;
use crate::collections::{Id, KeyIndex};
use crate::values::{LabelCondition, Name, Requirements};

/// What a worker must be or have, apart from amounts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Conditions {
    labels: Vec<LabelCondition>,
    zone: Name,
    /// Needs of rare resources have their own groups: else a search would wade through workers without any.
    gpus: bool,
    custom: Vec<Name>,
}

impl Conditions {
    pub fn of(requirements: &Requirements) -> Self {
        let labels: BTreeSet<_> = requirements.labels.iter().cloned().collect();
        Self {
            labels: labels.into_iter().collect(),
            zone: requirements.zone.clone(),
            gpus: requirements.resources.gpus > 0,
            custom: requirements.resources.custom().iter().map(|(name, _)| name.clone()).collect(),
        }
    }

    pub fn hold_for(&self, worker: &PoolWorker) -> bool {
        let [.., gpus] = worker.room.capacity();
        zone_holds(&self.zone, worker)
            && (!self.gpus || gpus > 0)
            && self.custom.iter().all(|name| worker.room.custom_capacity(name) > 0)
            && self.labels.iter().all(|condition| condition.holds(worker.label(condition.key())))
    }

    /// The custom resource shown on the shelf of the group.
    pub fn first_custom(&self) -> Option<&Name> {
        self.custom.first()
    }

    /// Labels that every worker of the group has; the zone counts as a label without a key.
    fn certain(&self) -> impl Iterator<Item = Label> {
        let zone = (!self.zone.is_empty()).then(|| zone_label(&self.zone));
        let labels = self.labels.iter().filter_map(|condition| match condition {
            LabelCondition::Is(key, value) => Some((key.clone(), value.clone())),
            LabelCondition::IsNot(..) | LabelCondition::Has(_) => None,
        });
        zone.into_iter().chain(labels)
    }
}

pub fn zone_holds(wanted: &Name, worker: &PoolWorker) -> bool {
    wanted.is_empty() || *wanted == worker.zone
}

type Label = (Name, Name);

fn zone_label(zone: &Name) -> Label {
    (Name::default(), zone.clone())
}

#[derive(Debug)]
pub struct DispatchGroup {
    pub pool: Id<Pool>,
    pub conditions: Conditions,
    pub members: BTreeSet<u32>,
    pub shelf: Shelf,
    /// Needs that wait for room here, by their need of cpu.
    pub watch: BTreeSet<(u64, Id<Need>)>,
    /// How many needs look for room here.
    pub needs: u32,
    /// The label under which `PoolWorkers` keeps it.
    anchor: Option<Label>,
}

/// The workers of one pool and its groups.
#[derive(Debug, Default)]
pub struct PoolWorkers {
    pub all: BTreeSet<u32>,
    /// How many could take something: accepting, with a free slot, not overdrawn.
    pub open: u32,
    /// Of all its workers, free or not.
    pub slots: u64,
    pub groups: BTreeMap<Conditions, Id<DispatchGroup>>,
    by_label: KeyIndex<Label, BTreeSet<u32>>,
    anchored: KeyIndex<Label, BTreeSet<Id<DispatchGroup>>>,
    unanchored: BTreeSet<Id<DispatchGroup>>,
}

impl PoolWorkers {
    pub fn is_unused(&self) -> bool {
        self.all.is_empty() && self.groups.is_empty()
    }

    /// A group without members yet, anchored at the rarest label its workers must have.
    pub fn new_group(&self, pool: Id<Pool>, conditions: Conditions) -> DispatchGroup {
        let anchor =
            conditions.certain().min_by_key(|label| self.by_label.get(label).map_or(0, BTreeSet::len));
        DispatchGroup {
            pool,
            conditions,
            members: BTreeSet::new(),
            shelf: Shelf::default(),
            watch: BTreeSet::new(),
            needs: 0,
            anchor,
        }
    }

    pub fn add_group(&mut self, id: Id<DispatchGroup>, group: &DispatchGroup) {
        self.groups.insert(group.conditions.clone(), id);
        match &group.anchor {
            Some(label) => add(&mut self.anchored, label, id),
            None => _ = self.unanchored.insert(id),
        }
    }

    pub fn drop_group(&mut self, id: Id<DispatchGroup>, group: &DispatchGroup) {
        self.groups.remove(&group.conditions);
        match &group.anchor {
            Some(label) => take(&mut self.anchored, label, &id),
            None => _ = self.unanchored.remove(&id),
        }
    }

    /// At least all workers that satisfy the conditions of the group.
    pub fn candidates(&self, group: &DispatchGroup) -> Vec<u32> {
        match &group.anchor {
            Some(label) => self.by_label.get(label).into_iter().flatten().copied().collect(),
            None => self.all.iter().copied().collect(),
        }
    }

    /// At least all groups whose conditions the worker satisfies.
    pub fn groups_near(&self, worker: &PoolWorker) -> BTreeSet<Id<DispatchGroup>> {
        let anchored = labels_of(worker).filter_map(|label| self.anchored.get(&label)).flatten();
        anchored.chain(&self.unanchored).copied().collect()
    }

    pub fn add_worker(&mut self, number: u32, worker: &PoolWorker) {
        self.all.insert(number);
        self.slots += u64::from(worker.room.slots());
        labels_of(worker).for_each(|label| add(&mut self.by_label, &label, number));
    }

    pub fn drop_worker(&mut self, number: u32, worker: &PoolWorker) {
        self.all.remove(&number);
        self.slots -= u64::from(worker.room.slots());
        labels_of(worker).for_each(|label| take(&mut self.by_label, &label, &number));
    }
}

fn labels_of(worker: &PoolWorker) -> impl Iterator<Item = Label> {
    worker.labels.iter().cloned().chain(std::iter::once(zone_label(&worker.zone)))
}

fn add<T: Ord>(index: &mut KeyIndex<Label, BTreeSet<T>>, label: &Label, value: T) {
    if let Some(set) = index.get_mut(label) {
        set.insert(value);
    } else {
        index.insert(label.clone(), BTreeSet::from([value]));
    }
}

fn take<T: Ord>(index: &mut KeyIndex<Label, BTreeSet<T>>, label: &Label, value: &T) {
    if let Some(set) = index.get_mut(label) {
        set.remove(value);
        if set.is_empty() {
            index.remove(label);
        }
    }
}
