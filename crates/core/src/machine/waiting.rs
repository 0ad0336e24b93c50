//! Tasks that only wait begin to, and go on when what they wait for has come.

use std::sync::Arc;

use super::{Batch, Machine};
use crate::event::Event;
use crate::failure::{Failure, FailureClass};
use crate::id::{ProcessId, RunId, TaskId};
use crate::index::TaskSlot;
use crate::name::Name;
use crate::process::{EndWaits, Work};
use crate::task::{State, Task};
use crate::time::Wall;
use crate::trigger::Notice;
use crate::wait::{Awaited, FoundRun, Late, SAME_MAX, Wait, WaitEnd};
use crate::workflow::RunStatus;

/// Waits that one look ends or begins; the rest waits for the next, so that commands have their turn.
const STEP_MAX: usize = 1_000;

/// Bytes of an event that cost as much as one more wait: its data is read for a condition and copied as output.
const NOTICE_BYTES_PER_WAIT: usize = 4 * 1024;

/// What a wait becomes when its last instant has come.
pub(super) fn over(wait: &Wait, now: Wall) -> WaitEnd {
    match (&wait.what, wait.late) {
        (Awaited::Until(at), _) if *at <= now => WaitEnd::Met(None),
        (_, Late::Skip) => WaitEnd::Skipped,
        (what, Late::Fail) => {
            let message = format!("what it waited for ({}) did not come in time", what.label());
            WaitEnd::Failed(Box::new(Failure::new(FailureClass::Timeout, 0, &message)))
        }
    }
}

/// What a task becomes that looked for something, or had nobody to look for it, until its deadline.
pub(super) fn not_found(task: &Task) -> WaitEnd {
    let pool = &task.profile.requirements.pool;
    let message = if task.attempts == 0 {
        format!("it was not there in time: no worker of pool `{pool}` ever looked")
    } else {
        format!("it was not there in time: no worker of pool `{pool}` could look again")
    };
    WaitEnd::Failed(Box::new(Failure::new(FailureClass::Timeout, 0, &message)))
}

/// What the end of a run means to those that wait for it.
fn by_run(run: RunId, status: RunStatus) -> WaitEnd {
    if status == RunStatus::Succeeded {
        return WaitEnd::Met(Some(
            format!(r#"{{"run_id":"{run}","status":"succeeded"}}"#).into_bytes().into(),
        ));
    }
    failed(&format!("run `{run}` ended as {}", status.label()))
}

/// Also for runs of other tenants: nobody learns whether they exist.
fn no_run(run: RunId) -> WaitEnd {
    failed(&format!("there is no run `{run}`"))
}

fn failed(why: &str) -> WaitEnd {
    WaitEnd::Failed(Box::new(Failure::new(FailureClass::Permanent, 0, why)))
}

impl Machine {
    pub(super) fn run_waits(&mut self, batch: &mut Batch, events_max: usize) {
        let mut left = STEP_MAX;
        while left > 0 && batch.events.len() < events_max {
            let Some(run) = self.waiting.ended.front().copied() else { break };
            let waiting = self.waiting.of_run(run, left);
            let found = self.state.flows.run(run).filter(|found| found.status.is_ended());
            let found = found.map(|found| (found.job.tenant.clone(), found.status));
            // It was opened again before those who waited heard of its end: they wait for the next one.
            let Some((tenant, status)) = found.filter(|_| !waiting.is_empty()) else {
                self.waiting.ended.pop_front();
                continue;
            };
            left -= waiting.len();
            for slot in waiting {
                let end = if self.is_of(slot, &tenant) { by_run(run, status) } else { no_run(run) };
                self.end_wait(slot, end, batch);
            }
        }
        while left > 0 && batch.events.len() < events_max && self.may_parse() {
            let Some(slot) = self.waiting.arriving.pop_front() else { break };
            left -= 1;
            self.guard_task(slot, batch, |machine, batch| machine.begin_wait(slot, batch));
        }
    }

    fn begin_wait(&mut self, slot: TaskSlot, batch: &mut Batch) {
        let now = self.state.now.wall;
        let Some(task) = self.state.tasks.get(slot).filter(|task| is_arriving(task)) else { return };
        let id = task.id;
        if task.profile.looks() {
            let deadline = self.evaluate.look_deadline(&task.payload, now);
            return self.commit(&mut vec![Event::LookBegan { id, deadline }], batch);
        }
        let wait = self.evaluate.wait(&task.payload, now).and_then(|wait| {
            if self.waiting.is_full(&task.profile.tenant, &wait) {
                return Err(format!("{SAME_MAX} tasks wait for this event: ask for a `subject`"));
            }
            Ok(Box::new(wait))
        });
        let event = match wait {
            Ok(wait) => Event::TaskWaits { id, wait },
            Err(why) => Event::WaitEnded { id, end: failed(&why) },
        };
        self.commit(&mut vec![event], batch);
        self.ask_or_end(slot, batch);
    }

    /// A run that a task waits for may have ended already, or be known to the tables only.
    fn ask_or_end(&mut self, slot: TaskSlot, batch: &mut Batch) {
        let Some(run) = self.awaited_run(slot) else { return };
        match self.state.flows.run(run) {
            Some(found) if !self.is_of(slot, &found.job.tenant) => self.end_wait(slot, no_run(run), batch),
            Some(found) if found.status.is_ended() => {
                self.end_wait(slot, by_run(run, found.status), batch);
            }
            Some(_) => {}
            None => self.waiting.unknown.push_back(slot),
        }
    }

    /// Whether the task belongs to this tenant.
    fn is_of(&self, slot: TaskSlot, tenant: &Name) -> bool {
        self.state.tasks.get(slot).is_some_and(|task| task.profile.tenant == *tenant)
    }

    fn awaited_run(&self, slot: TaskSlot) -> Option<RunId> {
        match &self.state.tasks.get(slot)?.state {
            State::Waiting(wait) => match wait.what {
                Awaited::Run(run) => Some(run),
                Awaited::Until(_) | Awaited::Event(_) => None,
            },
            _ => None,
        }
    }

    fn end_wait(&mut self, slot: TaskSlot, end: WaitEnd, batch: &mut Batch) {
        let Some(task) = self.state.tasks.get(slot).filter(|task| matches!(task.state, State::Waiting(_)))
        else {
            return;
        };
        self.commit(&mut vec![Event::WaitEnded { id: task.id, end }], batch);
    }

    /// A run that a task waits for and memory does not know; see [`Machine::run_found`].
    pub fn wants_run(&mut self) -> Option<(TaskId, RunId)> {
        while let Some(slot) = self.waiting.unknown.pop_front() {
            let Some(run) = self.awaited_run(slot) else { continue };
            if let Some(task) = self.state.tasks.get(slot)
                && self.state.flows.run(run).is_none()
            {
                return Some((task.id, run));
            }
        }
        None
    }

    /// What the tables had of that run. Memory wins: it may have come back since.
    pub fn run_found(&mut self, task: TaskId, run: RunId, found: FoundRun, batch: &mut Batch) {
        let Some(slot) = self.state.tasks.find(task) else { return };
        if self.awaited_run(slot) != Some(run) || self.state.flows.run(run).is_some() {
            return;
        }
        let end = match found {
            // The next sweep asks again.
            FoundRun::Unread => return self.waiting.unread.push(slot),
            FoundRun::Ended { tenant, status } if self.is_of(slot, &tenant) => by_run(run, status),
            FoundRun::Ended { .. } | FoundRun::Nothing => no_run(run),
        };
        self.guard_task(slot, batch, |machine, batch| machine.end_wait(slot, end, batch));
    }

    /// Whoever waits for this event goes on: in its record, or, if they are too many, in the next ones. Then the event
    /// itself is in the journal.
    pub(super) fn hear(&mut self, tenant: &Name, notice: &Arc<Notice>, batch: &mut Batch) {
        if !self.waiting.awaits(tenant, notice) {
            return;
        }
        let at = self.state.now.wall;
        // An event does not overtake an earlier one.
        if self.state.deliveries.is_empty() && self.deliver(tenant, notice, at, batch) {
            return;
        }
        let id = ProcessId::new(self.state.processes_begun + 1);
        let work = EndWaits { tenant: tenant.clone(), notice: notice.clone(), at };
        let started = Event::ProcessStarted { id, work: Work::EndWaits(Arc::new(work)) };
        self.commit(&mut vec![started], batch);
    }

    /// Goes on with events that had more waits than their record had room for.
    pub(super) fn run_deliveries(&mut self, batch: &mut Batch) {
        while self.event_waits_left > 0 {
            let Some((id, work)) = self.state.deliveries.first_key_value() else { return };
            let (id, work) = (*id, work.clone());
            if !self.deliver(&work.tenant, &work.notice, work.at, batch) {
                return;
            }
            self.event_waits_left = self.event_waits_left.saturating_sub(1);
            self.commit(&mut vec![Event::ProcessEnded { id }], batch);
        }
    }

    /// False if the record has no room for the rest of them.
    fn deliver(&mut self, tenant: &Name, notice: &Arc<Notice>, at: Wall, batch: &mut Batch) -> bool {
        let cost = 1 + (notice.bytes() / NOTICE_BYTES_PER_WAIT) as u32;
        for slot in self.waiting.of_event(tenant, notice) {
            if slot < self.delivered_to {
                continue;
            }
            if self.event_waits_left == 0 {
                self.delivered_to = slot;
                return false;
            }
            self.event_waits_left = self.event_waits_left.saturating_sub(cost);
            self.guard_task(slot, batch, |machine, batch| machine.deliver_to(slot, notice, at, batch));
        }
        self.delivered_to = TaskSlot::default();
        true
    }

    fn deliver_to(&mut self, slot: TaskSlot, notice: &Arc<Notice>, at: Wall, batch: &mut Batch) {
        let Some(State::Waiting(wait)) = self.state.tasks.get(slot).map(|task| &task.state) else { return };
        let Awaited::Event(mask) = &wait.what else { return };
        // One that was over when the event came is the timer's.
        if wait.deadline <= at || wait.since > at || !mask.matches(notice) {
            return;
        }
        let accepted = mask.condition.as_ref().map_or(Ok(true), |condition| {
            self.evaluate.accepts(condition, notice).map_err(|why| format!("its condition: {why}"))
        });
        match accepted {
            Ok(true) => {
                let output = self.evaluate.written(notice, self.config.limits.output_bytes_max);
                self.end_wait(slot, WaitEnd::Met(Some(output)), batch);
            }
            Ok(false) => {}
            Err(why) => self.end_wait(slot, failed(&why), batch),
        }
    }

    /// Whether a step would begin or end waits at once.
    pub(super) fn has_wait_work(&self) -> bool {
        let deliveries = !self.state.deliveries.is_empty() && self.event_waits_left > 0;
        deliveries || self.waiting.has_work()
    }

    /// After a recovery, or when the watchdog found that nobody would hear.
    pub(super) fn pay_ear(&mut self, slot: TaskSlot) {
        let Some(task) = self.state.tasks.get(slot) else { return };
        let State::Waiting(wait) = &task.state else { return };
        self.waiting.add(slot, &task.profile.tenant, wait);
        let Some(run) = self.awaited_run(slot) else { return };
        match self.state.flows.run(run).map(|run| run.status.is_ended()) {
            Some(true) => self.waiting.run_ended(run),
            Some(false) => {}
            None => self.waiting.unknown.push_back(slot),
        }
    }

    pub(super) fn is_heard(&self, slot: TaskSlot) -> bool {
        let Some(task) = self.state.tasks.get(slot) else { return true };
        match &task.state {
            State::Waiting(wait) => self.waiting.has(slot, &task.profile.tenant, wait),
            _ => true,
        }
    }
}

fn is_arriving(task: &Task) -> bool {
    task.profile.waits() && matches!(task.state, State::Queued) || task.needs_deadline()
}
