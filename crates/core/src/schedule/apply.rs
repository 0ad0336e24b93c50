//! Folding what happened to schedules into the state. Nothing here can refuse, and nothing looks at a calendar.

use super::event::{Passed, ScheduleEvent, Stored, WindowFired};
use super::extras::{ExtrasCell, Waiting};
use super::table::{Schedule, Schedules};
use super::window_row::{Reason, Unfired, WindowRow};
use crate::collections::Soft;
use crate::job::JobKey;
use crate::values::{Revision, ScheduleId, Seq, Stamp, Started};
use crate::work::WorkList;

pub(crate) fn apply(schedules: &mut Schedules, at: Stamp, event: &ScheduleEvent, work: &mut WorkList) {
    work.schedule_moved(event.id());
    match event {
        ScheduleEvent::Stored(stored) => store(schedules, at, stored, work),
        ScheduleEvent::Paused { id, paused } => {
            let now = at.now.wall;
            let schedule = touch(schedules, at, *id);
            if schedule.paused && !paused {
                schedule.rare.change(|rare| rare.resumed = now);
            }
            schedule.paused = *paused;
            schedule.changed = Revision::next(schedule.changed, now);
            work.schedule(*id);
        }
        ScheduleEvent::Deleted { id } => delete(schedules, at, *id),
        ScheduleEvent::Forgotten { id } => schedules.forget(*id, at),
        ScheduleEvent::Armed { id, next } => touch(schedules, at, *id).next = *next,
        ScheduleEvent::Passed(passed) => pass(schedules, at, passed, work),
        ScheduleEvent::Held { id, window, next, fired_as } => {
            let schedule = touch(schedules, at, *id);
            let waiting = Waiting { window: *window, fired_as: *fired_as };
            schedule.rare.change(|rare| rare.waiting.push_back(waiting));
            schedule.last = schedule.last.max(*window);
            schedule.next = *next;
        }
    }
}

fn touch(schedules: &mut Schedules, at: Stamp, id: ScheduleId) -> &mut Schedule {
    schedules.touch(id, at)
}

fn store(schedules: &mut Schedules, at: Stamp, stored: &Stored, work: &mut WorkList) {
    let now = at.now.wall;
    let Stored { id, key, spec, own, of_job, next } = stored;
    if schedules.get(*id).is_none() {
        let schedule = Schedule {
            id: *id,
            key: key.clone(),
            spec: spec.clone(),
            bucket: own.bucket,
            offset: own.offset,
            of_job: *of_job,
            paused: false,
            created: now,
            changed: now,
            last: crate::values::Wall::ZERO,
            last_made: None,
            next: *next,
            rare: ExtrasCell::default(),
            fired: 0,
            skipped: 0,
            missed: 0,
            touched: at.seq,
            soft: Soft::default(),
            written: Soft::default(),
        };
        return schedules.add(schedule, at);
    }
    let spec = schedules.share_spec(spec.clone());
    let schedule = touch(schedules, at, *id);
    (schedule.spec, schedule.bucket, schedule.offset) = (spec, own.bucket, own.offset);
    schedule.of_job = *of_job;
    schedule.next = *next;
    schedule.changed = Revision::next(schedule.changed, now);
    // Who makes it anew does not want it paused.
    schedule.paused &= schedule.rare.deleted.is_none();
    schedule.rare.lessen(|rare| rare.deleted = None);
    work.schedule(*id);
}

pub(crate) fn fire(schedules: &mut Schedules, at: Stamp, fired: WindowFired, work: &mut WorkList) {
    let (seq, now) = (at.seq, at.now.wall);
    let WindowFired { id, window, made, fired_as, next } = fired;
    work.schedule_moved(id);
    let schedule = touch(schedules, at, id);
    match schedule.rare.waiting.front() {
        Some(waiting) if waiting.window == window => {
            schedule.rare.lessen(|rare| {
                rare.waiting.pop_front();
            });
            schedule.written = Soft(seq);
        }
        _ => {
            schedule.last = schedule.last.max(window);
            schedule.next = next;
        }
    }
    schedule.fired += 1;
    schedule.last_made = Some(made);
    let row = WindowRow {
        schedule: id,
        group: schedule.bucket.group(),
        first: window,
        last: window,
        count: 1,
        what: Ok((made, fired_as)),
        at: now,
    };
    schedules.write(row);
}

fn pass(schedules: &mut Schedules, at: Stamp, passed: &Passed, work: &mut WorkList) {
    let now = at.now.wall;
    let Passed { id, first, last, count, outcome, next } = *passed;
    let schedule = touch(schedules, at, id);
    schedule.rare.lessen(|rare| {
        rare.waiting.retain(|waiting| waiting.window < first || waiting.window > last);
    });
    schedule.last = schedule.last.max(last);
    schedule.next = next;
    match outcome {
        Unfired::Skipped(_) => schedule.skipped += count,
        Unfired::Missed(_) => schedule.missed += count,
    }
    let group = schedule.bucket.group();
    // A fixed delay goes on from here if nothing runs.
    if schedule.awaits_call(now) {
        work.schedule(id);
    }
    schedules.write(WindowRow { schedule: id, group, first, last, count, what: Err(outcome), at: now });
}

fn delete(schedules: &mut Schedules, at: Stamp, id: ScheduleId) {
    let now = at.now.wall;
    let schedule = touch(schedules, at, id);
    schedule.changed = Revision::next(schedule.changed, now);
    schedule.next = None;
    let waiting = schedule.rare.change(|rare| {
        rare.deleted = Some(now);
        std::mem::take(&mut rare.waiting)
    });
    schedule.skipped += waiting.len() as u64;
    let group = schedule.bucket.group();
    for Waiting { window, .. } in waiting {
        let what = Err(Unfired::Skipped(Reason::Deleted));
        schedules.write(WindowRow {
            schedule: id,
            group,
            first: window,
            last: window,
            count: 1,
            what,
            at: now,
        });
    }
}

fn of_job(schedules: &Schedules, job: &JobKey) -> Vec<ScheduleId> {
    let live = schedules.of_job(&job.tenant, &job.name).filter(|schedule| schedule.rare.deleted.is_none());
    live.map(|schedule| schedule.id).collect()
}

/// A job went, and its schedules with it: these.
pub(crate) fn job_deleted(
    schedules: &mut Schedules,
    at: Stamp,
    job: &JobKey,
    work: &mut WorkList,
) -> Vec<ScheduleId> {
    let gone = of_job(schedules, job);
    for id in &gone {
        delete(schedules, at, *id);
        work.schedule_moved(*id);
    }
    gone
}

/// What passed while the job was paused is as if each schedule had been.
pub(crate) fn job_resumed(schedules: &mut Schedules, at: Stamp, job: &JobKey, work: &mut WorkList) {
    let now = at.now.wall;
    for id in of_job(schedules, job) {
        touch(schedules, at, id).rare.change(|rare| rare.resumed = now);
        work.schedule_moved(id);
        work.schedule(id);
    }
}

/// Something that a window began exists.
pub(crate) fn began(schedules: &mut Schedules, id: ScheduleId, made: Started) {
    if let Some(schedule) = schedules.get_mut(id)
        && !schedule.rare.active.contains(&made)
    {
        schedule.rare.change(|rare| rare.active.push(made));
    }
}

/// Something that a window began has ended.
pub(crate) fn ended(
    schedules: &mut Schedules,
    at: Stamp,
    (id, made): (ScheduleId, Started),
    work: &mut WorkList,
) {
    let now = at.now.wall;
    let Some(schedule) = schedules.get_mut(id) else { return };
    schedule.rare.lessen(|rare| rare.active.retain(|active| *active != made));
    if schedule.awaits_call(now) {
        work.schedule(id);
    }
}

/// After loading and replaying: `active` is what each schedule has begun and not ended.
pub(crate) fn derive(schedules: &mut Schedules, seq: Seq, active: Vec<(ScheduleId, Started)>) {
    schedules.forget_soft(seq);
    for (id, made) in active {
        began(schedules, id, made);
    }
}
