//! Folding what happened to schedules into the state. Nothing here can refuse, and nothing looks at a calendar.

use super::event::{Fired, Passed, ScheduleEvent, Stored};
use super::rare::{Rare, Waiting};
use super::table::{Made, Occurrence, Outcome, Reason, Schedule, Soft};
use crate::id::ScheduleId;
use crate::shard::ShardState;
use crate::workflow::JobKey;

pub(crate) fn apply(state: &mut ShardState, event: &ScheduleEvent) {
    match event {
        ScheduleEvent::Stored(stored) => store(state, stored),
        ScheduleEvent::Paused { id, paused } => {
            let now = state.now.wall;
            let schedule = touch(state, *id);
            if schedule.paused && !paused {
                schedule.rare.change(|rare| rare.resumed = now);
            }
            schedule.paused = *paused;
            schedule.changed = now;
            state.schedules.call(*id);
        }
        ScheduleEvent::Deleted { id } => delete(state, *id),
        ScheduleEvent::Armed { id, next } => touch(state, *id).next = *next,
        ScheduleEvent::Fired(fired) => fire(state, fired),
        ScheduleEvent::Passed(passed) => pass(state, passed),
        ScheduleEvent::Held { id, window, next, punctual } => {
            let schedule = touch(state, *id);
            let waiting = Waiting { window: *window, punctual: *punctual };
            schedule.rare.change(|rare| rare.waiting.push_back(waiting));
            schedule.last = schedule.last.max(*window);
            schedule.next = *next;
        }
    }
}

fn touch(state: &mut ShardState, id: ScheduleId) -> &mut Schedule {
    let (seq, cut) = (state.seq, state.cut());
    state.schedules.touch(id, seq, cut)
}

fn store(state: &mut ShardState, stored: &Stored) {
    let (seq, now) = (state.seq, state.now.wall);
    let Stored { id, key, spec, own, of_job, next } = stored;
    if state.schedules.get(*id).is_none() {
        state.schedules.add(Schedule {
            id: *id,
            key: key.clone(),
            spec: spec.clone(),
            slot: own.slot,
            offset: own.offset,
            of_job: *of_job,
            paused: false,
            created: now,
            changed: now,
            last: crate::time::Wall::ZERO,
            last_made: None,
            next: *next,
            rare: Rare::default(),
            fired: 0,
            skipped: 0,
            missed: 0,
            touched: seq,
            soft: Soft::default(),
        });
        return;
    }
    let spec = state.schedules.share_spec(spec.clone());
    let schedule = touch(state, *id);
    (schedule.spec, schedule.slot, schedule.offset) = (spec, own.slot, own.offset);
    schedule.of_job = *of_job;
    schedule.next = *next;
    schedule.changed = now;
    // Who makes it anew does not want it paused.
    schedule.paused &= schedule.rare.deleted.is_none();
    schedule.rare.lessen(|rare| rare.deleted = None);
    state.schedules.call(*id);
}

fn fire(state: &mut ShardState, fired: &Fired) {
    let (seq, now) = (state.seq, state.now.wall);
    let Fired { id, window, made, punctual, next } = *fired;
    let schedule = touch(state, id);
    match schedule.rare.waiting.front() {
        Some(waiting) if waiting.window == window => {
            schedule.rare.lessen(|rare| {
                rare.waiting.pop_front();
            });
            schedule.soft.written_back = seq;
        }
        _ => {
            schedule.last = schedule.last.max(window);
            schedule.next = next;
        }
    }
    schedule.fired += 1;
    schedule.last_made = Some(made);
    let row = Occurrence {
        schedule: id,
        first: window,
        last: window,
        count: 1,
        what: Ok((made, punctual)),
        at: now,
    };
    state.schedules.write(row);
}

fn pass(state: &mut ShardState, passed: &Passed) {
    let now = state.now.wall;
    let Passed { id, first, last, count, outcome, next } = *passed;
    let schedule = touch(state, id);
    schedule.rare.lessen(|rare| {
        rare.waiting.retain(|waiting| waiting.window < first || waiting.window > last);
    });
    schedule.last = schedule.last.max(last);
    schedule.next = next;
    match outcome {
        Outcome::Skipped(_) => schedule.skipped += count,
        Outcome::Missed(_) => schedule.missed += count,
    }
    // A fixed delay goes on from here if nothing runs.
    if schedule.awaits_call(now) {
        state.schedules.call(id);
    }
    state.schedules.write(Occurrence { schedule: id, first, last, count, what: Err(outcome), at: now });
}

fn delete(state: &mut ShardState, id: ScheduleId) {
    let at = state.now.wall;
    state.backfills.call_of(id);
    let schedule = touch(state, id);
    schedule.changed = at;
    schedule.next = None;
    let waiting = schedule.rare.change(|rare| {
        rare.deleted = Some(at);
        std::mem::take(&mut rare.waiting)
    });
    schedule.skipped += waiting.len() as u64;
    for Waiting { window, .. } in waiting {
        let what = Err(Outcome::Skipped(Reason::Deleted));
        state.schedules.write(Occurrence { schedule: id, first: window, last: window, count: 1, what, at });
    }
}

fn of_job(state: &ShardState, job: &JobKey) -> Vec<ScheduleId> {
    let live =
        state.schedules.of_job(&job.tenant, &job.name).filter(|schedule| schedule.rare.deleted.is_none());
    live.map(|schedule| schedule.id).collect()
}

/// A job went, and its schedules with it.
pub(crate) fn job_deleted(state: &mut ShardState, job: &JobKey) {
    for id in of_job(state, job) {
        delete(state, id);
    }
}

/// What passed while the job was paused is as if each schedule had been.
pub(crate) fn job_resumed(state: &mut ShardState, job: &JobKey) {
    let now = state.now.wall;
    for id in of_job(state, job) {
        touch(state, id).rare.change(|rare| rare.resumed = now);
        state.schedules.call(id);
    }
}

/// Something that a window began exists.
pub(crate) fn began(state: &mut ShardState, id: ScheduleId, made: Made) {
    if let Some(schedule) = state.schedules.get_mut(id)
        && !schedule.rare.active.contains(&made)
    {
        schedule.rare.change(|rare| rare.active.push(made));
    }
}

/// Something that a window began has ended.
pub(crate) fn ended(state: &mut ShardState, id: ScheduleId, made: Made) {
    let now = state.now.wall;
    let Some(schedule) = state.schedules.get_mut(id) else { return };
    schedule.rare.lessen(|rare| rare.active.retain(|active| *active != made));
    if schedule.awaits_call(now) {
        state.schedules.call(id);
    }
}

/// After loading and replaying: what every schedule has begun and not ended, from the runs and tasks themselves.
pub(crate) fn derive(state: &mut ShardState) {
    let seq = state.seq;
    state.schedules.forget_soft(seq);
    let runs = state.flows.runs().iter().filter(|(_, run)| !run.status.is_ended());
    let runs = runs.filter_map(|(_, run)| Some((run.schedule()?, Made::Run(run.id))));
    let tasks = state.tasks.iter().filter(|(_, task)| !task.status().is_ended());
    let tasks = tasks.filter_map(|(_, task)| {
        let occasion = task.extra.as_ref()?.occasion.as_ref()?;
        Some((occasion.schedule, Made::Task(task.id)))
    });
    let mut active: Vec<_> = runs.chain(tasks).collect();
    // Ids begin with the time they were minted at.
    active.sort_unstable_by_key(|(id, made)| (*id, made.bits()));
    for (id, made) in active {
        began(state, id, made);
    }
}
