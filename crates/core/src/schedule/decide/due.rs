//! What has come of a schedule, one thing per look: windows that passed together, one window, or the end of what a window
//! waited for.

use super::window::{WindowDecision, cancel_started, decide as decide_window, fire};
use crate::decision::{Out, View};
use crate::event::Event;
use crate::schedule::due::{DueWindows, Range, all_passed, due};
use crate::schedule::{Passed, Reason, Schedule, ScheduleEvent, Timing, Unfired};
use crate::values::{FiredAs, ScheduleId, Wall};

pub(crate) enum ScheduleLook {
    /// Nothing more has come.
    Nothing,
    /// Windows that passed, or the next one of a fixed delay.
    Decided,
    /// This window was decided in its time.
    Window(Wall),
    /// It is looked at again soon.
    NoRoom,
}

/// The schedule, if it is on and so is its job.
fn live_schedule<'a>(view: &View<'a>, id: ScheduleId) -> Option<&'a Schedule> {
    view.state.schedules.get(id).filter(|schedule| view.is_watched(schedule))
}

/// Its time has come.
pub(crate) fn decide(view: &View<'_>, id: ScheduleId, out: &mut Out<'_>) -> ScheduleLook {
    let Some(schedule) = live_schedule(view, id) else { return ScheduleLook::Nothing };
    let Some(DueWindows { passed, fire, next }) = due(schedule, view.state.now.wall) else {
        return ScheduleLook::Nothing;
    };
    let mut windows = fire.iter().map(|(window, _)| *window);
    if let Some(range) = passed.first() {
        // Should only this much become durable, the rest is found again.
        let then = passed.get(1).map(|range| range.first).or_else(|| windows.next()).or(next);
        pass(id, *range, then, out);
        return ScheduleLook::Decided;
    }
    let Some((window, fired_as)) = fire.first().copied() else { return ScheduleLook::Nothing };
    let then = windows.nth(1).or(next);
    decide_one(view, schedule, (window, fired_as), then, out)
}

/// Something it waited for has ended, or it was changed: a window may stop waiting, and a fixed delay begins.
pub(crate) fn called(view: &View<'_>, id: ScheduleId, out: &mut Out<'_>) -> ScheduleLook {
    let now = view.state.now.wall;
    let Some(schedule) = live_schedule(view, id).filter(|schedule| schedule.awaits_call(now)) else {
        return ScheduleLook::Nothing;
    };
    if let Some(waiting) = schedule.rare.waiting.front().copied() {
        let is_room = fire(view, schedule, (waiting.window, waiting.fired_as), schedule.next, out);
        return if is_room { ScheduleLook::Decided } else { ScheduleLook::NoRoom };
    }
    if let Timing::After(_) = schedule.spec.timing {
        let next = schedule.spec.next(now).map(|(next, _)| next);
        if next.is_some() {
            out.push(Event::Schedule(ScheduleEvent::Armed { id, next }));
            return ScheduleLook::Decided;
        }
    }
    ScheduleLook::Nothing
}

/// Somebody changes it, and nobody will come back to the windows that have come: it is paused, or there was no room.
pub(crate) fn give_up(view: &View<'_>, id: ScheduleId, out: &mut Out<'_>) {
    let now = view.state.now.wall;
    let Some(schedule) = view.state.schedules.get(id) else { return };
    let Some((passed, next)) = all_passed(schedule, now, !view.is_watched(schedule)) else { return };
    for (at, range) in passed.iter().enumerate() {
        let then = passed.get(at + 1).map(|range| range.first).or(next);
        pass(id, *range, then, out);
    }
}

fn decide_one(
    view: &View<'_>,
    schedule: &Schedule,
    (window, fired_as): (Wall, FiredAs),
    next: Option<Wall>,
    out: &mut Out<'_>,
) -> ScheduleLook {
    let id = schedule.id;
    match decide_window(view, schedule, window, fired_as) {
        WindowDecision::Skip(reason) => pass(id, Range::one(window, Unfired::Skipped(reason)), next, out),
        WindowDecision::Hold { older, fired_as } => {
            for older in older {
                let range = Range::one(older, Unfired::Skipped(Reason::Coalesced));
                pass(id, range, Some(window), out);
            }
            out.push(Event::Schedule(ScheduleEvent::Held { id, window, next, fired_as }));
        }
        WindowDecision::Fire { replaces, fired_as } => {
            if !view.has_room_for_window() {
                return ScheduleLook::NoRoom;
            }
            for started in schedule.rare.active.iter().filter(|_| replaces) {
                cancel_started(view, *started, out);
            }
            fire(view, schedule, (window, fired_as), next, out);
        }
    }
    ScheduleLook::Window(window)
}

pub(super) fn pass(id: ScheduleId, range: Range, next: Option<Wall>, out: &mut Out<'_>) {
    let Range { first, last, count, outcome } = range;
    let passed = Box::new(Passed { id, first, last, count, outcome, next });
    out.push(Event::Schedule(ScheduleEvent::Passed(passed)));
}
