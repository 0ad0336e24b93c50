//! Windows that have come are decided, the most urgent first, and what waits for an end goes on.

use std::collections::VecDeque;

use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::collections::Soft;
use crate::decision::Effect;
use crate::schedule::decide::due::{self, ScheduleLook};
use crate::values::{Band, Millis, ScheduleId, Wall};

/// Schedules looked at in one step; the rest waits for the next, so that commands have their turn.
const STEP_MAX: usize = 500;
/// Looks at one schedule before others have their turn.
const LOOKS_MAX: usize = 300;
/// Looks at all of them in one step: each finds again what has come.
const STEP_LOOKS_MAX: usize = 2_000;
/// Timers taken at once.
const TIMERS_MAX: usize = 200_000;
/// Wait before a window is tried again for which there was no room.
const NO_ROOM: Millis = Millis::from_secs(1);

/// Schedules whose windows have come, by band.
#[derive(Debug, Default)]
pub(super) struct DueSchedules([VecDeque<ScheduleId>; Band::ALL.len()]);

impl DueSchedules {
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
        for index in self.timers.due_schedules(now, TIMERS_MAX) {
            if let Some(id) = self.state.schedules.at(index).map(|schedule| schedule.id) {
                self.list_due(id);
            }
        }
        for _ in 0..STEP_MAX {
            if !self.may_parse() {
                break;
            }
            let Some(id) = self.work.take_schedule() else { break };
            self.schedule_called(id, batch);
            self.announce_ends(batch);
        }
        let mut looks = 0;
        for _ in 0..STEP_MAX {
            if !self.may_parse() || looks >= STEP_LOOKS_MAX {
                break;
            }
            let Some(id) = self.due_schedules.pop() else { break };
            if let Some(schedule) = self.state.schedules.get_mut(id) {
                schedule.soft.is_due = false;
                schedule.rare.lessen(|rare| rare.retry = Soft(None));
            }
            looks += self.schedule_due(id, batch);
            self.announce_ends(batch);
        }
        self.arm_moved();
    }

    fn list_due(&mut self, id: ScheduleId) {
        if let Some(schedule) = self.state.schedules.get_mut(id).filter(|one| !one.soft.is_due) {
            schedule.soft.is_due = true;
            let band = schedule.spec.band();
            self.due_schedules.push(band, id);
        }
    }

    pub(super) fn has_schedule_work(&self) -> bool {
        self.due_schedules.len() > 0 || self.work.has_schedules()
    }

    /// The timers of schedules that changed follow them.
    pub(super) fn arm_moved(&mut self) {
        while let Some(id) = self.work.take_moved() {
            self.arm_schedule(id);
        }
    }

    pub(super) fn arm_schedule(&mut self, id: ScheduleId) {
        let now = self.state.now.wall;
        let view = self.view();
        let schedule = self.state.schedules.get(id).filter(|schedule| view.is_watched(schedule));
        let at = schedule.and_then(|schedule| match (schedule.due(), *schedule.rare.retry) {
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
            schedule.rare.change(|rare| rare.retry = Soft(Some(at)));
        }
        self.arm_schedule(id);
    }

    /// Something will look at its next window in time, or as soon as there is room.
    pub(super) fn is_armed(&self, id: ScheduleId) -> bool {
        let Some(schedule) = self.state.schedules.get(id) else { return false };
        let Some(due) = schedule.due() else { return true };
        let latest = due.max(self.state.now.wall + NO_ROOM);
        schedule.soft.is_due || self.timer_of(id).is_some_and(|at| at <= latest)
    }

    /// It will be looked at, at once or as soon as there may be room.
    pub(super) fn is_called(&self, id: ScheduleId) -> bool {
        let Some(schedule) = self.state.schedules.get(id) else { return false };
        let soon = self.state.now.wall + NO_ROOM;
        self.work.has_schedule(id) || schedule.soft.is_due || self.timer_of(id).is_some_and(|at| at <= soon)
    }

    /// The watchdog: a schedule that is on and has no timer gets one, and is told of.
    pub(super) fn watch_schedule(&mut self, id: ScheduleId, batch: &mut Batch) {
        let view = self.view();
        let Some(schedule) = self.state.schedules.get(id).filter(|schedule| view.is_watched(schedule)) else {
            return;
        };
        if schedule.awaits_call(self.state.now.wall) {
            self.work.schedule(id);
        }
        if !self.is_armed(id) {
            self.counts.schedules_unarmed += 1;
            batch.effects.push(Effect::ScheduleAlert { schedule: id });
            self.arm_schedule(id);
        }
    }

    /// Decides what has come of this schedule, one thing after the other: each look sees what the one before began. How many
    /// looks it took.
    pub(super) fn schedule_due(&mut self, id: ScheduleId, batch: &mut Batch) -> usize {
        let now = self.state.now.wall;
        if self.state.schedules.get(id).is_some_and(|schedule| schedule.awaits_call(now)) {
            self.work.schedule(id);
        }
        for look in 1..=LOOKS_MAX {
            let looked = self.look(PanicSubject::Schedule(id), batch, |view, out| due::decide(view, id, out));
            match looked {
                Ok(ScheduleLook::Decided) => {}
                Ok(ScheduleLook::Window(window)) => {
                    if let Some(schedule) = self.state.schedules.get(id) {
                        let late = now.since(window + schedule.offset);
                        self.tally.window_late(schedule.spec.band(), late);
                    }
                }
                Ok(ScheduleLook::Nothing) => {
                    self.arm_schedule(id);
                    return look;
                }
                Ok(ScheduleLook::NoRoom) => {
                    self.retry_soon(id);
                    return look;
                }
                Err(_) => {
                    self.pause_schedule(id, batch);
                    return look;
                }
            }
        }
        self.list_due(id);
        LOOKS_MAX
    }

    fn schedule_called(&mut self, id: ScheduleId, batch: &mut Batch) {
        self.work.schedule_moved(id);
        let looked = self.look(PanicSubject::Schedule(id), batch, |view, out| due::called(view, id, out));
        match looked {
            Ok(ScheduleLook::NoRoom) => self.retry_soon(id),
            Ok(_) => {}
            Err(_) => self.pause_schedule(id, batch),
        }
    }
}
