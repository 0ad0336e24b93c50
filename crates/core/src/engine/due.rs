//! Timers that fired: every due task is looked at once, and every silent worker.

use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::collections::Soft;
use crate::task::decide::due::{self, TaskDue, waited_for};
use crate::task::{Deadline, Task, next_deadline};
use crate::values::{TaskIndex, WorkerIndex};
use crate::worker::decide::lost::Loss;

/// Timers handled in one step; the rest stays due and comes with the next.
const DUE_STEP_MAX: usize = 5_000;

/// Bytes of texts parsed in one step, which takes some milliseconds; whoever needs more waits for the next step, so that
/// commands have their turn.
const PARSE_BYTES_MAX: usize = 256 * 1024;

impl Engine {
    /// Everything that time has made due, in bounded steps.
    pub(super) fn run_due(&mut self, batch: &mut Batch) {
        let now = self.state.now;
        self.allow_parsing();
        self.run_deliveries(batch);
        self.run_announcements(batch);
        self.announce_ends(batch);
        for index in self.timers.due_tasks(now.wall, now.elapsed, DUE_STEP_MAX) {
            self.task_due(index, batch);
            self.announce_ends(batch);
        }
        for index in self.timers.due_workers(now.elapsed, DUE_STEP_MAX) {
            self.worker_due(index);
        }
        for index in self.timers.due_runs(now.elapsed, DUE_STEP_MAX) {
            self.work.run(index);
        }
        self.run_waits(batch, usize::MAX);
        self.run_schedules(batch);
        self.run_backfills(batch);
        self.reap(batch);
        self.run_bulk(batch);
        self.announce_ends(batch);
        self.run_sweep(batch);
        self.announce_ends(batch);
    }

    /// A step begins.
    pub(super) fn allow_parsing(&mut self) {
        let _ = self.evaluate.take_parsed();
        self.parse_left = PARSE_BYTES_MAX;
    }

    /// Whether the step may take on more work that could have to parse texts.
    pub(super) fn may_parse(&mut self) -> bool {
        self.parse_left = self.parse_left.saturating_sub(self.evaluate.take_parsed());
        self.parse_left > 0
    }

    fn task_due(&mut self, index: TaskIndex, batch: &mut Batch) {
        let Some(task) = self.state.tasks.get(index) else { return };
        // Its worker may have spoken while the server stalled.
        let judges_from = self.judges_from();
        if task.lease().is_some() && judges_from > self.state.now.elapsed {
            return self.timers.set(index, self.deadline(task));
        }
        let (id, due) = (task.id, waited_for(task, self.state.now));
        let looked = self.look(PanicSubject::Task(id), batch, |view, out| due::decide(view, index, out));
        match looked {
            Ok(TaskDue::Nothing) => {}
            Ok(TaskDue::Decided) => {
                if let (Some(due), Some(task)) = (due, self.state.tasks.get_mut(index)) {
                    task.due = Soft(due);
                }
            }
            Ok(TaskDue::SoftTimeout) => {
                if let Some(lease) = self.state.tasks.get_mut(index).and_then(|task| task.state.lease_mut()) {
                    lease.soft.soft_told = true;
                }
            }
            Ok(TaskDue::Lost) => {
                if let Some(task) = self.state.tasks.get(index) {
                    self.reaping.push(task, index, Loss::NotAccepted);
                }
                return;
            }
            Err(message) => self.fail_task(id, &message, batch),
        }
        // The fired timer is gone; whatever the task waits for now is armed anew.
        if let Some(task) = self.state.tasks.get(index) {
            self.timers.set(index, next_deadline(task));
        }
    }

    /// The next deadline of a task, but none of an attempt before the server may judge it.
    pub(super) fn deadline(&self, task: &Task) -> Option<Deadline> {
        match next_deadline(task) {
            Some(Deadline::Elapsed(at)) if task.lease().is_some() => {
                Some(Deadline::Elapsed(at.max(self.judges_from())))
            }
            deadline => deadline,
        }
    }

    fn worker_due(&mut self, index: WorkerIndex) {
        let Some(worker) = self.workers.get(index) else { return };
        let lease = self.config.limits.lease;
        let heard_at_least = self.unread_since.unwrap_or(worker.heard);
        let lost_at = worker.heard.max(heard_at_least).max(self.listens_since()) + lease;
        if lost_at > self.state.now.elapsed {
            self.timers.set_worker(index, Some(lost_at));
        } else {
            self.lose_worker(index);
        }
    }
}
