//! Workers that have said hello, and which attempts each answers for.
//! - FL-1 soft state: rebuilt from the leases in the shard and from what workers say. Cordons are durable (`cordon`)
//! - FL-2 an attempt is held by exactly one worker, from its grant until its end
//! - FL-3 a worker is lost only after a full lease without a word, counted from the start of this epoch at
//!   the earliest, and from the end of the last stall of the server (`engine::attention`)
//!
//! Not here: room and placement (`dispatch`), what follows a loss (`engine::reap`).

pub(crate) mod cordon;
pub mod decide;
mod held;

use std::collections::BTreeMap;

pub use self::cordon::{Cordon, CordonEvent, CordonLifted, Cordons};
use self::held::HeldLists;
use crate::values::{Elapsed, Incarnation, Name, Resources, Session, TaskIndex, WorkerId, WorkerIndex};

/// What a worker has to give.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkerOffer {
    pub pool: Name,
    /// How many attempts it runs at once.
    pub slots: u32,
    pub capacity: Resources,
    pub labels: Vec<(Name, Name)>,
    pub zone: Name,
    /// What it can run, as tasks name it; empty: it did not say, and is given anything.
    pub executors: Vec<Name>,
}

/// Most executors of one worker.
pub const EXECUTORS_MAX: usize = 64;

#[derive(Clone, Debug)]
pub struct Worker {
    pub id: WorkerId,
    /// `None` while it is not connected.
    pub session: Option<Session>,
    /// The highest session seen; older ones are not listened to.
    pub newest_session: Session,
    pub incarnation: Incarnation,
    pub heard: Elapsed,
    /// As operators want it: what [`Cordons`] say of it.
    pub availability: Availability,
    /// It said that it stops; its next hello says otherwise.
    pub leaving: bool,
    pub offer: WorkerOffer,
    pub holds: u32,
}

/// Whether a worker gets new work. What it runs goes on in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Availability {
    #[default]
    Open,
    /// Nothing new, for as long as an operator wants.
    Cordoned,
    /// Nothing new: it is to become empty and leave. The worker is told.
    Draining,
}

impl Worker {
    /// Whether it may get new work.
    pub fn accepts(&self) -> bool {
        self.session.is_some() && !self.leaving && self.availability == Availability::Open
    }
}

#[derive(Debug, Default)]
pub struct Workers {
    by_id: BTreeMap<WorkerId, WorkerIndex>,
    list: Vec<Option<Worker>>,
    free: Vec<WorkerIndex>,
    held: HeldLists,
}

impl Workers {
    pub fn find(&self, id: WorkerId) -> Option<WorkerIndex> {
        self.by_id.get(&id).copied()
    }

    pub fn get(&self, index: WorkerIndex) -> Option<&Worker> {
        self.list.get(index.index()).and_then(Option::as_ref)
    }

    pub fn get_mut(&mut self, index: WorkerIndex) -> Option<&mut Worker> {
        self.list.get_mut(index.index()).and_then(Option::as_mut)
    }

    /// By id.
    pub fn iter(&self) -> impl Iterator<Item = (WorkerIndex, &Worker)> {
        self.by_id.values().filter_map(|index| Some((*index, self.get(*index)?)))
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The worker's place, made if it has none; one that was never heard of is not connected.
    pub fn place_of(&mut self, id: WorkerId, now: Elapsed) -> WorkerIndex {
        if let Some(index) = self.find(id) {
            return index;
        }
        let worker = Worker {
            id,
            session: None,
            newest_session: Session::ZERO,
            incarnation: Incarnation::ZERO,
            heard: now,
            availability: Availability::Open,
            leaving: false,
            offer: WorkerOffer::default(),
            holds: 0,
        };
        let index = self.free.pop().unwrap_or_else(|| {
            self.list.push(None);
            WorkerIndex(self.list.len() as u32 - 1)
        });
        self.list[index.index()] = Some(worker);
        self.by_id.insert(id, index);
        index
    }

    /// Forgets a worker that is gone and holds nothing.
    pub fn forget(&mut self, index: WorkerIndex) -> bool {
        match self.get(index) {
            Some(worker) if worker.session.is_none() && worker.holds == 0 => {
                let id = worker.id;
                self.by_id.remove(&id);
                self.list[index.index()] = None;
                self.free.push(index);
                true
            }
            Some(_) | None => false,
        }
    }

    pub fn hold(&mut self, task: TaskIndex, worker: WorkerIndex) {
        self.held.add(task, worker);
        if let Some(worker) = self.get_mut(worker) {
            worker.holds += 1;
        }
    }

    /// The attempt has ended; answers who held it.
    pub fn release(&mut self, task: TaskIndex) -> Option<WorkerIndex> {
        let index = self.held.remove(task)?;
        if let Some(worker) = self.get_mut(index) {
            worker.holds -= 1;
        }
        Some(index)
    }

    pub fn holder(&self, task: TaskIndex) -> Option<WorkerIndex> {
        self.held.holder(task)
    }

    /// What a worker answers for, in order of grant.
    pub fn held_by(&self, worker: WorkerIndex) -> impl Iterator<Item = TaskIndex> + '_ {
        self.held.of(worker)
    }
}
