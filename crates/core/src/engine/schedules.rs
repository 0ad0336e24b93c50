//! Windows that have come begin what they are for, the most urgent first, and what waits for an end goes on.

use std::collections::VecDeque;

use super::{Batch, Engine};
use crate::decision::Effect;
use crate::event::{Event, Submitted};
use crate::job::JobKey;
use crate::run::{RunCreated, RunEvent, StartedBy};
use crate::schedule::due::{DueWindows, Range, due};
use crate::schedule::{
    Fired, Overlap, Passed, Plain, Reason, Schedule, ScheduleEvent, Target, Timing, Unfired,
};
use crate::values::{Band, FiredAs, Millis, RunId, ScheduleId, Started, TaskId, Wall, Window};

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
        for id in self.timers.due_schedules(now, HERD_STEP_MAX) {
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
        self.timers.set_schedule(id, at);
    }

    /// There is no room for a window of it; it is looked at again soon.
    fn retry_soon(&mut self, id: ScheduleId) {
        let at = self.state.now.wall + NO_ROOM;
        if let Some(schedule) = self.state.schedules.get_mut(id) {
            schedule.rare.change(|rare| rare.retry = Some(at));
        }
        self.timers.set_schedule(id, Some(at));
    }

    /// Something will look at its next window in time, or as soon as there is room.
    pub(super) fn is_armed(&self, id: ScheduleId) -> bool {
        let Some(schedule) = self.state.schedules.get(id) else { return false };
        let Some(due) = schedule.due() else { return true };
        let latest = due.max(self.state.now.wall + NO_ROOM);
        schedule.soft.in_herd || self.timers.of_schedule(id).is_some_and(|at| at <= latest)
    }

    /// It will be looked at, at once or as soon as there may be room.
    pub(super) fn is_called(&self, id: ScheduleId) -> bool {
        let Some(schedule) = self.state.schedules.get(id) else { return false };
        let soon = self.state.now.wall + NO_ROOM;
        schedule.soft.called
            || schedule.soft.in_herd
            || self.timers.of_schedule(id).is_some_and(|at| at <= soon)
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
        let job = self.state.flows.jobs.get(&job_of(schedule));
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
        let punctual = match self.event_came(id, window) {
            Some(true) => {
                self.skip(id, window, Reason::EventCame, next, batch);
                return true;
            }
            Some(false) => FiredAs::NoEvent,
            None => punctual,
        };
        let Some(schedule) = self.state.schedules.get(id) else { return true };
        let (overlap, most) = (schedule.spec.overlap, schedule.spec.active_max as usize);
        let (active, waiting) = (schedule.rare.active.len(), schedule.rare.waiting.len());
        let busy = active > 0 || waiting > 0;
        match overlap {
            Overlap::Allow if active >= most => self.skip(id, window, Reason::MaxActive, next, batch),
            Overlap::Forbid if busy => self.skip(id, window, Reason::Overlap, next, batch),
            Overlap::Queue if busy && waiting >= most => {
                self.skip(id, window, Reason::QueueFull, next, batch);
            }
            Overlap::Queue | Overlap::Coalesce if busy => {
                if overlap == Overlap::Coalesce {
                    let older: Vec<Wall> =
                        schedule.rare.waiting.iter().map(|waiting| waiting.window).collect();
                    for older in older {
                        self.skip(id, older, Reason::Coalesced, Some(window), batch);
                    }
                }
                let held = ScheduleEvent::Held { id, window, next, punctual };
                self.commit_one(Event::Schedule(held), batch);
            }
            Overlap::Allow | Overlap::Forbid | Overlap::Queue | Overlap::Replace | Overlap::Coalesce => {
                if overlap == Overlap::Replace {
                    self.cancel_active(id, batch);
                }
                return self.fire(id, window, punctual, next, batch);
            }
        }
        true
    }

    fn cancel_active(&mut self, id: ScheduleId, batch: &mut Batch) {
        let active =
            self.state.schedules.get(id).map(|schedule| schedule.rare.active.clone()).unwrap_or_default();
        for made in active {
            let mut events = Vec::new();
            let view = self.view();
            let done = match made {
                Started::Run(run) => crate::run::decide::cancel_run(&view, run, &mut events),
                Started::Task(task) => {
                    crate::task::decide::cancel::decide(&view, task, true, &mut events).map(drop)
                }
            };
            // What has just ended need not be cancelled.
            if done.is_ok() {
                self.commit_all(events, batch);
            }
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
        if !self.has_room_for_window() {
            return false;
        }
        let Some(schedule) = self.state.schedules.get(id) else { return true };
        let now = self.state.now.wall;
        let (bits, bucket) = (id.mix(window.millis()), schedule.bucket);
        let (run, task) = (RunId::new(now.millis(), bucket, bits), TaskId::new(now.millis(), bucket, bits));
        let name = schedule.key.name.clone();
        let occasion =
            Some(Box::new(Window { schedule: id, name, at: window, from: from(schedule, window), punctual }));
        let (made, event) = match &schedule.spec.target {
            Target::Task(plain) => {
                let submitted = submitted(task, plain, occasion);
                (Started::Task(task), Event::TaskSubmitted(Box::new(submitted)))
            }
            Target::Run { parameters, priority } => {
                let key = job_of(schedule);
                let Some(job) = self.state.flows.jobs.get(&key) else { return true };
                let Ok(parameters) = self.evaluate.parameters(&job.definition, parameters) else {
                    let outcome = Unfired::Missed(Reason::Parameters);
                    self.pass(id, Range { first: window, last: window, count: 1, outcome }, next, batch);
                    return true;
                };
                let created = RunCreated {
                    id: run,
                    job: job.key.clone(),
                    version: job.version,
                    plan: None,
                    parameters,
                    priority: *priority,
                    labels: None,
                    key: None,
                    trigger: StartedBy::Schedule,
                    parent: None,
                    rerun_of: None,
                    reused: Vec::new(),
                    occasion,
                    cause: None,
                };
                (Started::Run(run), Event::Run(RunEvent::RunCreated(Box::new(created))))
            }
        };
        let fired =
            Event::Schedule(ScheduleEvent::Fired(Box::new(Fired { id, window, made, punctual, next })));
        self.tally.window_fired(punctual);
        self.commit_all([fired, event], batch);
        true
    }

    pub(super) fn has_room_for_window(&self) -> bool {
        let (limits, state) = (&self.config.limits, &self.state);
        state.flows.runs.len() < limits.runs_max
            && (state.tasks.len() as u64) < limits.tasks_max
            && state.payload_bytes() < limits.payload_bytes_held_max
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

pub(super) fn job_of(schedule: &Schedule) -> JobKey {
    JobKey { tenant: schedule.key.tenant.clone(), name: schedule.key.job.clone() }
}

/// The window before this one, which is where its interval begins.
pub(super) fn from(schedule: &Schedule, window: Wall) -> Wall {
    match &schedule.spec.timing {
        Timing::Table(table) => table.previous(window).unwrap_or(window),
        Timing::After(_) if schedule.last > Wall::ZERO => schedule.last,
        Timing::After(_) => window,
    }
}

fn submitted(id: TaskId, plain: &Plain, occasion: Option<Box<Window>>) -> Submitted {
    let Plain { profile, payload, priority, labels, permits } = plain.clone();
    Submitted { id, profile, payload, priority, due: None, labels, key: None, permits, occasion }
}
