//! The second watchdog: every few minutes it looks at all tasks, and then at all runs (`watch`), whatever timers and queues believe, and
//! puts right what they missed. It should never find anything; what it finds is counted and told.

use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::decision::{Alert, Effect};
use crate::state::State;
use crate::task::{Deadline, TaskState};
use crate::values::{Elapsed, Limits, RunIndex, ScheduleIndex, TaskIndex};
use crate::worker::decide::lost::Loss;
use crate::{schedule, trigger};

/// Slots looked at in one step.
const SWEEP_STEP_SLOTS: u32 = 10_000;

#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// The next slot to look at; `None` between sweeps.
    position: Option<u32>,
    /// The same of runs, when the tasks are done.
    runs: Option<u32>,
    /// The same of schedules, when the runs are done.
    schedules: Option<u32>,
    /// When the last sweep ended, or the engine began; `None` before its first step.
    last: Option<Elapsed>,
}

impl Sweep {
    pub(super) fn next_at(&self, state: &State, limits: &Limits) -> Option<Elapsed> {
        if self.position.is_some() || self.runs.is_some() || self.schedules.is_some() {
            return Some(state.now.elapsed);
        }
        // An idle shard sleeps: with nothing in memory there is nothing to miss.
        let idle = state.tasks().is_empty()
            && state.job_runs().runs().is_empty()
            && state.schedules().is_empty()
            && !state.triggers().any_deleted();
        self.last.filter(|_| !idle).map(|last| last + limits.sweep_every)
    }
}

impl Engine {
    pub(super) fn run_sweep(&mut self, batch: &mut Batch) {
        let now = self.state.now.elapsed;
        if let Some(start) = self.sweep.runs {
            let end = start.saturating_add(SWEEP_STEP_SLOTS).min(self.state.job_runs.runs.end());
            for index in start..end {
                let _ = self.guard(PanicSubject::Upkeep, |engine| {
                    engine.watch_slot(RunIndex(index), batch);
                    Ok(())
                });
            }
            let done = end >= self.state.job_runs.runs.end();
            self.sweep.runs = (!done).then_some(end);
            self.sweep.schedules = done.then_some(0);
            return;
        }
        if let Some(start) = self.sweep.schedules {
            let all = self.state.schedules.end();
            let end = start.saturating_add(SWEEP_STEP_SLOTS).min(all);
            for index in (start..end).map(ScheduleIndex) {
                let Some(id) = self.state.schedules.at(index).map(|schedule| schedule.id) else { continue };
                let _ = self.guard(PanicSubject::Schedule(id), |engine| {
                    engine.watch_schedule(id, batch);
                    Ok(())
                });
            }
            let places = start..end;
            let _ = self.look(PanicSubject::Upkeep, batch, |view, out| {
                schedule::decide::forget(view, places, out);
            });
            self.sweep.schedules = (end < all).then_some(end);
            if end == all {
                self.watch_backfills();
                let _ = self.look(PanicSubject::Upkeep, batch, trigger::decide::forget);
            }
            self.sweep.last = if end < all { self.sweep.last } else { Some(now) };
            return;
        }
        let Some(start) = self.sweep.position else {
            if now.since(*self.sweep.last.get_or_insert(now)) >= self.config.limits.sweep_every {
                self.sweep.position = Some(0);
                self.wait_index.unknown.extend(self.wait_index.unread.drain(..));
            }
            return;
        };
        let end = start.saturating_add(SWEEP_STEP_SLOTS).min(self.state.tasks.end());
        for index in start..end {
            let looked = self.guard(PanicSubject::Upkeep, |engine| Ok(engine.sweep_one(TaskIndex(index))));
            if looked == Ok(true) {
                self.counts.swept_up += 1;
                if let Some(task) = self.state.tasks.get(TaskIndex(index)) {
                    batch.effects.push(Effect::Alert { task: task.id, alert: Alert::SweptUp });
                }
            }
        }
        let done = end >= self.state.tasks.end();
        self.sweep.position = (!done).then_some(end);
        self.sweep.runs = done.then_some(0);
    }

    /// True if something had been missed.
    fn sweep_one(&mut self, index: TaskIndex) -> bool {
        let Some(task) = self.state.tasks.get(index) else { return false };
        match &task.state {
            TaskState::Queued if task.profile.waits() => {
                let missed = !self.work.has_arrival(index);
                if missed {
                    self.work.arrival(index);
                }
                missed
            }
            TaskState::Waiting(_) => {
                let missed = !self.is_heard(index);
                if missed {
                    self.pay_ear(index);
                }
                self.rearm_if_missed(index) || missed
            }
            TaskState::Queued => {
                let missed = !self.dispatcher.is_queued(index);
                let undated = task.needs_deadline() && !self.work.has_arrival(index);
                if missed {
                    self.dispatcher.enqueue(index, super::follow::wants(&self.workers, task));
                }
                if undated {
                    self.work.arrival(index);
                }
                self.rearm_if_missed(index) || missed || undated
            }
            TaskState::Leased(lease) => {
                let heard = lease.assigned.max(lease.soft.progressed).max(self.listens_since());
                let silent_for = self.state.now.elapsed.since(heard);
                let worker_known =
                    self.workers.holder(index).is_some_and(|worker| self.timers.of_worker(worker).is_some());
                let orphaned = !worker_known && silent_for > self.config.limits.lease.saturating_mul(2);
                if orphaned && self.reaping.is_empty() {
                    self.reaping.push(task, index, Loss::WorkerSilent { blamed: false });
                }
                self.rearm_if_missed(index) || orphaned
            }
            TaskState::Pending { .. } | TaskState::RetryWait { .. } | TaskState::Deferred { .. } => {
                self.rearm_if_missed(index)
            }
            TaskState::Succeeded
            | TaskState::Failed
            | TaskState::Cancelled
            | TaskState::Skipped
            | TaskState::UpstreamFailed
            | TaskState::Quarantined => false,
        }
    }

    fn rearm_if_missed(&mut self, index: TaskIndex) -> bool {
        let Some(wanted) = self.state.tasks.get(index).and_then(|task| self.deadline(task)) else {
            return false;
        };
        let missed = match (self.timers.of(index), wanted) {
            (None, _) => true,
            (Some(Deadline::Wall(armed)), Deadline::Wall(wanted)) => armed > wanted,
            (Some(Deadline::Elapsed(armed)), Deadline::Elapsed(wanted)) => armed > wanted,
            (Some(_), _) => true,
        };
        if missed {
            self.timers.set(index, Some(wanted));
        }
        missed
    }
}
