//! Jobs after jobs, window by window: the first job of a list names the windows, and each begins one run when all have
//! succeeded for it.

use super::fire::{Shot, run_after};
use crate::decision::View;
use crate::operation::Announcement;
use crate::schedule::{Schedule, Timing};
use crate::trigger::{FALLBACK, LedgerWindow, On};
use crate::values::{FiredAs, Millis, Name, TriggerId, Wall, Window};

/// What the success of a job means for a trigger that names it.
pub(crate) enum JobSucceeded {
    Nothing,
    /// It needs no other job, and the run was for no window.
    Begins,
    /// The job at this place of its list, for this window.
    Window {
        job: u32,
        window: LedgerWindow,
    },
}

pub(crate) fn decide(view: &View<'_>, id: TriggerId, announcement: &Announcement) -> JobSucceeded {
    let Some(trigger) = view.state.triggers.get(id) else { return JobSucceeded::Nothing };
    let On::After(jobs) = &trigger.spec.on else { return JobSucceeded::Nothing };
    let Some(job) = jobs.iter().position(|job| *job == announcement.job) else {
        return JobSucceeded::Nothing;
    };
    let job = job as u32;
    match announcement.window {
        Some(window) if trigger.ledger.is_news(job, window) => JobSucceeded::Window { job, window },
        Some(_) => JobSucceeded::Nothing,
        None if jobs.len() == 1 => JobSucceeded::Begins,
        // A run for no window says nothing about one.
        None => JobSucceeded::Nothing,
    }
}

/// Windows that may be complete now. After the success is in the ledger.
pub(crate) fn open(view: &View<'_>, id: TriggerId, job: u32, window: LedgerWindow) -> Vec<LedgerWindow> {
    let Some(trigger) = view.state.triggers.get(id) else { return Vec::new() };
    if job == 0 { vec![window] } else { trigger.ledger.waiting(window.at) }
}

/// What the trigger decides about if all jobs have succeeded for this window.
pub(crate) fn complete<'a>(
    view: &View<'_>,
    id: TriggerId,
    window: LedgerWindow,
    announcement: &'a Announcement,
) -> Option<Shot<'a>> {
    if !is_complete(view, id, window) {
        return None;
    }
    let mixed = window.at.millis() ^ window.schedule.bits();
    let name = view.state.schedules.get(window.schedule).map(|schedule| schedule.key.name.clone());
    Some(Shot {
        notice: &announcement.notice,
        run: run_after(view, id, announcement.ended, mixed),
        depth: announcement.depth + 1,
        window: Some(Box::new(Window {
            schedule: window.schedule,
            name: name.unwrap_or_default(),
            at: window.at,
            from: window.from,
            fired_as: FiredAs::OnTime,
        })),
    })
}

/// Whether all jobs but the first have succeeded for all of their windows in this one.
fn is_complete(view: &View<'_>, id: TriggerId, window: LedgerWindow) -> bool {
    let Some(trigger) = view.state.triggers.get(id) else { return false };
    let On::After(jobs) = &trigger.spec.on else { return false };
    let LedgerWindow { at, from, .. } = window;
    jobs.iter().enumerate().skip(1).all(|(place, job)| {
        let mut timed = timed(view, &trigger.key.tenant, job).peekable();
        if timed.peek().is_none() {
            // It has no windows of its own, and gets them from others: it must have had this one.
            return trigger.ledger.count(place, None, at - Millis::new(1), at) > 0;
        }
        timed.all(|schedule| {
            let done = trigger.ledger.count(place, Some(schedule.id), from, at);
            done >= windows(schedule, from, at)
        })
    })
}

/// Schedules of a job whose windows can be counted.
fn timed<'a>(view: &View<'a>, tenant: &'a Name, job: &'a Name) -> impl Iterator<Item = &'a Schedule> {
    view.state.schedules.of_job(tenant, job).filter(|schedule| {
        schedule.rare.deleted.is_none()
            && matches!(schedule.spec.timing, Timing::Table(_))
            && !schedule.key.name.starts_with(FALLBACK)
    })
}

/// How many windows of a schedule lie in (`from`, `at`].
fn windows(schedule: &Schedule, from: Wall, at: Wall) -> u64 {
    let Timing::Table(table) = &schedule.spec.timing else { return 0 };
    let from = schedule.spec.start.map_or(from, |start| from.max(start - Millis::new(1)));
    let at = schedule.spec.end.map_or(at, |end| at.min(end));
    table.count(from, at)
}
