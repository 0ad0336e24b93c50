//! What people want of schedules, what has come of one (`due`), and what becomes of a window (`window`).

pub(crate) mod due;
pub(crate) mod window;

use std::sync::Arc;

use super::event::{ScheduleEvent, Stored};
use super::refusal::ScheduleRefusal;
use super::spec::{ScheduleHome, ScheduleKey, Spec, Target, Timing};
use super::table::Schedule;
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::job::JobKey;
use crate::values::{Millis, Name, Revision, ScheduleId, ScheduleIndex, Wall};

#[derive(Clone, PartialEq, Debug)]
pub enum ScheduleCommand {
    /// Store a schedule, or new content of it.
    Put {
        key: ScheduleKey,
        spec: Spec,
        own: ScheduleHome,
        /// It is refused if the schedule has another revision.
        seen: Option<Revision>,
    },
    Pause {
        key: ScheduleKey,
        paused: bool,
        seen: Option<Revision>,
    },
    Delete {
        key: ScheduleKey,
        seen: Option<Revision>,
    },
    Read {
        key: ScheduleKey,
    },
    /// The same, by its id.
    Find {
        id: ScheduleId,
    },
    /// By tenant, job and name; without deleted ones.
    List {
        after: Option<ScheduleKey>,
        tenant: Option<Name>,
        job: Option<Name>,
        limit: usize,
    },
    /// Those whose next window comes until then, from this place in memory on.
    Upcoming {
        from: u32,
        until: Wall,
        tenant: Option<Name>,
    },
}

/// Schedules looked at for one answer.
const SCAN_MAX: u32 = 20_000;
/// Forgotten in one step of the sweep.
const FORGET_MAX: usize = 500;

#[derive(Clone, PartialEq, Debug)]
pub struct Upcoming {
    pub schedules: Vec<Schedule>,
    /// Ask again from here; `None`: that was all.
    pub more: Option<u32>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ScheduleAnswer {
    Stored { next: Option<Wall>, changed: bool, revision: Revision },
    Schedule(Option<Box<Schedule>>),
    Schedules(Vec<Schedule>),
    Upcoming(Upcoming),
    Done,
}

pub(crate) fn decide(
    view: &View<'_>,
    command: ScheduleCommand,
    out: &mut Out<'_>,
) -> Result<ScheduleAnswer, Rejection> {
    let schedules = view.state.schedules();
    let answer = match command {
        ScheduleCommand::Put { key, spec, own, seen } => {
            check(view, &key, revision_of(view, &key), seen)?;
            put(view, key, (spec, own), out)?
        }
        ScheduleCommand::Pause { key, paused, seen } => {
            let schedule = existing(view, &key)?;
            check(view, &key, schedule.revision(), seen)?;
            if schedule.paused != paused {
                out.push(Event::Schedule(ScheduleEvent::Paused { id: schedule.id, paused }));
            }
            ScheduleAnswer::Done
        }
        ScheduleCommand::Delete { key, seen } => {
            let schedule = existing(view, &key)?;
            check(view, &key, schedule.revision(), seen)?;
            out.push(Event::Schedule(ScheduleEvent::Deleted { id: schedule.id }));
            ScheduleAnswer::Done
        }
        ScheduleCommand::Read { key } => {
            ScheduleAnswer::Schedule(schedules.find(&key).cloned().map(Box::new))
        }
        ScheduleCommand::Find { id } => ScheduleAnswer::Schedule(schedules.get(id).cloned().map(Box::new)),
        ScheduleCommand::List { after, tenant, job, limit } => {
            let wanted = schedules.after(after.as_ref()).filter(|schedule| {
                schedule.rare.deleted.is_none()
                    && tenant.as_ref().is_none_or(|tenant| *tenant == schedule.key.tenant)
                    && job.as_ref().is_none_or(|job| *job == schedule.key.job)
            });
            ScheduleAnswer::Schedules(wanted.take(limit).cloned().collect())
        }
        ScheduleCommand::Upcoming { from, until, tenant } => {
            ScheduleAnswer::Upcoming(upcoming(view, from, until, tenant.as_ref()))
        }
    };
    Ok(answer)
}

fn revision_of(view: &View<'_>, key: &ScheduleKey) -> Revision {
    view.state.schedules().find(key).map_or(Revision::NONE, Schedule::revision)
}

fn check(
    view: &View<'_>,
    key: &ScheduleKey,
    revision: Revision,
    seen: Option<Revision>,
) -> Result<(), Rejection> {
    match seen {
        Some(seen) if seen != revision && !view.breaks.revision_ignored => {
            Err(ScheduleRefusal::Changed { key: key.clone(), seen, revision }.into())
        }
        _ => Ok(()),
    }
}

fn existing<'a>(view: &View<'a>, key: &ScheduleKey) -> Result<&'a Schedule, Rejection> {
    let schedule = view.state.schedules().find(key).filter(|schedule| schedule.rare.deleted.is_none());
    schedule.ok_or_else(|| ScheduleRefusal::NotFound { key: key.clone() }.into())
}

fn put(
    view: &View<'_>,
    key: ScheduleKey,
    (spec, own): (Spec, ScheduleHome),
    out: &mut Out<'_>,
) -> Result<ScheduleAnswer, Rejection> {
    match &spec.target {
        Target::Run { .. } => {
            let job = JobKey { tenant: key.tenant.clone(), name: key.job.clone() };
            view.job(&job)?;
        }
        Target::Task(task) => {
            crate::task::decide::submit::check_sizes(view, task)?;
        }
    }
    crate::task::decide::submit::check_pressure(view.pressure, spec.band())?;
    let Some(stored) = store(view, key.clone(), (spec, own), (false, 0), out)? else {
        let next = view.state.schedules().find(&key).and_then(|schedule| schedule.next);
        let revision = revision_of(view, &key);
        return Ok(ScheduleAnswer::Stored { next, changed: false, revision });
    };
    let runs = view.state.schedules().find(&key).is_some_and(|old| !old.rare.active.is_empty());
    let awaits_end = runs && matches!(stored.spec.timing, Timing::After(_));
    if stored.next.is_none() && !awaits_end {
        return Err(ScheduleRefusal::NeverFires { key }.into());
    }
    let now = view.state.now.wall;
    let changed = view.state.schedules().find(&key).map_or(now, |old| Revision::next(old.changed, now));
    Ok(ScheduleAnswer::Stored { next: stored.next, changed: true, revision: changed.into() })
}

/// Adds the event that stores a schedule, and tells it; `None` if nothing of it changes. `new`: how many new ones this
/// record has stored already.
pub(crate) fn store(
    view: &View<'_>,
    key: ScheduleKey,
    (mut spec, own): (Spec, ScheduleHome),
    (of_job, new): (bool, usize),
    out: &mut Out<'_>,
) -> Result<Option<Stored>, Rejection> {
    let (schedules, now) = (view.state.schedules(), view.state.now.wall);
    let old = schedules.find(&key);
    if let Some(old) = old
        && old.rare.deleted.is_none()
        && *old.spec == spec
        && old.own() == own
        && old.of_job == of_job
    {
        return Ok(None);
    }
    let (held, max) = (schedules.len() + new, view.limits.schedules_max);
    if old.is_none() && held >= max {
        return Err(ScheduleRefusal::TooMany { held, max }.into());
    }
    // A window that was decided once is not decided again, whatever the schedule says now.
    let after = old.map_or(now, |old| old.last.max(now));
    let next = match (&spec.timing, old) {
        // The first one at once; if something runs, its end tells.
        (Timing::After(_), Some(old)) if !old.rare.active.is_empty() => None,
        (Timing::After(_), old) => {
            // One that has come is decided with this edit, if not before.
            let come = |old: &Schedule| old.next.filter(|next| *next <= now).unwrap_or_default();
            let last = old.map_or(Wall::ZERO, |old| old.last.max(come(old)));
            let at = now.max(spec.start.unwrap_or(now)).max(last + Millis::new(1));
            Some(at).filter(|at| spec.end.is_none_or(|end| *at <= end))
        }
        (Timing::Table(_), _) => spec.next(after).map(|(next, _)| next),
    };
    let id = old.map_or_else(|| schedules.next_id(own.bucket, new as u64), |old| old.id);
    let mut key = key;
    schedules.share_names(&mut key);
    schedules.share_parts(&mut spec);
    let key = old.map_or_else(|| Arc::new(key), |old| old.key.clone());
    let stored = Stored { id, key, spec: Arc::new(spec), own, of_job, next };
    out.push(Event::Schedule(ScheduleEvent::Stored(Box::new(stored.clone()))));
    Ok(Some(stored))
}

/// A job file names these schedules and no others; those that it named before go. `new`: as for `store`.
pub(crate) fn of_file(
    view: &View<'_>,
    job: &JobKey,
    specs: Vec<(Name, Spec, ScheduleHome)>,
    new: &mut usize,
    out: &mut Out<'_>,
) -> Result<(), Rejection> {
    let old = view.state.schedules().of_job(&job.tenant, &job.name);
    let gone = old.filter(|old| {
        old.of_job && old.rare.deleted.is_none() && !specs.iter().any(|(name, ..)| *name == old.key.name)
    });
    out.extend(gone.map(|old| Event::Schedule(ScheduleEvent::Deleted { id: old.id })));
    for (name, spec, own) in specs {
        let key = ScheduleKey { tenant: job.tenant.clone(), job: job.name.clone(), name };
        let is_new = view.state.schedules().find(&key).is_none();
        store(view, key, (spec, own), (true, *new), out)?;
        *new += usize::from(is_new);
    }
    Ok(())
}

fn upcoming(view: &View<'_>, from: u32, until: Wall, tenant: Option<&Name>) -> Upcoming {
    let schedules = view.state.schedules();
    let end = schedules.end().min(from.saturating_add(SCAN_MAX));
    let here = (from..end).filter_map(|index| schedules.at(ScheduleIndex(index)));
    let wanted = here.filter(|schedule| {
        schedule.is_on()
            && tenant.is_none_or(|tenant| *tenant == schedule.key.tenant)
            && schedule.due().is_some_and(|due| due <= until)
    });
    Upcoming { schedules: wanted.cloned().collect(), more: (end < schedules.end()).then_some(end) }
}

/// Schedules in these places that were deleted long enough ago, and of which nothing is at work.
pub(crate) fn forget(view: &View<'_>, places: std::ops::Range<u32>, out: &mut Out<'_>) {
    let before = view.state.now.wall - view.limits.forget_deleted_after;
    let schedules = places.filter_map(|index| view.state.schedules().at(ScheduleIndex(index)));
    let old = schedules.filter(|one| {
        let is_old = one.rare.deleted.is_some_and(|deleted| deleted < before);
        let is_idle = one.rare.active.is_empty() && view.state.backfills().of_schedule(one.id).is_none();
        is_old && is_idle && one.rare.forgotten.is_none()
    });
    out.extend(old.take(FORGET_MAX).map(|one| Event::Schedule(ScheduleEvent::Forgotten { id: one.id })));
}
