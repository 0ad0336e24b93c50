//! The free room of the fleet: who is in which group, and how much each has left.
//! Entry: [`WorkerRoom`].
//! - DW-1 a worker is listed on the shelves of its groups exactly while it could take something
//! - DW-2 a slot that a worker has left gets a new generation, so that late releases miss its successor
//!
//! Not here: the choice of a worker (`choose`), queues and limits (`place`), waking those who wait for room (`wake`).

use super::group::{Conditions, DispatchGroup, PoolWorkers};
use super::links::Held;
use super::need::Need;
use super::queue::Pool;
use super::room::{Amounts, Room};
use super::shelf::{Shelf, ShelfEntry};
use crate::collections::{Id, Slab};
use crate::values::{Name, WorkerIndex};
use crate::worker::WorkerOffer;

#[derive(Debug)]
pub struct PoolWorker {
    pub room: Room,
    pub generation: u32,
    listed: bool,
    accepting: bool,
    pool: Option<Id<Pool>>,
    pub groups: Vec<Id<DispatchGroup>>,
    pub labels: Vec<(Name, Name)>,
    pub zone: Name,
    /// Empty: any.
    executors: Vec<Name>,
}

impl PoolWorker {
    fn unknown() -> Self {
        Self {
            room: Room::default(),
            generation: 0,
            listed: false,
            accepting: true,
            pool: None,
            groups: Vec::new(),
            labels: Vec::new(),
            zone: Name::default(),
            executors: Vec::new(),
        }
    }

    pub fn runs(&self, executor: &Name) -> bool {
        self.executors.is_empty() || self.executors.contains(executor)
    }

    pub fn label(&self, key: &Name) -> Option<&Name> {
        self.labels.iter().find(|(have, _)| have == key).map(|(_, value)| value)
    }

    pub const fn is_listed(&self) -> bool {
        self.listed
    }

    pub fn pool(&self) -> Option<Id<Pool>> {
        self.pool
    }

    fn could_take(&self) -> bool {
        self.pool.is_some() && self.accepting && self.room.is_open()
    }
}

#[derive(Debug, Default)]
pub struct WorkerRoom {
    records: Vec<PoolWorker>,
    pub groups: Slab<DispatchGroup>,
    pools: Vec<PoolWorkers>,
}

impl WorkerRoom {
    pub fn pool(&self, pool: Id<Pool>) -> &PoolWorkers {
        &self.pools[pool.index()]
    }

    pub fn add_pool(&mut self, pool: Id<Pool>) {
        if self.pools.len() <= pool.index() {
            self.pools.resize_with(pool.index() + 1, PoolWorkers::default);
        }
    }

    pub fn worker(&self, slot: WorkerIndex) -> Option<&PoolWorker> {
        self.records.get(slot.index())
    }

    /// A worker of which the number came from a group or shelf.
    pub fn at(&self, number: u32) -> &PoolWorker {
        &self.records[number as usize]
    }

    /// The record of a slot; a worker may hold attempts before it has said hello.
    pub fn record(&mut self, slot: WorkerIndex) -> &mut PoolWorker {
        if self.records.len() <= slot.index() {
            self.records.resize_with(slot.index() + 1, PoolWorker::unknown);
        }
        &mut self.records[slot.index()]
    }

    pub fn join(&mut self, slot: WorkerIndex, pool: Id<Pool>, offer: &WorkerOffer) {
        self.detach(slot);
        let worker = self.record(slot);
        worker.room.set_offer(offer);
        worker.labels.clone_from(&offer.labels);
        worker.zone = offer.zone.clone();
        worker.executors.clone_from(&offer.executors);
        worker.pool = Some(pool);
        self.attach(slot, pool);
    }

    pub fn leave(&mut self, slot: WorkerIndex) {
        self.detach(slot);
        let worker = self.record(slot);
        *worker = PoolWorker { generation: worker.generation.wrapping_add(1), ..PoolWorker::unknown() };
    }

    pub fn set_accepting(&mut self, slot: WorkerIndex, accepting: bool) {
        self.record(slot).accepting = accepting;
        self.relist(slot, None);
    }

    /// Takes the room of one attempt, even if that overdraws the worker.
    pub fn take(&mut self, slot: WorkerIndex, need: &Need) {
        self.change(slot, need, |room| {
            room.take_slot();
            if !need.is_plain {
                room.take(&need.requirements.resources);
            }
        });
    }

    /// Gives the room of one attempt back, unless its worker has left.
    pub fn give(&mut self, held: Held, need: &Need) {
        if self.record(held.worker).generation != held.generation {
            return;
        }
        self.change(held.worker, need, |room| {
            room.give_slot();
            if !need.is_plain {
                room.give(&need.requirements.resources);
            }
        });
    }

    pub fn group_for(&mut self, pool: Id<Pool>, conditions: Conditions) -> Id<DispatchGroup> {
        if let Some(id) = self.pools[pool.index()].groups.get(&conditions) {
            return *id;
        }
        let home = &mut self.pools[pool.index()];
        let mut group = home.new_group(pool, conditions);
        let members = home.candidates(&group);
        group.members =
            members.into_iter().filter(|w| group.conditions.hold_for(&self.records[*w as usize])).collect();
        let id = self.groups.insert(group);
        let group = &mut self.groups[id];
        home.add_group(id, group);
        let mut entries = Vec::new();
        for number in &group.members {
            let worker = &mut self.records[*number as usize];
            worker.groups.push(id);
            if worker.listed {
                entries.push(entry(*number, worker, group.conditions.first_custom()));
            }
        }
        group.shelf = Shelf::filled(entries);
        id
    }

    pub fn drop_group(&mut self, id: Id<DispatchGroup>) {
        let group = self.groups.remove(id);
        self.pools[group.pool.index()].drop_group(id, &group);
        for number in &group.members {
            self.records[*number as usize].groups.retain(|other| *other != id);
        }
    }

    fn attach(&mut self, slot: WorkerIndex, pool: Id<Pool>) {
        let worker = &mut self.records[slot.index()];
        let home = &mut self.pools[pool.index()];
        home.add_worker(slot.0, worker);
        for id in home.groups_near(worker) {
            if self.groups[id].conditions.hold_for(worker) {
                self.groups[id].members.insert(slot.0);
                worker.groups.push(id);
            }
        }
        self.relist(slot, None);
    }

    fn detach(&mut self, slot: WorkerIndex) {
        let Some(pool) = self.record(slot).pool.take() else { return };
        self.relist_in(slot, pool, None);
        let worker = &mut self.records[slot.index()];
        self.pools[pool.index()].drop_worker(slot.0, worker);
        for id in worker.groups.drain(..) {
            self.groups[id].members.remove(&slot.0);
        }
    }

    fn change(&mut self, slot: WorkerIndex, need: &Need, change: impl FnOnce(&mut Room)) {
        let worker = self.record(slot);
        if need.is_plain || !worker.listed {
            change(&mut worker.room);
            self.relist(slot, None);
            return;
        }
        let before = worker.room.free(None);
        change(&mut worker.room);
        self.relist(slot, Some(before));
    }

    /// Brings the shelves in line with the room; `before` is what was free if that has changed.
    fn relist(&mut self, slot: WorkerIndex, before: Option<Amounts>) {
        if let Some(pool) = self.records[slot.index()].pool {
            self.relist_in(slot, pool, before);
        }
    }

    fn relist_in(&mut self, slot: WorkerIndex, pool: Id<Pool>, before: Option<Amounts>) {
        let worker = &mut self.records[slot.index()];
        let (was, is) = (worker.listed, worker.could_take());
        if was == is && (before.is_none() || !is) {
            return;
        }
        worker.listed = is;
        let old = ShelfEntry { free: before.unwrap_or_else(|| worker.room.free(None)), worker: slot.0 };
        for id in &worker.groups {
            let group = &mut self.groups[*id];
            if was {
                group.shelf.remove(&old);
            }
            if is {
                group.shelf.insert(entry(slot.0, worker, group.conditions.first_custom()));
            }
        }
        let open = &mut self.pools[pool.index()].open;
        *open = *open + u32::from(is) - u32::from(was);
    }
}

fn entry(number: u32, worker: &PoolWorker, custom: Option<&Name>) -> ShelfEntry {
    ShelfEntry { free: worker.room.free(custom), worker: number }
}
