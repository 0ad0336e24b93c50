//! After every event: timers, queues and fleet follow the state, and effects are written down.

use super::{Batch, Engine};
use crate::decision::{Alert, Effect};
use crate::dispatch::Wants;
use crate::event::Event;
use crate::run::RunEvent;
use crate::state::{Change, apply};
use crate::task::{Status, Task, TaskState, next_deadline};
use crate::values::{TaskIndex, WorkerIndex};

impl Engine {
    /// Applies events that were decided, in order, and leaves them in the batch for the journal.
    pub(super) fn commit(&mut self, decided: &mut Vec<Event>, batch: &mut Batch) {
        self.is_applying = true;
        for event in decided.drain(..) {
            if let Some(checkpoint) = self.unstored_checkpoint(&event) {
                self.apply_one(&checkpoint, batch);
                batch.events.push(checkpoint);
            }
            self.apply_one(&event, batch);
            self.note_end(&event);
            batch.events.push(event);
        }
        self.arm_moved();
        self.is_applying = false;
        self.effects_kept = batch.effects.len();
        self.tell_ends(batch);
    }

    fn apply_one(&mut self, event: &Event, batch: &mut Batch) {
        let Some(change) = apply(&mut self.state, event) else {
            if let Event::Cordon(event) = event {
                self.follow_cordon(event, batch);
            }
            if let Event::Run(RunEvent::RunEnded(ended)) = event {
                self.waiting.run_ended(ended.id);
            }
            return self.tell_run(event, batch);
        };
        self.settle(change, event);
        self.effects(change, event, batch);
    }

    pub(super) fn settle(&mut self, change: Change, event: &Event) {
        let Change { index, from, to } = change;
        if from.is_some_and(Status::is_leased) && !to.is_leased() {
            self.dispatcher.release(index);
            if let Some(worker) = self.fleet.release(index) {
                self.drop_if_gone(worker);
            }
        }
        let was_queued = from == Some(Status::Queued);
        let requeue = was_queued && matches!(event, Event::TaskAmended { priority: Some(_), .. });
        if requeue || was_queued && !matches!(to, Status::Queued | Status::Assigned) {
            self.dispatcher.remove(index);
        }
        let task = self.state.tasks.get(index).expect("MA-1: a changed task is in memory");
        if to == Status::Queued && (!was_queued || requeue) {
            if task.profile.waits() {
                self.waiting.arriving.push_back(index);
            } else {
                self.dispatcher.enqueue(index, wants(&self.fleet, task));
            }
        }
        if task.needs_deadline() {
            self.waiting.arriving.push_back(index);
        }
        if let TaskState::Waiting(wait) = &task.state {
            self.waiting.add(index, &task.profile.tenant, wait);
        } else if from == Some(Status::Deferred) {
            self.waiting.remove(index);
        }
        self.timers.set(index, next_deadline(task));
        self.tally.settled(change, event, task);
    }

    /// What the event orders from the shell. `Start` is ordered by `place`, answers to workers by `report`.
    fn effects(&self, change: Change, event: &Event, batch: &mut Batch) {
        let Some(task) = self.state.tasks.get(change.index) else { return };
        let asks = matches!(event, Event::StopRequested { .. } | Event::ForceRequested { .. });
        if let Some(lease) = task.lease().filter(|_| asks) {
            batch.effects.push(Effect::Stop {
                worker: lease.worker,
                session: lease.session,
                task: task.id,
                fence: lease.fence,
                grace: task.profile.limits.grace,
                reason: lease.stop.map(|stop| stop.reason),
            });
        }
        if change.to == Status::Quarantined && change.from != Some(Status::Quarantined) {
            batch.effects.push(Effect::Alert { task: task.id, alert: Alert::Quarantined });
        }
        if change.from != Some(change.to) {
            if self.config.watch {
                batch.effects.push(Effect::Changed { task: task.id, to: change.to });
            }
            self.tell_task(change.index, batch);
        }
    }

    /// An attempt that ends without its worker's word may still be going on there: it is told to kill it.
    pub(super) fn kill_order(&self, index: TaskIndex) -> Option<Effect> {
        let task = self.state.tasks.get(index)?;
        let lease = task.lease()?;
        Some(Effect::Stop {
            worker: lease.worker,
            session: lease.session,
            task: task.id,
            fence: lease.fence,
            grace: task.profile.limits.grace,
            reason: None,
        })
    }

    /// A worker that was lost stays known only while it holds something.
    fn drop_if_gone(&mut self, worker: WorkerIndex) {
        if self.timers.of_worker(worker).is_none() && self.fleet.forget(worker) {
            self.dispatcher.worker_left(worker);
        }
    }
}

/// What the dispatcher needs to know of a task.
pub(super) fn wants<'a>(fleet: &crate::worker::Workers, task: &'a Task) -> Wants<'a> {
    let extra = task.extra.as_deref();
    let last =
        extra.and_then(|extra| extra.attempts.last()).filter(|_| task.profile.retry.prefer_other_worker);
    Wants {
        profile: &task.profile,
        priority: task.priority,
        avoid: last.and_then(|attempt| fleet.find(attempt.worker)),
        memory_bytes: extra.and_then(|extra| extra.memory_bytes),
        permits: extra.and_then(|extra| extra.permits.as_ref()),
    }
}
