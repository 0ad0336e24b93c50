//! Folding what happened to backfills into the state. Nothing here can refuse.

use super::event::{BackfillEvent, Created};
use super::table::{Backfill, Halt, Soft};
use crate::id::{BackfillId, RunId, ScheduleId};
use crate::schedule::{Made, Occurrence, Punctual};
use crate::shard::ShardState;
use crate::time::Wall;
use crate::workflow::{JobKey, RunStatus};

pub(crate) fn apply(state: &mut ShardState, event: &BackfillEvent) {
    match event {
        BackfillEvent::Created(created) => create(state, created),
        BackfillEvent::Started { id, window, run } => start(state, *id, *window, *run),
        BackfillEvent::Paused { id, paused } => {
            touch(state, *id).paused = *paused;
            state.backfills.call(*id);
        }
        BackfillEvent::Cancelled { id, stop_runs } => {
            touch(state, *id).halt = Some(Halt { stop_runs: *stop_runs });
            state.backfills.call(*id);
        }
        BackfillEvent::Ended { id } => {
            let now = state.now.wall;
            touch(state, *id).ended = Some(now);
            state.backfills.ended(*id);
        }
    }
}

fn touch(state: &mut ShardState, id: BackfillId) -> &mut Backfill {
    let (seq, cut, now) = (state.seq, state.cut(), state.now.wall);
    let backfill = state.backfills.touch(id, seq, cut);
    backfill.changed = now;
    backfill
}

fn create(state: &mut ShardState, created: &Created) {
    let (seq, now) = (state.seq, state.now.wall);
    let Created { id, schedule, spec, plan } = created;
    let newest = || {
        let job = JobKey { tenant: spec.key.tenant.clone(), name: spec.key.job.clone() };
        let job = state.flows.jobs().get(&job).expect("EV-1: the job of a new backfill is in memory");
        job.definition.plan.clone()
    };
    let plan = plan.clone().unwrap_or_else(newest);
    state.backfills.add(Backfill {
        id: *id,
        schedule: *schedule,
        spec: spec.clone(),
        plan,
        started: 0,
        succeeded: 0,
        failed: 0,
        active: Vec::new(),
        paused: false,
        halt: None,
        created: now,
        changed: now,
        ended: None,
        touched: seq,
        stored: false,
        soft: Soft::at(spec, 0),
    });
    state.backfills.call(*id);
}

/// The window gets its row in the ledger; one that an earlier backfill ran keeps the newest.
fn start(state: &mut ShardState, id: BackfillId, window: Wall, run: RunId) {
    let (seq, at) = (state.seq, state.now.wall);
    let backfill = touch(state, id);
    backfill.started += 1;
    let spec = backfill.spec.clone();
    backfill.soft.walk.step(&spec.windows);
    backfill.active.push(run);
    let schedule = backfill.schedule;
    let what = Ok((Made::Run(run), Punctual::Backfill));
    state.schedules.write_back(schedule, seq);
    state.schedules.write(Occurrence { schedule, first: window, last: window, count: 1, what, at });
}

/// A run of a backfill has ended. One that was opened again later is none of its runs any more.
pub(crate) fn run_ended(state: &mut ShardState, schedule: ScheduleId, run: RunId, status: RunStatus) {
    let Some(id) = state.backfills.of_schedule(schedule).map(|backfill| backfill.id) else { return };
    if !state.backfills.get(id).is_some_and(|backfill| backfill.active.contains(&run)) {
        return;
    }
    let backfill = touch(state, id);
    backfill.active.retain(|active| *active != run);
    match status {
        RunStatus::Succeeded => backfill.succeeded += 1,
        RunStatus::Queued | RunStatus::Running | RunStatus::Failed | RunStatus::Cancelled => {
            backfill.failed += 1;
        }
    }
    state.backfills.call(id);
}
