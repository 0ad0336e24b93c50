//! Tasks leave memory when the tables can answer for them, and come back when they are needed.
//! - PG-1 memory always wins over a loaded row
//! - PG-2 only a pending task whose row is current may be parked; only an ended one may be dropped

use super::Engine;
use crate::collections::Soft;
use crate::state::{Changed, EntityTables};
use crate::task::{Task, TaskState, next_deadline};
use crate::values::{RunId, RunIndex, Seq, TaskId, TaskIndex, Wall};

impl Engine {
    /// Brings a parked task back. False if memory already knows it.
    pub fn page_in(&mut self, task: Task) -> bool {
        let was_applying = std::mem::replace(&mut self.is_applying, true);
        let is_new = self.take_in(task);
        self.is_applying = was_applying;
        is_new
    }

    fn take_in(&mut self, mut task: Task) -> bool {
        if let Some(index) = self.state.tasks.find(task.id) {
            if !self.config.breaks.page_in_over_memory {
                return false;
            }
            self.evict(index);
        }
        task.stored = Soft(true);
        let deadline = next_deadline(&task);
        let queued = matches!(task.state, TaskState::Queued);
        let index = self.state.load(task);
        self.tally.paged_in += 1;
        self.timers.set(index, deadline);
        if queued {
            let task = self.state.tasks.get(index).expect("PG-1: just loaded");
            if task.profile.waits() {
                self.work.arrival(index);
            } else {
                if task.needs_deadline() {
                    self.work.arrival(index);
                }
                self.dispatcher.enqueue(index, super::follow::wants(&self.workers, task));
            }
        }
        true
    }

    /// Lets a far-off pending task go. `cut`: the tables are current up to here.
    pub fn park(&mut self, id: TaskId, cut: Seq, beyond: Wall) -> bool {
        let Some(index) = self.state.tasks.find(id) else { return false };
        let Some(task) = self.state.tasks.get(index) else { return false };
        match task.state {
            TaskState::Pending { due } if due > beyond && *task.stored && task.touched <= cut => {
                self.evict(index);
                self.tally.parked += 1;
                true
            }
            _ => false,
        }
    }

    /// Lets an ended task go; the tables (or nobody, if history is off) answer for it. `index`: where it
    /// was when the cut was made. `cut` as in `park`.
    pub fn drop_ended(&mut self, index: TaskIndex, id: TaskId, cut: Seq) -> bool {
        self.state.tasks.expect(index);
        let Some(index) = self.state.tasks.find(id) else { return false };
        let Some(task) = self.state.tasks.get(index) else { return false };
        let may_go = task.status().is_ended() && task.touched <= cut;
        if may_go {
            self.evict(index);
        }
        may_go
    }

    /// Lets an ended run go; the tables answer for it.
    pub fn drop_ended_run(&mut self, index: RunIndex, id: RunId, cut: Seq) -> bool {
        let run = self.state.job_runs.runs.get(index).filter(|run| run.id == id);
        let may_go = run.is_some_and(|run| run.status.is_ended() && run.out == 0 && run.touched <= cut);
        if may_go {
            self.timers.set_run(index, None);
            self.state.job_runs.unload_run(index);
        }
        may_go
    }

    fn evict(&mut self, index: TaskIndex) {
        self.timers.set(index, None);
        self.dispatcher.remove(index);
        self.state.unload(index);
    }

    /// What changed since the last cut, beside entities; the new cut is through record `through`.
    pub fn take_changed(&mut self, through: Seq) -> Changed {
        self.state.take_changed(through)
    }

    /// For whoever writes or drops rows of entities.
    pub fn entity_tables(&mut self) -> EntityTables<'_> {
        self.state.entity_tables()
    }

    pub fn forget_keys(&mut self, through: Seq) {
        self.state.forget_keys(through);
    }

    pub fn mark_stored(&mut self, index: TaskIndex) {
        if let Some(task) = self.state.tasks.get_mut(index) {
            task.stored = Soft(true);
        }
    }
}
