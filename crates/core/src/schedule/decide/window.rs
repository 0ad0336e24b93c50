//! What becomes of a window whose time has come: it begins something, waits, or is skipped.

use super::due::pass;
use crate::decision::{Out, View};
use crate::event::{Event, Submitted};
use crate::run::decide::cancel_run;
use crate::run::{Origin, RunCreated, RunEvent, StartedBy};
use crate::schedule::due::Range;
use crate::schedule::{Overlap, Reason, Schedule, Target, Timing, Unfired};
use crate::task::decide::cancel;
use crate::trigger::{FALLBACK, TriggerKey};
use crate::values::{FiredAs, FiredBy, FiredWindow, Name, RunId, Started, TaskId, Wall, Window};

pub(crate) enum WindowDecision {
    Skip(Reason),
    /// It waits until what runs has ended; these older ones wait no longer.
    Hold {
        older: Vec<Wall>,
        fired_as: FiredAs,
    },
    Fire {
        replaces: bool,
        fired_as: FiredAs,
    },
}

/// By what the schedule says about windows that overlap.
pub(crate) fn decide(
    view: &View<'_>,
    schedule: &Schedule,
    window: Wall,
    fired_as: FiredAs,
) -> WindowDecision {
    let fired_as = match event_came(view, schedule, window) {
        Some(true) => return WindowDecision::Skip(Reason::EventCame),
        Some(false) => FiredAs::NoEvent,
        None => fired_as,
    };
    let most = schedule.spec.active_max as usize;
    let (active, waiting) = (schedule.rare.active.len(), schedule.rare.waiting.len());
    let busy = active > 0 || waiting > 0;
    match schedule.spec.overlap {
        Overlap::Allow if active >= most => WindowDecision::Skip(Reason::MaxActive),
        Overlap::Forbid if busy => WindowDecision::Skip(Reason::Overlap),
        Overlap::Queue if busy && waiting >= most => WindowDecision::Skip(Reason::QueueFull),
        Overlap::Queue if busy => WindowDecision::Hold { older: Vec::new(), fired_as },
        Overlap::Coalesce if busy => {
            let older = schedule.rare.waiting.iter().map(|waiting| waiting.window).collect();
            WindowDecision::Hold { older, fired_as }
        }
        overlap @ (Overlap::Allow
        | Overlap::Forbid
        | Overlap::Queue
        | Overlap::Replace
        | Overlap::Coalesce) => WindowDecision::Fire { replaces: overlap == Overlap::Replace, fired_as },
    }
}

/// Whether an event began a run since the window before; `None`: the schedule is not that of a trigger that begins a run
/// although no event came.
fn event_came(view: &View<'_>, schedule: &Schedule, window: Wall) -> Option<bool> {
    let name = Name::new(schedule.key.name.strip_prefix(FALLBACK)?).ok()?;
    let key = TriggerKey { tenant: schedule.key.tenant.clone(), job: schedule.key.job.clone(), name };
    let Timing::Table(table) = &schedule.spec.timing else { return None };
    let before = table.previous(window).unwrap_or(Wall::ZERO);
    let fired = view.state.triggers.find(&key).and_then(|trigger| trigger.last_fired.as_ref());
    Some(fired.is_some_and(|fired| fired.at > before))
}

/// Cancels what a window began. What has just ended need not be cancelled.
pub(crate) fn cancel_started(view: &View<'_>, started: Started, out: &mut Out<'_>) {
    let _ = match started {
        Started::Run(run) => cancel_run(view, run, out),
        Started::Task(task) => cancel::decide(view, task, true, out).map(drop),
    };
}

/// Begins what a window is for. False if there is no room for it now.
pub(crate) fn fire(
    view: &View<'_>,
    schedule: &Schedule,
    (window, fired_as): (Wall, FiredAs),
    next: Option<Wall>,
    out: &mut Out<'_>,
) -> bool {
    if !view.has_room_for_window() {
        return false;
    }
    let (id, now) = (schedule.id, view.state.now.wall);
    let (bits, bucket) = (id.mix(window.millis()), schedule.bucket);
    let (run, task) = (RunId::new(now.millis(), bucket, bits), TaskId::new(now.millis(), bucket, bits));
    let (name, from) = (schedule.key.name.clone(), schedule.interval_from(window));
    let what_for = Window { schedule: id, name, at: window, from, fired_as };
    match &schedule.spec.target {
        Target::Task(spec) => {
            let window = Some(Box::new(FiredWindow { window: what_for, next }));
            let submitted = Submitted { id: task, task: (**spec).clone(), due: None, key: None, window };
            out.push(Event::TaskSubmitted(Box::new(submitted)));
        }
        Target::Run { parameters, priority } => {
            let Some(job) = view.state.job_runs.jobs.get(&schedule.job_key()) else {
                return false;
            };
            let Ok(parameters) = view.evaluate.parameters(&job.definition, parameters) else {
                pass(id, Range::one(window, Unfired::Missed(Reason::Parameters)), next, out);
                return true;
            };
            let origin = Origin { window: Some(Box::new(what_for)), ..Origin::of(StartedBy::Schedule) };
            let created = RunCreated {
                priority: *priority,
                fired_by: Some(FiredBy::Schedule { next }),
                ..RunCreated::new(run, job.key.clone(), job.version, parameters, origin)
            };
            out.push(Event::Run(RunEvent::RunCreated(Box::new(created))));
        }
    }
    true
}
