//! Windows that have come begin what they are for, the most urgent first, and what waits for an end goes on.

use std::collections::VecDeque;

use super::{Batch, Engine};
use crate::decision::Effect;
use crate::event::Event;
use crate::schedule::decide::window::{WindowDecision, WindowFired, cancel_started, decide, fire};
use crate::schedule::due::{DueWindows, Range, due};
use crate::schedule::{Passed, Reason, Schedule, ScheduleEvent, Target, Timing, Unfired};
use crate::values::{Band, FiredAs, Millis, ScheduleId, Wall};

/// Schedules looked at in one step; the rest waits for the next, so that commands have their turn.
const STEP_MAX: usize = 500;
/// Timers taken at once into the herd.
const HERD_STEP_MAX: usize = 200_000;
/// Wait before a window is tried again for which there was no room.
const NO_ROOM: Millis = Millis::from_secs(1);

/// Schedules whose windows have come, by band.
#[derive(Debug, Default)]
pub(super) struct Herd([VecDeque<ScheduleId>; Band::ALL.len()]);

impl Herd {
    fn push(&mut self, band: Band, id: ScheduleId) {
        self.0[band.index()].push_back(id);
    }

    fn pop(&mut self) -> Option<ScheduleId> {
        self.0.iter_mut().find_map(VecDeque::pop_front)
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(VecDeque::len).sum()
    }
}

impl Engine {
    pub(super) fn run_schedules(&mut self, batch: &mut Batch) {
        let now = self.state.now.wall;
        for index in self.timers.due_schedules(now, HERD_STEP_MAX) {
            let Some(id) = self.state.schedules.at(index).map(|schedule| schedule.id) else { continue };
            let Some(schedule) = self.state.schedules.get_mut(id).filter(|one| !one.soft.in_herd) else {
                continue;
            };
            schedule.soft.in_herd = true;
            let band = schedule.spec.band();
            self.herd.push(band, id);
        }
        for _ in 0..STEP_MAX {
            if !self.may_parse() {
                break;
            }
            let Some(id) = self.state.schedules.called.pop_front() else { break };
            if let Some(schedule) = self.state.schedules.get_mut(id) {
                schedule.soft.called = false;
            }
            self.guard_schedule(id, batch, |engine, batch| engine.schedule_called(id, batch));
            self.announce_ends(batch);
        }
        for _ in 0..STEP_MAX {
            if !self.may_parse() {
                break;
            }
            let Some(id) = self.herd.pop() else { break };
            if let Some(schedule) = self.state.schedules.get_mut(id) {
                schedule.soft.in_herd = false;
                schedule.rare.lessen(|rare| rare.retry = None);
            }
            self.guard_schedule(id, batch, |engine, batch| engine.schedule_due(id, batch));
            self.announce_ends(batch);
        }
        self.arm_moved();
    }

    pub(super) fn has_schedule_work(&self) -> bool {
        self.herd.len() > 0 || !self.state.schedules.called.is_empty()
    }

    /// The timers of schedules that changed follow them.
    pub(super) fn arm_moved(&mut self) {
        while let Some(id) = self.state.schedules.moved.pop() {
            self.arm_schedule(id);
        }
    }

    pub(super) fn arm_schedule(&mut self, id: ScheduleId) {
        let now = self.state.now.wall;
        let schedule = self.state.schedules.get(id).filter(|schedule| self.is_watched(schedule));
        let at = schedule.and_then(|schedule| match (schedule.due(), schedule.rare.retry) {
            // What is due already found no room.
            (Some(due), Some(retry)) if due > now => Some(due.min(retry)),
            (_, Some(retry)) => Some(retry),
            (due, None) => due,
        });
        if let Some(index) = self.state.schedules.index_of(id) {
            self.timers.set_schedule(index, at);
        }
    }

    fn timer_of(&self, id: ScheduleId) -> Option<Wall> {
        self.timers.of_schedule(self.state.schedules.index_of(id)?)
    }

    /// There is no room for a window of it; it is looked at again soon.
    fn retry_soon(&mut self, id: ScheduleId) {
        let at = self.state.now.wall + NO_ROOM;
        if let Some(schedule) = self.state.schedules.get_mut(id) {
            schedule.rare.change(|rare| rare.retry = Some(at));
        }
        if let Some(index) = self.state.schedules.index_of(id) {
            self.timers.set_schedule(index, Some(at));
        }
    }

    /// Something will look at its next window in time, or as soon as there is room.
    pub(super) fn is_armed(&self, id: ScheduleId) -> bool {
        let Some(schedule) = self.state.schedules.get(id) else { return false };
        let Some(due) = schedule.due() else { return true };
        let latest = due.max(self.state.now.wall + NO_ROOM);
        schedule.soft.in_herd || self.timer_of(id).is_some_and(|at| at <= latest)
    }

    /// It will be looked at, at once or as soon as there may be room.
    pub(super) fn is_called(&self, id: ScheduleId) -> bool {
        let Some(schedule) = self.state.schedules.get(id) else { return false };
        let soon = self.state.now.wall + NO_ROOM;
        schedule.soft.called || schedule.soft.in_herd || self.timer_of(id).is_some_and(|at| at <= soon)
    }

    /// The watchdog: a schedule that is on and has no timer gets one, and is told of.
    pub(super) fn watch_schedule(&mut self, id: ScheduleId, batch: &mut Batch) {
        let Some(schedule) = self.state.schedules.get(id).filter(|schedule| self.is_watched(schedule)) else {
            return;
        };
        if !schedule.soft.called && schedule.awaits_call(self.state.now.wall) {
            self.state.schedules.call(id);
        }
        if !self.is_armed(id) {
            self.counts.schedules_unarmed += 1;
            batch.effects.push(Effect::ScheduleAlert { schedule: id });
            self.arm_schedule(id);
        }
    }

    /// On, and so is its job.
    pub(super) fn is_watched(&self, schedule: &Schedule) -> bool {
        schedule.is_on() && self.job_is_on(schedule)
    }

    fn job_is_on(&self, schedule: &Schedule) -> bool {
        let Target::Run { .. } = schedule.spec.target else { return true };
        let job = self.state.flows.jobs.get(&schedule.job_key());
        job.is_some_and(|job| !job.paused && job.deleted.is_none())
    }

    /// Decides what has come of this schedule.
    pub(super) fn schedule_due(&mut self, id: ScheduleId, batch: &mut Batch) {
        let now = self.state.now.wall;
        let Some(schedule) = self.state.schedules.get(id).filter(|schedule| self.is_watched(schedule)) else {
            return;
        };
        if schedule.awaits_call(self.state.now.wall) {
            self.state.schedules.call(id);
        }
        let Some(schedule) = self.state.schedules.get(id) else { return };
        let Some(DueWindows { passed, fire, next }) = due(schedule, now) else {
            return self.arm_schedule(id);
        };
        let (offset, band) = (schedule.offset, schedule.spec.band());
        let windows: Vec<Wall> = fire.iter().map(|(window, _)| *window).collect();
        for (at, range) in passed.iter().enumerate() {
            // Should only this much become durable, the rest is found again.
            let then =
                passed.get(at + 1).map(|range| range.first).or_else(|| windows.first().copied()).or(next);
            self.pass(id, *range, then, batch);
        }
        for (at, (window, punctual)) in fire.into_iter().enumerate() {
            let then = windows.get(at + 1).copied().or(next);
            if !self.window(id, window, punctual, then, batch) {
                return self.retry_soon(id);
            }
            self.tally.window_late(band, now.since(window + offset));
        }
    }

    pub(super) fn pass(&mut self, id: ScheduleId, range: Range, next: Option<Wall>, batch: &mut Batch) {
        let Range { first, last, count, outcome } = range;
        self.tally.windows_passed(outcome, count);
        let passed = Box::new(Passed { id, first, last, count, outcome, next });
        self.commit_one(Event::Schedule(ScheduleEvent::Passed(passed)), batch);
    }

    fn skip(&mut self, id: ScheduleId, window: Wall, reason: Reason, next: Option<Wall>, batch: &mut Batch) {
        let outcome = Unfired::Skipped(reason);
        self.pass(id, Range { first: window, last: window, count: 1, outcome }, next, batch);
    }

    /// Decides one window that may begin something. False if there is no room for it now.
    fn window(
        &mut self,
        id: ScheduleId,
        window: Wall,
        punctual: FiredAs,
        next: Option<Wall>,
        batch: &mut Batch,
    ) -> bool {
        let Some(schedule) = self.state.schedules.get(id) else { return true };
        match decide(&self.view(), schedule, window, punctual) {
            WindowDecision::Skip(reason) => self.skip(id, window, reason, next, batch),
            WindowDecision::Hold { older, fired_as } => {
                for older in older {
                    self.skip(id, older, Reason::Coalesced, Some(window), batch);
                }
                let held = ScheduleEvent::Held { id, window, next, punctual: fired_as };
                self.commit_one(Event::Schedule(held), batch);
            }
            WindowDecision::Fire { replaces, fired_as } => {
                if replaces {
                    self.cancel_active(id, batch);
                }
                return self.fire(id, window, fired_as, next, batch);
            }
        }
        true
    }

    fn cancel_active(&mut self, id: ScheduleId, batch: &mut Batch) {
        let Some(schedule) = self.state.schedules.get(id) else { return };
        for started in schedule.rare.active.clone() {
            let events = cancel_started(&self.view(), started);
            self.commit_all(events, batch);
        }
    }

    fn fire(
        &mut self,
        id: ScheduleId,
        window: Wall,
        punctual: FiredAs,
        next: Option<Wall>,
        batch: &mut Batch,
    ) -> bool {
        let Some(schedule) = self.state.schedules.get(id) else { return true };
        match fire(&self.view(), schedule, (window, punctual), next) {
            WindowFired::NoRoom => return false,
            WindowFired::Nothing => {}
            WindowFired::BadParameters => {
                let outcome = Unfired::Missed(Reason::Parameters);
                self.pass(id, Range { first: window, last: window, count: 1, outcome }, next, batch);
            }
            WindowFired::Events(events) => {
                self.tally.window_fired(punctual);
                self.commit_all(events, batch);
            }
        }
        true
    }

    /// What it began has ended, or it was changed: a window may stop waiting, and a fixed delay begins.
    fn schedule_called(&mut self, id: ScheduleId, batch: &mut Batch) {
        let now = self.state.now.wall;
        self.state.schedules.moved.push(id);
        let Some(schedule) = self.state.schedules.get(id).filter(|schedule| self.is_watched(schedule)) else {
            return;
        };
        if !schedule.awaits_call(self.state.now.wall) {
            return;
        }
        let next = schedule.next;
        if let Some(waiting) = schedule.rare.waiting.front().copied() {
            if !self.fire(id, waiting.window, waiting.punctual, next, batch) {
                self.retry_soon(id);
            }
        } else if let Timing::After(_) = schedule.spec.timing {
            let next = schedule.spec.next(now).map(|(next, _)| next);
            if next.is_some() {
                self.commit_one(Event::Schedule(ScheduleEvent::Armed { id, next }), batch);
            }
        }
    }
}
