//! Folding what happened to backfills into the state. Nothing here can refuse.

use std::sync::Arc;

use super::event::{BackfillEvent, Created};
use super::table::{Backfill, BackfillSoft, Backfills, Halt};
use crate::collections::Soft;
use crate::job::Plan;
use crate::values::{BackfillId, RunId, RunStatus, ScheduleId, Stamp};
use crate::work::WorkList;

/// `plan`: for a new one, unless the event has its own.
pub(crate) fn apply(
    backfills: &mut Backfills,
    at: Stamp,
    event: &BackfillEvent,
    plan: Option<&Arc<Plan>>,
    work: &mut WorkList,
) {
    match event {
        BackfillEvent::Created(created) => {
            create(backfills, at, created, plan);
            work.backfill(created.id);
        }
        BackfillEvent::Paused { id, paused } => {
            touch(backfills, at, *id).paused = *paused;
            work.backfill(*id);
        }
        BackfillEvent::Cancelled { id, stop_runs } => {
            touch(backfills, at, *id).halt = Some(Halt { stop_runs: *stop_runs });
            work.backfill(*id);
        }
        BackfillEvent::Ended { id } => {
            let now = at.now.wall;
            touch(backfills, at, *id).ended = Some(now);
            backfills.ended(*id);
        }
    }
}

fn touch(backfills: &mut Backfills, at: Stamp, id: BackfillId) -> &mut Backfill {
    let backfill = backfills.touch(id, at);
    backfill.changed = at.now.wall;
    backfill
}

fn create(backfills: &mut Backfills, at: Stamp, created: &Created, newest: Option<&Arc<Plan>>) {
    let now = at.now.wall;
    let Created { id, schedule, spec, plan } = created;
    let plan = plan.as_ref().or(newest).expect("EV-1: the job of a new backfill is in memory").clone();
    let backfill = Backfill {
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
        touched: at.seq,
        stored: Soft(false),
        soft: Soft(BackfillSoft::at(spec, 0)),
    };
    backfills.add(backfill, at);
}

/// A window of a backfill began its run.
pub(crate) fn start(backfills: &mut Backfills, at: Stamp, id: BackfillId, run: RunId) {
    let backfill = touch(backfills, at, id);
    backfill.started += 1;
    let spec = backfill.spec.clone();
    backfill.soft.walk.step(&spec.windows);
    backfill.active.push(run);
}

/// A run of a backfill has ended. One that was opened again later is none of its runs any more.
pub(crate) fn run_ended(
    backfills: &mut Backfills,
    at: Stamp,
    (schedule, run, status): (ScheduleId, RunId, RunStatus),
    work: &mut WorkList,
) {
    let Some(id) = backfills.of_schedule(schedule).map(|backfill| backfill.id) else { return };
    if !backfills.get(id).is_some_and(|backfill| backfill.active.contains(&run)) {
        return;
    }
    let backfill = touch(backfills, at, id);
    backfill.active.retain(|active| *active != run);
    match status {
        RunStatus::Succeeded => backfill.succeeded += 1,
        RunStatus::Queued | RunStatus::Running | RunStatus::Failed | RunStatus::Cancelled => {
            backfill.failed += 1;
        }
    }
    work.backfill(id);
}
