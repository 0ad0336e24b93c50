//! The durable state of one shard, as folding its journal gives it; beside it what the next cut must write, and what is soft.
//! - SH-1 only `state::apply` changes it, save for fields marked soft
//! - SH-2 `dirty` names every task touched since the last cut, once

mod amend;
mod apply;
mod links;
mod stored;

pub(crate) use self::apply::apply;
pub use self::apply::{Change, fold};
pub use self::stored::{Changed, EntityTables};
use crate::backfill::Backfills;
use crate::key::KeyTable;
use crate::operation::Operations;
use crate::run::JobRuns;
use crate::schedule::Schedules;
use crate::task::{Payload, Status, Task, TaskTable};
use crate::trigger::Triggers;
use crate::values::{Elapsed, Epoch, Fence, Now, Seq, Stamp, TaskId, TaskIndex};
use crate::worker::Cordons;

#[derive(Debug, Default)]
pub struct State {
    pub epoch: Epoch,
    /// The record being built or replayed.
    pub seq: Seq,
    /// The instant of that record.
    pub now: Now,
    /// Fences granted in this epoch.
    pub fences: u32,
    pub(crate) operations: Operations,
    pub(crate) tasks: TaskTable,
    pub(crate) keys: KeyTable,
    pub(crate) job_runs: JobRuns,
    pub(crate) schedules: Schedules,
    pub(crate) backfills: Backfills,
    pub(crate) triggers: Triggers,
    pub(crate) cordons: Cordons,
    counts: [u64; Status::ALL.len()],
    payload_bytes: u64,
    dirty: Vec<TaskIndex>,
    revived: Vec<TaskId>,
    /// The record at which the last cut was made.
    cut: Seq,
}

impl State {
    pub fn tasks(&self) -> &TaskTable {
        &self.tasks
    }

    pub fn keys(&self) -> &KeyTable {
        &self.keys
    }

    pub fn job_runs(&self) -> &JobRuns {
        &self.job_runs
    }

    /// For whoever loads rows.
    pub fn job_runs_mut(&mut self) -> &mut JobRuns {
        &mut self.job_runs
    }

    pub fn schedules(&self) -> &Schedules {
        &self.schedules
    }

    pub fn backfills(&self) -> &Backfills {
        &self.backfills
    }

    pub fn triggers(&self) -> &Triggers {
        &self.triggers
    }

    pub fn cordons(&self) -> &Cordons {
        &self.cordons
    }

    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    /// When the events of the record being built or replayed are folded.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { seq: self.seq, cut: self.cut, now: self.now }
    }

    /// Tasks in memory by status; ended ones count until they leave.
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status.index()]
    }

    pub fn unfinished(&self) -> u64 {
        Status::ALL.into_iter().filter(|status| !status.is_ended()).map(|status| self.count(status)).sum()
    }

    /// Bytes of all payloads in memory.
    pub fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// The fence that the next grant gets.
    pub fn next_fence(&self) -> Fence {
        Fence::new(self.epoch, self.fences + 1)
    }

    /// Begins a record: everything applied from here on belongs to it.
    pub fn begin(&mut self, seq: Seq, now: Now) {
        debug_assert!(now.elapsed >= self.now.elapsed, "elapsed time never goes back");
        self.seq = seq;
        self.now = now;
    }

    /// Puts a task into memory that the tables hold: at recovery, or when a parked one is needed.
    pub fn load(&mut self, task: Task) -> TaskIndex {
        debug_assert!(self.tasks.find(task.id).is_none(), "memory wins over a loaded row");
        self.counts[task.status().index()] += 1;
        self.payload_bytes += task.payload.len() as u64;
        self.tasks.insert(task)
    }

    /// Takes a task out of memory; the tables answer for it from now on.
    pub fn unload(&mut self, index: TaskIndex) -> Option<Task> {
        let task = self.tasks.remove(index)?;
        self.counts[task.status().index()] -= 1;
        self.payload_bytes -= task.payload.len() as u64;
        Some(task)
    }

    /// The worker took the attempt and began it then. Soft: no event, so neither version nor `touched` moves. Says whether
    /// this is new.
    pub(crate) fn accept(&mut self, index: TaskIndex, began: Elapsed) -> bool {
        let Some(lease) = self.tasks.get_mut(index).and_then(|task| task.state.lease_mut()) else {
            return false;
        };
        let before = lease.soft.accepted.replace(began);
        if let Some(before) = before {
            lease.soft.accepted = Some(before.min(began));
            return false;
        }
        self.counts[Status::Assigned.index()] -= 1;
        self.counts[Status::Running.index()] += 1;
        true
    }

    pub(crate) fn insert(&mut self, task: Task) -> TaskIndex {
        let index = self.load(task);
        self.dirty.push(index);
        index
    }

    pub(crate) fn replace_payload(&mut self, index: TaskIndex, payload: &Payload) {
        let Some(task) = self.tasks.get_mut(index) else { return };
        self.payload_bytes = self.payload_bytes + payload.len() as u64 - task.payload.len() as u64;
        task.payload = payload.clone();
    }

    pub(crate) fn note_revived(&mut self, id: TaskId) {
        self.revived.push(id);
    }

    /// Marks a task as changed by the current record and keeps the counts.
    pub(crate) fn touch(&mut self, index: TaskIndex, from: Status, to: Status) {
        self.counts[from.index()] -= 1;
        self.counts[to.index()] += 1;
        let (seq, cut) = (self.seq, self.cut);
        let task = self.tasks.get_mut(index).expect("EV-1: a touched task is in memory");
        if task.touched <= cut {
            self.dirty.push(index);
        }
        task.touched = seq;
    }
}
