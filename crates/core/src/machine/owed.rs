//! What the state owes the world, as a pure function of the state; paying it is how a shard comes back after
//! a crash, and checking that it is paid is how the simulator finds a forgotten timer.

use super::{Machine, timers::Timers};
use crate::fleet::WorkerSlot;
use crate::id::{BackfillId, ProcessId, ScheduleId};
use crate::index::TaskSlot;
use crate::task::{Deadline, State, next_deadline};
use crate::workflow::RunSlot;
use crate::workflow::owed::DECIDED_WITHIN;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Debt {
    /// A timer at the task's next deadline.
    Timer(TaskSlot, Deadline),
    /// A place in a queue.
    Place(TaskSlot),
    /// A look at a task that is to begin waiting, or to have a deadline.
    Arrival(TaskSlot),
    /// Somebody who hears of what a task waits for.
    Ear(TaskSlot),
    /// The holder of a live attempt, watched by a lease.
    Holder(TaskSlot),
    /// A lease on a worker.
    Lease(WorkerSlot),
    /// The next step of big work.
    Step(ProcessId),
    /// A look at a run in which something can be decided.
    Look(RunSlot),
    /// A timer at which a run has taken too long, or an earlier one.
    Timeout(RunSlot),
    /// A look at the job of a run that waits and could begin.
    Begin(RunSlot),
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

impl Machine {
    pub fn owed(&self) -> Vec<Debt> {
        let mut debts = Vec::new();
        for (slot, task) in self.state.tasks.iter() {
            debts.extend(self.deadline(task).map(|at| Debt::Timer(slot, at)));
            match &task.state {
                State::Queued if task.profile.waits() => debts.push(Debt::Arrival(slot)),
                State::Queued => {
                    debts.push(Debt::Place(slot));
                    debts.extend(task.needs_deadline().then_some(Debt::Arrival(slot)));
                }
                State::Waiting(_) => debts.push(Debt::Ear(slot)),
                State::Assigned(_) | State::Running(_) => debts.push(Debt::Holder(slot)),
                State::Pending { .. }
                | State::RetryWait { .. }
                | State::Deferred { .. }
                | State::Succeeded
                | State::Failed
                | State::Cancelled
                | State::Skipped
                | State::UpstreamFailed
                | State::Quarantined => {}
            }
        }
        debts.extend(
            self.fleet
                .iter()
                .filter(|(_, worker)| worker.session.is_some())
                .map(|(slot, _)| Debt::Lease(slot)),
        );
        debts.extend(self.state.processes.keys().map(|id| Debt::Step(*id)));
        for (slot, run) in self.state.flows.runs().iter() {
            let (jobs, now) = (self.state.flows.jobs(), self.state.now.wall);
            debts.extend(run.is_decidable(jobs, now).then_some(Debt::Look(slot)));
            let timed = run.has_timeout_ahead() || run.has_hold_ahead(jobs, now) || run.may_become_late();
            debts.extend(timed.then_some(Debt::Timeout(slot)));
        }
        for schedule in self.state.schedules.iter().filter(|schedule| self.is_watched(schedule)) {
            debts.extend(schedule.due().map(|_| Debt::Window(schedule.id)));
            debts.extend(schedule.awaits_call(self.state.now.wall).then_some(Debt::Call(schedule.id)));
        }
        let backfills = self.state.backfills.iter().filter(|backfill| self.backfill_goes_on(backfill));
        debts.extend(backfills.map(|backfill| Debt::Backfill(backfill.id)));
        debts.extend(self.state.flows.startable().into_iter().map(Debt::Begin));
        debts
    }

    /// After the state was loaded and the tail replayed: arms everything owed.
    pub fn recover(&mut self) {
        self.timers = Timers::starting_at(self.state.now);
        self.state.flows.derive(self.state.now.elapsed);
        crate::schedule::apply::derive(&mut self.state);
        crate::trigger::apply::derive(&mut self.state);
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
            Debt::Timer(slot, at) => self.timers.set(slot, Some(at)),
            Debt::Place(slot) => {
                let task = self.state.tasks.get(slot).expect("MA-2: a debt names a task in memory");
                self.dispatcher.enqueue(slot, super::settle::wants(&self.fleet, task));
            }
            Debt::Arrival(slot) => self.waiting.arriving.push_back(slot),
            Debt::Ear(_) if self.config.breaks.wait_not_heard => {}
            Debt::Ear(slot) => self.pay_ear(slot),
            Debt::Holder(slot) => self.pay_holder(slot),
            Debt::Lease(worker) => self.timers.set_worker(worker, Some(now + self.config.limits.lease)),
            Debt::Step(_) => {}
            Debt::Look(_) | Debt::Timeout(_) if self.config.breaks.run_not_relisted => {}
            // Whoever looks at the run arms its timer.
            Debt::Look(slot) | Debt::Timeout(slot) => self.state.flows.call(slot),
            Debt::Begin(slot) => self.state.flows.call_job(slot),
            Debt::Window(_) if self.config.breaks.schedule_not_rearmed => {}
            Debt::Window(id) => self.arm_schedule(id),
            Debt::Call(id) => self.state.schedules.call(id),
            Debt::Backfill(id) => self.state.backfills.call(id),
        }
    }

    /// The start may or may not have reached the worker: the attempt counts as running, and its worker has a full
    /// lease from now to speak up.
    fn pay_holder(&mut self, slot: TaskSlot) {
        let now = self.state.now.elapsed;
        let task = self.state.tasks.get_mut(slot).expect("MA-2: a debt names a task in memory");
        let Some(lease) = task.state.lease_mut() else { return };
        let (worker, incarnation, assigned) = (lease.worker, lease.incarnation, lease.assigned);
        lease.accepted = Some(now.max(assigned));
        lease.progressed = now;
        let deadline = next_deadline(task);
        let worker = self.fleet.place_of(worker, now);
        let known = self.timers.of_worker(worker).is_some();
        if let Some(entry) = self.fleet.get_mut(worker) {
            entry.incarnation = incarnation;
        }
        self.state.mark_running(slot);
        let task = self.state.tasks.get(slot).expect("MA-2: a debt names a task in memory");
        let mut wants = super::settle::wants(&self.fleet, task);
        if self.config.breaks.seats_forgotten {
            wants.seats = None;
        }
        self.dispatcher.hold(slot, worker, wants);
        self.fleet.hold(slot, worker);
        if !self.config.breaks.timer_not_rearmed {
            self.timers.set(slot, deadline);
        }
        if !known {
            let from = if self.config.breaks.lease_runs_while_down { assigned } else { now };
            self.timers.set_worker(worker, Some(from + self.config.limits.lease));
            if let Some(entry) = self.fleet.get_mut(worker) {
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
            Debt::Timer(slot, wanted) => match (self.timers.of(slot), wanted) {
                // A timer may fire early (progress moved the deadline); it is then set again.
                (Some(Deadline::Wall(armed)), Deadline::Wall(wanted)) => armed <= wanted,
                (Some(Deadline::Elapsed(armed)), Deadline::Elapsed(wanted)) => armed <= wanted,
                (Some(_), _) => false,
                (None, _) => !self.reaping.is_empty(),
            },
            Debt::Place(slot) => self.dispatcher.is_queued(slot),
            Debt::Arrival(slot) => self.waiting.arriving.contains(&slot),
            Debt::Ear(slot) => self.is_heard(slot),
            Debt::Holder(slot) => self
                .fleet
                .holder(slot)
                .is_some_and(|worker| self.timers.of_worker(worker).is_some() || !self.reaping.is_empty()),
            Debt::Lease(worker) => self.timers.of_worker(worker).is_some(),
            Debt::Step(_) => true,
            Debt::Look(slot) => {
                let soon = self.state.now.elapsed + DECIDED_WITHIN;
                self.state.flows.is_called(slot) || self.timers.of_run(slot).is_some_and(|at| at <= soon)
            }
            Debt::Timeout(slot) => self.state.flows.is_called(slot) || self.timers.of_run(slot).is_some(),
            Debt::Begin(slot) => self.state.flows.is_job_called(slot),
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
