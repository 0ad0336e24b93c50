//! Tasks that only wait begin to, and go on when what they wait for has come.

use std::sync::Arc;

use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::decision::{Out, View};
use crate::event::Event;
use crate::operation::{EndWaits, OperationKind};
use crate::task::TaskState;
use crate::values::{CloudEvent, Name, RunId, TaskId, TaskIndex, Wall};
use crate::wait::FoundRun;
use crate::wait::decide::{awaited_run, begin, by_event, by_found_run, by_known_run, end};

/// Waits that one look ends or begins; the rest waits for the next, so that commands have their turn.
const STEP_MAX: usize = 1_000;

/// Bytes of an event that cost as much as one more wait: its data is read for a condition and copied as output.
const NOTICE_BYTES_PER_WAIT: usize = 4 * 1024;

impl Engine {
    pub(super) fn run_waits(&mut self, batch: &mut Batch, events_max: usize) {
        let mut left = STEP_MAX;
        while left > 0 && batch.events.len() < events_max {
            let Some(run) = self.wait_index.ended.front().copied() else { break };
            let waiting = self.wait_index.of_run(run, left);
            // It was opened again before those who waited heard of its end: they wait for the next one.
            let has_ended = self.state.job_runs.run(run).is_some_and(|found| found.status.is_ended());
            if waiting.is_empty() || !has_ended {
                self.wait_index.ended.pop_front();
                continue;
            }
            left -= waiting.len();
            for index in waiting {
                self.look_at_task(index, batch, |view, out| {
                    end(view, index, by_known_run(view, index, run), out);
                });
                self.announce_ends(batch);
            }
        }
        while left > 0 && batch.events.len() < events_max && self.may_parse() {
            let Some(index) = self.work.take_arrival() else { break };
            left -= 1;
            self.look_at_task(index, batch, |view, out| begin(view, index, out));
            self.work.arrival_done(index);
            self.announce_ends(batch);
        }
    }

    /// A decision about one task, which fails if that panics.
    pub(super) fn look_at_task(
        &mut self,
        index: TaskIndex,
        batch: &mut Batch,
        rule: impl FnOnce(&View<'_>, &mut Out<'_>),
    ) {
        let Some(id) = self.state.tasks.get(index).map(|task| task.id) else { return };
        if let Err(message) = self.look(PanicSubject::Task(id), batch, rule) {
            self.fail_task(id, &message, batch);
        }
    }

    /// A run that a task waits for and memory does not know; see [`Engine::run_found`].
    pub fn wants_run(&mut self) -> Option<(TaskId, RunId)> {
        while let Some(index) = self.wait_index.unknown.pop_front() {
            let Some(run) = awaited_run(&self.view(), index) else { continue };
            if let Some(task) = self.state.tasks.get(index)
                && self.state.job_runs.run(run).is_none()
            {
                return Some((task.id, run));
            }
        }
        None
    }

    /// What the tables had of that run. Memory wins: it may have come back since.
    pub fn run_found(&mut self, task: TaskId, run: RunId, found: FoundRun, batch: &mut Batch) {
        let Some(index) = self.state.tasks.find(task) else { return };
        if awaited_run(&self.view(), index) != Some(run) || self.state.job_runs.run(run).is_some() {
            return;
        }
        let Some(found) = by_found_run(&self.view(), index, run, found) else {
            // The next sweep asks again.
            return self.wait_index.unread.push(index);
        };
        self.look_at_task(index, batch, |view, out| end(view, index, Some(found), out));
        self.announce_ends(batch);
    }

    /// Whoever waits for this event goes on: in its record, or, if they are too many, in the next ones. Then the event
    /// itself is in the journal.
    pub(super) fn end_waits(&mut self, tenant: &Name, notice: &Arc<CloudEvent>, batch: &mut Batch) {
        if !self.wait_index.awaits(tenant, notice) {
            return;
        }
        let at = self.state.now.wall;
        // An event does not overtake an earlier one.
        if !self.state.operations.has_deliveries() && self.deliver(tenant, notice, at, batch) {
            return;
        }
        let id = self.state.operations.next_id();
        let work = EndWaits { tenant: tenant.clone(), notice: notice.clone(), at };
        let started = Event::OperationStarted { id, work: OperationKind::EndWaits(Arc::new(work)) };
        self.commit_one(started, batch);
    }

    /// Goes on with events that had more waits than their record had room for.
    pub(super) fn run_deliveries(&mut self, batch: &mut Batch) {
        while self.event_waits_left > 0 {
            let Some((id, work)) = self.state.operations.deliveries().next() else { return };
            let work = work.clone();
            if !self.deliver(&work.tenant, &work.notice, work.at, batch) {
                return;
            }
            self.event_waits_left = self.event_waits_left.saturating_sub(1);
            self.commit_one(Event::OperationEnded { id, cancelled: None }, batch);
        }
    }

    /// False if the record has no room for the rest of them.
    fn deliver(&mut self, tenant: &Name, notice: &Arc<CloudEvent>, at: Wall, batch: &mut Batch) -> bool {
        let cost = 1 + (notice.bytes() / NOTICE_BYTES_PER_WAIT) as u32;
        for index in self.wait_index.of_event(tenant, notice) {
            if index < self.delivered_to {
                continue;
            }
            if self.event_waits_left == 0 {
                self.delivered_to = index;
                return false;
            }
            self.event_waits_left = self.event_waits_left.saturating_sub(cost);
            self.look_at_task(index, batch, |view, out| {
                end(view, index, by_event(view, index, notice, at), out);
            });
        }
        self.delivered_to = TaskIndex::default();
        true
    }

    /// Whether a step would begin or end waits at once.
    pub(super) fn has_wait_work(&self) -> bool {
        let deliveries = self.state.operations.has_deliveries() && self.event_waits_left > 0;
        deliveries || self.work.has_arrivals() || !self.wait_index.ended.is_empty()
    }

    /// After a recovery, or when the watchdog found that nobody would hear.
    pub(super) fn pay_ear(&mut self, index: TaskIndex) {
        let Some(task) = self.state.tasks.get(index) else { return };
        let TaskState::Waiting(wait) = &task.state else { return };
        self.wait_index.add(index, task.waiter(), wait);
        let Some(run) = awaited_run(&self.view(), index) else { return };
        match self.state.job_runs.run(run).map(|run| run.status.is_ended()) {
            Some(true) => self.wait_index.run_ended(run),
            Some(false) => {}
            None => self.wait_index.unknown.push_back(index),
        }
    }

    pub(super) fn is_heard(&self, index: TaskIndex) -> bool {
        let Some(task) = self.state.tasks.get(index) else { return true };
        match &task.state {
            TaskState::Waiting(wait) => self.wait_index.has(index, task.waiter(), wait),
            _ => true,
        }
    }
}
