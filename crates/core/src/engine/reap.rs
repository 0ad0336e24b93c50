//! Lost attempts: what is left when a worker vanishes, taken in small steps, urgent work first.
//! - RP-1 a step ends at most [`REAP_STEP_MAX`] attempts, so that a lost zone does not hold the shard up
//! - RP-2 an attempt that was confirmed meanwhile is not touched
//!
//! The list is soft: after a crash the same attempts are found again when their worker stays silent.

use std::collections::VecDeque;

use super::decide::PanicSubject;
use super::{Batch, Engine, LostWorker};
use crate::task::Task;
use crate::values::{Band, Fence, Session, TaskIndex, WorkerIndex};
use crate::worker::decide::lost::{self, Loss};

/// Attempts ended in one step.
pub const REAP_STEP_MAX: usize = 500;
/// From this many waiting at once it is a mass loss, and what is not urgent comes back spread over time.
pub const MASS_LOSS_MIN: usize = 200;
/// A worker that held more than this when it was lost blames none of them: the odds are against each.
pub const BLAME_HELD_MAX: u32 = 16;
/// Lost workers that are kept to be told of.
const LOST_TOLD_MAX: usize = 100;
#[derive(Clone, Copy, Debug)]
struct Lost {
    index: TaskIndex,
    fence: Fence,
    /// If this has changed since, the worker has spoken for the attempt after all.
    session: Session,
    loss: Loss,
}

#[derive(Debug, Default)]
pub(super) struct Reaping {
    bands: [VecDeque<Lost>; Band::ALL.len()],
    /// Most that waited at once since the list was last empty.
    peak: usize,
}

impl Reaping {
    pub(super) fn push(&mut self, task: &Task, index: TaskIndex, loss: Loss) {
        let Some(lease) = task.lease() else { return };
        let lost = Lost { index, fence: lease.fence, session: lease.soft.session, loss };
        self.bands[task.priority.band.index()].push_back(lost);
        self.peak = self.peak.max(self.len());
    }

    fn pop(&mut self) -> Option<Lost> {
        let lost = self.bands.iter_mut().find_map(VecDeque::pop_front);
        if lost.is_none() {
            self.peak = 0;
        }
        lost
    }

    pub(super) fn len(&self) -> usize {
        self.bands.iter().map(VecDeque::len).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bands.iter().all(VecDeque::is_empty)
    }
}

impl Engine {
    /// No word for a whole lease: everything the worker holds is lost.
    pub(super) fn lose_worker(&mut self, index: WorkerIndex) {
        let Some(worker) = self.workers.get_mut(index) else { return };
        worker.session = None;
        let blamed = worker.holds <= BLAME_HELD_MAX;
        self.counts.workers_lost += 1;
        if self.lost.len() < LOST_TOLD_MAX {
            self.lost.push(LostWorker { id: worker.id, held: worker.holds });
        }
        self.dispatcher.worker_left(index);
        self.timers.set_worker(index, None);
        let held: Vec<TaskIndex> = self.workers.held_by(index).collect();
        for task_slot in held {
            if let Some(task) = self.state.tasks.get(task_slot) {
                self.reaping.push(task, task_slot, Loss::WorkerSilent { blamed });
            }
        }
        self.workers.forget(index);
    }

    pub(super) fn reap(&mut self, batch: &mut Batch) {
        let mass = self.reaping.peak >= MASS_LOSS_MIN;
        let spread = self.reaping.peak;
        for _ in 0..REAP_STEP_MAX {
            let Some(lost) = self.reaping.pop() else { return };
            let spread = mass.then_some(spread);
            self.reap_one(lost, spread, batch);
            self.announce_ends(batch);
        }
    }

    fn reap_one(&mut self, lost: Lost, mass: Option<usize>, batch: &mut Batch) {
        let Some(task) = self.state.tasks.get(lost.index) else { return };
        let Some(lease) = task.lease() else { return };
        if lease.fence != lost.fence || lease.soft.session != lost.session {
            return;
        }
        let (id, index) = (task.id, lost.index);
        let looked = self.look(PanicSubject::Task(id), batch, |view, out| {
            lost::decide(view, index, (lost.loss, mass), out)
        });
        match looked {
            Ok(true) => self.counts.unassigned += 1,
            Ok(false) => self.counts.attempts_lost += 1,
            Err(message) => self.fail_task(id, &message, batch),
        }
    }
}
