//! Timers that fired: every due task is looked at once, and every silent worker.

use super::reap::Loss;
use super::waiting::{not_found, over};
use super::{Batch, Engine};
use crate::decision::{Alert, Effect};
use crate::event::Event;
use crate::task::decide::RetryState;
use crate::task::decide::force::forced_end;
use crate::task::decide::report::stop_class;
use crate::task::{Deadline, Delivery, DueSince, Lease, StopReason, Task, TaskState, next_deadline};
use crate::values::{Failure, FailureClass, Now, TaskIndex, Wall, WorkerIndex};

/// Timers handled in one step; the rest stays due and comes with the next.
const DUE_STEP_MAX: usize = 5_000;

/// Bytes of texts parsed in one step, which takes some milliseconds; whoever needs more waits for the next step, so that
/// commands have their turn.
const PARSE_BYTES_MAX: usize = 256 * 1024;

/// What a due task needs.
enum DueAction {
    Nothing,
    Event(Event),
    SoftTimeout,
    Lost,
}

impl Engine {
    /// Everything that time has made due, in bounded steps; call again while [`Engine::has_work`] or a wake is due.
    pub fn run_due(&mut self, batch: &mut Batch) {
        let now = self.state.now;
        self.allow_parsing();
        self.run_deliveries(batch);
        self.run_announcements(batch);
        self.announce_ends(batch);
        for index in self.timers.due_tasks(now.wall, now.elapsed, DUE_STEP_MAX) {
            self.guard_task(index, batch, |engine, batch| engine.task_due(index, batch));
            self.announce_ends(batch);
        }
        for index in self.timers.due_workers(now.elapsed, DUE_STEP_MAX) {
            self.worker_due(index);
        }
        for index in self.timers.due_runs(now.elapsed, DUE_STEP_MAX) {
            self.state.flows.call(index);
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
        match what_is_due(task, self.state.now, &mut self.retry_state) {
            DueAction::Nothing => {}
            DueAction::Event(event) => {
                let due = waited_for(task, self.state.now);
                self.commit_one(event, batch);
                if let (Some(due), Some(task)) = (due, self.state.tasks.get_mut(index)) {
                    task.due = DueSince(due);
                }
            }
            DueAction::SoftTimeout => {
                batch.effects.push(Effect::Alert { task: task.id, alert: Alert::SoftTimeout });
                if let Some(lease) = self.state.tasks.get_mut(index).and_then(|task| task.state.lease_mut()) {
                    lease.soft_told = true;
                }
            }
            DueAction::Lost => {
                self.reaping.push(task, index, Loss::NotAccepted);
                return;
            }
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

/// The instant a task waited for, by the wall clock.
fn waited_for(task: &Task, now: Now) -> Option<Wall> {
    match task.state {
        TaskState::Pending { due } => Some(due),
        TaskState::RetryWait { due, .. } | TaskState::Deferred { due } => {
            Some(now.wall - now.elapsed.since(due))
        }
        _ => None,
    }
}

fn what_is_due(task: &Task, now: Now, retry_state: &mut RetryState) -> DueAction {
    let reached = match next_deadline(task) {
        Some(Deadline::Wall(at)) => at <= now.wall,
        Some(Deadline::Elapsed(at)) => at <= now.elapsed,
        None => false,
    };
    if !reached {
        return DueAction::Nothing;
    }
    match &task.state {
        TaskState::Pending { .. } | TaskState::RetryWait { .. } | TaskState::Deferred { .. } => {
            DueAction::Event(Event::TaskReleased { id: task.id })
        }
        TaskState::Waiting(wait) => {
            DueAction::Event(Event::WaitEnded { id: task.id, end: over(wait, now.wall) })
        }
        TaskState::Assigned(lease) | TaskState::Running(lease) => lease_due(task, lease, now, retry_state),
        TaskState::Queued => DueAction::Event(Event::WaitEnded { id: task.id, end: not_found(task) }),
        TaskState::Succeeded
        | TaskState::Failed
        | TaskState::Cancelled
        | TaskState::Skipped
        | TaskState::UpstreamFailed
        | TaskState::Quarantined => DueAction::Nothing,
    }
}

fn lease_due(task: &Task, lease: &Lease, now: Now, retry_state: &mut RetryState) -> DueAction {
    let (id, fence, limits) = (task.id, lease.fence, &task.profile.limits);
    if let Some(pending) = lease.pending_checkpoint.as_ref().filter(|pending| pending.due <= now.elapsed) {
        let bytes = pending.bytes.clone();
        return DueAction::Event(Event::CheckpointSaved { id, fence, bytes });
    }
    if let Some(event) = forced_end(task, lease, false) {
        return DueAction::Event(event);
    }
    if lease.stop.is_some() {
        let failure = Failure::new(FailureClass::Timeout, 0, "the worker did not say that it stopped");
        let failure = stop_class(lease, &failure);
        let then = retry_state.after_failure(task, lease, &failure, false, now);
        return DueAction::Event(Event::AttemptFailed { id, fence, failure, then, reported: false });
    }
    let Some(accepted) = lease.accepted else {
        return match task.profile.delivery {
            Delivery::AtLeastOnce => DueAction::Event(Event::TaskUnassigned { id, fence, reported: false }),
            // It may have begun without our hearing of it, so it must not be given out again.
            Delivery::AtMostOnce => DueAction::Lost,
        };
    };
    let past =
        |span: Option<crate::values::Millis>, from| span.is_some_and(|span| from + span <= now.elapsed);
    if past(limits.hard.map(|hard| hard.saturating_add(lease.extended)), accepted) {
        return DueAction::Event(Event::StopRequested { id, fence, reason: StopReason::HardTimeout });
    }
    if past(limits.progress, lease.progressed) {
        return DueAction::Event(Event::StopRequested { id, fence, reason: StopReason::NoProgress });
    }
    if !lease.soft_told && past(limits.soft, accepted) { DueAction::SoftTimeout } else { DueAction::Nothing }
}
