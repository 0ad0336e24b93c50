//! Tasks that only wait begin to, and go on when what they wait for has come.

use std::sync::Arc;

use super::{Batch, Engine};
use crate::event::Event;
use crate::operation::{EndWaits, OperationKind};
use crate::task::{Task, TaskState};
use crate::values::{
    CloudEvent, Failure, FailureClass, Name, OperationId, RunId, RunStatus, TaskId, TaskIndex, Wall,
};
use crate::wait::{Awaited, FoundRun, Late, SAME_MAX, Wait, WaitEnd};

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

impl Engine {
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
            for index in waiting {
                let end = if self.is_of(index, &tenant) { by_run(run, status) } else { no_run(run) };
                self.end_wait(index, end, batch);
                self.announce_ends(batch);
            }
        }
        while left > 0 && batch.events.len() < events_max && self.may_parse() {
            let Some(index) = self.waiting.arriving.pop_front() else { break };
            left -= 1;
            self.guard_task(index, batch, |engine, batch| engine.begin_wait(index, batch));
            self.announce_ends(batch);
        }
    }

    fn begin_wait(&mut self, index: TaskIndex, batch: &mut Batch) {
        let now = self.state.now.wall;
        let Some(task) = self.state.tasks.get(index).filter(|task| is_arriving(task)) else { return };
        let id = task.id;
        if task.profile.looks() {
            let deadline = self.evaluate.look_deadline(&task.payload, now);
            return self.commit_one(Event::LookBegan { id, deadline }, batch);
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
        self.commit_one(event, batch);
        self.ask_or_end(index, batch);
    }

    /// A run that a task waits for may have ended already, or be known to the tables only.
    fn ask_or_end(&mut self, index: TaskIndex, batch: &mut Batch) {
        let Some(run) = self.awaited_run(index) else { return };
        match self.state.flows.run(run) {
            Some(found) if !self.is_of(index, &found.job.tenant) => self.end_wait(index, no_run(run), batch),
            Some(found) if found.status.is_ended() => {
                self.end_wait(index, by_run(run, found.status), batch);
            }
            Some(_) => {}
            None => self.waiting.unknown.push_back(index),
        }
    }

    /// Whether the task belongs to this tenant.
    fn is_of(&self, index: TaskIndex, tenant: &Name) -> bool {
        self.state.tasks.get(index).is_some_and(|task| task.profile.tenant == *tenant)
    }

    fn awaited_run(&self, index: TaskIndex) -> Option<RunId> {
        match &self.state.tasks.get(index)?.state {
            TaskState::Waiting(wait) => match wait.what {
                Awaited::Run(run) => Some(run),
                Awaited::Until(_) | Awaited::Event(_) => None,
            },
            _ => None,
        }
    }

    fn end_wait(&mut self, index: TaskIndex, end: WaitEnd, batch: &mut Batch) {
        let Some(task) =
            self.state.tasks.get(index).filter(|task| matches!(task.state, TaskState::Waiting(_)))
        else {
            return;
        };
        self.commit_one(Event::WaitEnded { id: task.id, end }, batch);
    }

    /// A run that a task waits for and memory does not know; see [`Engine::run_found`].
    pub fn wants_run(&mut self) -> Option<(TaskId, RunId)> {
        while let Some(index) = self.waiting.unknown.pop_front() {
            let Some(run) = self.awaited_run(index) else { continue };
            if let Some(task) = self.state.tasks.get(index)
                && self.state.flows.run(run).is_none()
            {
                return Some((task.id, run));
            }
        }
        None
    }

    /// What the tables had of that run. Memory wins: it may have come back since.
    pub fn run_found(&mut self, task: TaskId, run: RunId, found: FoundRun, batch: &mut Batch) {
        let Some(index) = self.state.tasks.find(task) else { return };
        if self.awaited_run(index) != Some(run) || self.state.flows.run(run).is_some() {
            return;
        }
        let end = match found {
            // The next sweep asks again.
            FoundRun::Unread => return self.waiting.unread.push(index),
            FoundRun::Ended { tenant, status } if self.is_of(index, &tenant) => by_run(run, status),
            FoundRun::Ended { .. } | FoundRun::Nothing => no_run(run),
        };
        self.guard_task(index, batch, |engine, batch| engine.end_wait(index, end, batch));
        self.announce_ends(batch);
    }

    /// Whoever waits for this event goes on: in its record, or, if they are too many, in the next ones. Then the event
    /// itself is in the journal.
    pub(super) fn end_waits(&mut self, tenant: &Name, notice: &Arc<CloudEvent>, batch: &mut Batch) {
        if !self.waiting.awaits(tenant, notice) {
            return;
        }
        let at = self.state.now.wall;
        // An event does not overtake an earlier one.
        if self.state.deliveries.is_empty() && self.deliver(tenant, notice, at, batch) {
            return;
        }
        let id = OperationId::new(self.state.operations_begun + 1);
        let work = EndWaits { tenant: tenant.clone(), notice: notice.clone(), at };
        let started = Event::OperationStarted { id, work: OperationKind::EndWaits(Arc::new(work)) };
        self.commit_one(started, batch);
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
            self.commit_one(Event::OperationEnded { id }, batch);
        }
    }

    /// False if the record has no room for the rest of them.
    fn deliver(&mut self, tenant: &Name, notice: &Arc<CloudEvent>, at: Wall, batch: &mut Batch) -> bool {
        let cost = 1 + (notice.bytes() / NOTICE_BYTES_PER_WAIT) as u32;
        for index in self.waiting.of_event(tenant, notice) {
            if index < self.delivered_to {
                continue;
            }
            if self.event_waits_left == 0 {
                self.delivered_to = index;
                return false;
            }
            self.event_waits_left = self.event_waits_left.saturating_sub(cost);
            self.guard_task(index, batch, |engine, batch| engine.deliver_to(index, notice, at, batch));
        }
        self.delivered_to = TaskIndex::default();
        true
    }

    fn deliver_to(&mut self, index: TaskIndex, notice: &Arc<CloudEvent>, at: Wall, batch: &mut Batch) {
        let Some(TaskState::Waiting(wait)) = self.state.tasks.get(index).map(|task| &task.state) else {
            return;
        };
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
                self.end_wait(index, WaitEnd::Met(Some(output)), batch);
            }
            Ok(false) => {}
            Err(why) => self.end_wait(index, failed(&why), batch),
        }
    }

    /// Whether a step would begin or end waits at once.
    pub(super) fn has_wait_work(&self) -> bool {
        let deliveries = !self.state.deliveries.is_empty() && self.event_waits_left > 0;
        deliveries || self.waiting.has_work()
    }

    /// After a recovery, or when the watchdog found that nobody would hear.
    pub(super) fn pay_ear(&mut self, index: TaskIndex) {
        let Some(task) = self.state.tasks.get(index) else { return };
        let TaskState::Waiting(wait) = &task.state else { return };
        self.waiting.add(index, &task.profile.tenant, wait);
        let Some(run) = self.awaited_run(index) else { return };
        match self.state.flows.run(run).map(|run| run.status.is_ended()) {
            Some(true) => self.waiting.run_ended(run),
            Some(false) => {}
            None => self.waiting.unknown.push_back(index),
        }
    }

    pub(super) fn is_heard(&self, index: TaskIndex) -> bool {
        let Some(task) = self.state.tasks.get(index) else { return true };
        match &task.state {
            TaskState::Waiting(wait) => self.waiting.has(index, &task.profile.tenant, wait),
            _ => true,
        }
    }
}

fn is_arriving(task: &Task) -> bool {
    task.profile.waits() && matches!(task.state, TaskState::Queued) || task.needs_deadline()
}
