//! What the state owes the world, as a pure function of the state; paying it is how a shard comes back after
//! a crash, and checking that it is paid is how the simulator finds a forgotten timer.

use super::Engine;
use super::timers::Timers;
use crate::backfill::decide::next::goes_on;
use crate::run::Pace;
use crate::run::owed::DECIDED_WITHIN;
use crate::task::{Deadline, TaskState, next_deadline};
use crate::values::{BackfillId, OperationId, RunIndex, ScheduleId, TaskIndex, WorkerIndex};
use crate::work::WorkList;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Debt {
    /// A timer at the task's next deadline.
    Timer(TaskIndex, Deadline),
    /// A place in a queue.
    Place(TaskIndex),
    /// A look at a task that is to begin waiting, or to have a deadline.
    Arrival(TaskIndex),
    /// Somebody who hears of what a task waits for.
    Ear(TaskIndex),
    /// The holder of a live attempt, watched by a lease.
    Holder(TaskIndex),
    /// A lease on a worker.
    Lease(WorkerIndex),
    /// The next step of big work.
    Step(OperationId),
    /// A look at a run in which something can be decided.
    Look(RunIndex),
    /// A timer at which a run has taken too long, or an earlier one.
    Timeout(RunIndex),
    /// A look at the job of a run that waits and could begin.
    Begin(RunIndex),
    /// A timer at the next window of a schedule.
    Window(ScheduleId),
    /// A look at a schedule that waits for nothing more.
    Call(ScheduleId),
    /// A look at a backfill that can go on.
    Backfill(BackfillId),
}

/// A debt that nothing was armed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unpaid(pub Debt);

impl Engine {
    pub fn owed(&self) -> Vec<Debt> {
        let mut debts = Vec::new();
        for (index, task) in self.state.tasks.iter() {
            debts.extend(self.deadline(task).map(|at| Debt::Timer(index, at)));
            match &task.state {
                TaskState::Queued if task.profile.waits() => debts.push(Debt::Arrival(index)),
                TaskState::Queued => {
                    debts.push(Debt::Place(index));
                    debts.extend(task.needs_deadline().then_some(Debt::Arrival(index)));
                }
                TaskState::Waiting(_) => debts.push(Debt::Ear(index)),
                TaskState::Leased(_) => debts.push(Debt::Holder(index)),
                TaskState::Pending { .. }
                | TaskState::RetryWait { .. }
                | TaskState::Deferred { .. }
                | TaskState::Succeeded
                | TaskState::Failed
                | TaskState::Cancelled
                | TaskState::Skipped
                | TaskState::UpstreamFailed
                | TaskState::Quarantined => {}
            }
        }
        debts.extend(
            self.workers
                .iter()
                .filter(|(_, worker)| worker.session.is_some())
                .map(|(index, _)| Debt::Lease(index)),
        );
        debts.extend(self.state.operations.all_bulk().map(|operation| Debt::Step(operation.id)));
        for (index, run) in self.state.job_runs.runs().iter() {
            let (jobs, now) = (self.state.job_runs.jobs(), self.state.now.wall);
            debts.extend(run.is_decidable(jobs, now).then_some(Debt::Look(index)));
            let timed = run.has_timeout_ahead() || run.has_hold_ahead(jobs, now) || run.may_become_late();
            debts.extend(timed.then_some(Debt::Timeout(index)));
        }
        let view = self.view();
        for schedule in self.state.schedules.iter().filter(|schedule| view.is_watched(schedule)) {
            debts.extend(schedule.due().map(|_| Debt::Window(schedule.id)));
            debts.extend(schedule.awaits_call(self.state.now.wall).then_some(Debt::Call(schedule.id)));
        }
        let backfills = self.state.backfills.iter().filter(|backfill| goes_on(&view, backfill));
        debts.extend(backfills.map(|backfill| Debt::Backfill(backfill.id)));
        debts.extend(self.state.job_runs.startable().into_iter().map(Debt::Begin));
        debts
    }

    /// After the state was loaded and the tail replayed: arms everything owed.
    pub fn recover(&mut self) {
        self.timers = Timers::starting_at(self.state.now);
        self.work = WorkList::default();
        self.pace = Pace::after_restart(self.state.now.elapsed);
        self.state.job_runs.derive(self.state.now.elapsed);
        if !self.config.breaks.links_not_derived {
            self.state.derive_links();
        }
        if self.config.breaks.window_forgotten {
            self.state.schedules.forget_last();
        }
        if self.config.breaks.backfill_forgets_cursor {
            self.state.backfills.forget_cursors();
        }
        self.state.backfills.derive();
        let debts = self.owed();
        for debt in &debts {
            self.pay(*debt);
        }
    }

    fn pay(&mut self, debt: Debt) {
        let now = self.state.now.elapsed;
        match debt {
            Debt::Timer(..) if self.config.breaks.timer_not_rearmed => {}
            Debt::Timer(index, at) => self.timers.set(index, Some(at)),
            Debt::Place(index) => {
                let task = self.state.tasks.get(index).expect("MA-2: a debt names a task in memory");
                self.dispatcher.enqueue(index, super::follow::wants(&self.workers, task));
            }
            Debt::Arrival(index) => self.work.arrival(index),
            Debt::Ear(_) if self.config.breaks.wait_not_heard => {}
            Debt::Ear(index) => self.pay_ear(index),
            Debt::Holder(index) => self.pay_holder(index),
            Debt::Lease(worker) => self.timers.set_worker(worker, Some(now + self.config.limits.lease)),
            Debt::Step(_) => {}
            Debt::Look(_) | Debt::Timeout(_) if self.config.breaks.run_not_relisted => {}
            // Whoever looks at the run arms its timer.
            Debt::Look(index) | Debt::Timeout(index) => self.work.run(index),
            Debt::Begin(index) => {
                if let Some(run) = self.state.job_runs.runs.get(index) {
                    self.work.job(run.job.clone());
                }
            }
            Debt::Window(_) if self.config.breaks.schedule_not_rearmed => {}
            Debt::Window(id) => self.arm_schedule(id),
            Debt::Call(id) => self.work.schedule(id),
            Debt::Backfill(id) => self.work.backfill(id),
        }
    }

    /// The start may or may not have reached the worker: the attempt counts as running, and its worker has a full
    /// lease from now to speak up.
    fn pay_holder(&mut self, index: TaskIndex) {
        let now = self.state.now.elapsed;
        let task = self.state.tasks.get_mut(index).expect("MA-2: a debt names a task in memory");
        let Some(lease) = task.state.lease_mut() else { return };
        let (worker, incarnation, assigned) = (lease.worker, lease.incarnation, lease.assigned);
        lease.soft.progressed = now;
        self.state.accept(index, now.max(assigned));
        let deadline = self.state.tasks.get(index).and_then(next_deadline);
        let worker = self.workers.place_of(worker, now);
        let known = self.timers.of_worker(worker).is_some();
        if let Some(entry) = self.workers.get_mut(worker) {
            entry.incarnation = incarnation;
        }
        let task = self.state.tasks.get(index).expect("MA-2: a debt names a task in memory");
        let mut wants = super::follow::wants(&self.workers, task);
        if self.config.breaks.permits_forgotten {
            wants.permits = None;
        }
        self.dispatcher.hold(index, worker, wants);
        self.workers.hold(index, worker);
        if !self.config.breaks.timer_not_rearmed {
            self.timers.set(index, deadline);
        }
        if !known {
            let from = if self.config.breaks.lease_runs_while_down { assigned } else { now };
            self.timers.set_worker(worker, Some(from + self.config.limits.lease));
            if let Some(entry) = self.workers.get_mut(worker) {
                entry.heard = from;
            }
        }
    }

    /// Debts that nothing was armed for; empty unless there is a bug.
    pub fn unpaid(&self) -> Vec<Unpaid> {
        self.owed().into_iter().filter(|debt| !self.is_paid(*debt)).map(Unpaid).collect()
    }

    fn is_paid(&self, debt: Debt) -> bool {
        match debt {
            Debt::Timer(index, wanted) => match (self.timers.of(index), wanted) {
                // A timer may fire early (progress moved the deadline); it is then set again.
                (Some(Deadline::Wall(armed)), Deadline::Wall(wanted)) => armed <= wanted,
                (Some(Deadline::Elapsed(armed)), Deadline::Elapsed(wanted)) => armed <= wanted,
                (Some(_), _) => false,
                (None, _) => !self.reaping.is_empty(),
            },
            Debt::Place(index) => self.dispatcher.is_queued(index),
            Debt::Arrival(index) => self.work.has_arrival(index),
            Debt::Ear(index) => self.is_heard(index),
            Debt::Holder(index) => self
                .workers
                .holder(index)
                .is_some_and(|worker| self.timers.of_worker(worker).is_some() || !self.reaping.is_empty()),
            Debt::Lease(worker) => self.timers.of_worker(worker).is_some(),
            Debt::Step(_) => true,
            Debt::Look(index) => {
                let soon = self.state.now.elapsed + DECIDED_WITHIN;
                self.work.has_run(index) || self.timers.of_run(index).is_some_and(|at| at <= soon)
            }
            Debt::Timeout(index) => self.work.has_run(index) || self.timers.of_run(index).is_some(),
            Debt::Begin(index) => {
                self.state.job_runs.runs.get(index).is_some_and(|run| self.work.has_job(&run.job))
            }
            Debt::Window(id) => self.is_armed(id),
            Debt::Call(id) => self.is_called(id),
            Debt::Backfill(id) => self.is_backfill_called(id),
        }
    }

    /// Timers armed in all; tests compare it with what is owed.
    pub fn timers_armed(&self) -> usize {
        self.timers.len()
    }

    /// Schedules with a timer: they are on, and know their next window.
    pub fn schedules_armed(&self) -> usize {
        self.timers.schedules_len()
    }
}
