//! What people want of backfills, and what a backfill does next.

pub(crate) mod next;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::event::{BackfillEvent, Created};
use super::refusal::BackfillRefusal;
use super::spec::{ACTIVE_MAX, BackfillSpec, Only};
use super::table::{Backfill, BackfillStatus};
use super::windows::Windows;
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::job::{JobKey, Plan};
use crate::schedule::{Schedule, ScheduleKey, ScheduleRefusal, Target, Timing};
use crate::task::Payload;
use crate::values::{BackfillId, Band, Seq, Wall};

#[derive(Clone, PartialEq, Debug)]
pub enum BackfillCommand {
    Create(Box<CreateBackfill>),
    Pause {
        id: BackfillId,
        paused: bool,
    },
    /// Its runs too.
    Cancel {
        id: BackfillId,
    },
    Read {
        id: BackfillId,
    },
}

/// What an edge has found out.
#[derive(Clone, PartialEq, Debug)]
pub struct CreateBackfill {
    pub id: BackfillId,
    pub key: ScheduleKey,
    pub from: Wall,
    pub to: Wall,
    pub only: Only,
    pub windows: Windows,
    pub max_active: u32,
    pub version: u32,
    /// `None`: that of the job's newest version.
    pub plan: Option<Arc<Plan>>,
    pub parameters: Payload,
    /// The ledger was read with everything in it up to this record, or up to the last that was written back; see
    /// [`Schedule::written_back`].
    pub written_back: Seq,
}

#[derive(Clone, PartialEq, Debug)]
pub enum BackfillAnswer {
    Created(BackfillId),
    /// As it is now, or `None` if memory does not hold it.
    Backfill(Option<Box<Backfill>>),
    Done {
        id: BackfillId,
        status: BackfillStatus,
    },
}

pub(crate) fn decide(
    view: &View<'_>,
    command: BackfillCommand,
    out: &mut Out<'_>,
) -> Result<BackfillAnswer, Rejection> {
    let answer = match command {
        BackfillCommand::Create(create) => decide_create(view, *create, out)?,
        BackfillCommand::Pause { id, paused } => {
            let backfill = live(view, id)?;
            if backfill.halt.is_some() {
                return Err(BackfillRefusal::AlreadyEnded { id }.into());
            }
            if backfill.paused != paused {
                out.push(Event::Backfill(BackfillEvent::Paused { id, paused }));
            }
            let status = if paused { BackfillStatus::Paused } else { BackfillStatus::Running };
            BackfillAnswer::Done { id, status }
        }
        BackfillCommand::Cancel { id } => {
            let stops = live(view, id)?.halt.is_some_and(|halt| halt.stop_runs);
            if !stops {
                out.push(Event::Backfill(BackfillEvent::Cancelled { id, stop_runs: true }));
            }
            BackfillAnswer::Done { id, status: BackfillStatus::Cancelling }
        }
        BackfillCommand::Read { id } => {
            BackfillAnswer::Backfill(view.state.backfills().get(id).cloned().map(Box::new))
        }
    };
    Ok(answer)
}

/// Those that have left memory have ended.
fn live<'a>(view: &View<'a>, id: BackfillId) -> Result<&'a Backfill, Rejection> {
    match view.state.backfills().get(id) {
        Some(backfill) if backfill.ended.is_none() => Ok(backfill),
        Some(_) => Err(BackfillRefusal::AlreadyEnded { id }.into()),
        None => Err(BackfillRefusal::NotFound { id }.into()),
    }
}

fn decide_create(
    view: &View<'_>,
    create: CreateBackfill,
    out: &mut Out<'_>,
) -> Result<BackfillAnswer, Rejection> {
    let backfills = view.state.backfills();
    if backfills.get(create.id).is_some() {
        return Ok(BackfillAnswer::Created(create.id));
    }
    let key = &create.key;
    let schedule = view.state.schedules().find(key).filter(|schedule| schedule.rare.deleted.is_none());
    let schedule = schedule.ok_or_else(|| ScheduleRefusal::NotFound { key: key.clone() })?;
    check_kind(schedule)?;
    let job = JobKey { tenant: key.tenant.clone(), name: key.job.clone() };
    let job = view.job(&job)?;
    if let Some(active) = backfills.of_schedule(schedule.id) {
        return Err(BackfillRefusal::Active { id: active.id, key: key.clone() }.into());
    }
    let (held, max) = (backfills.unfinished(), view.limits.backfills_max);
    if held >= max {
        return Err(BackfillRefusal::TooMany { held, max }.into());
    }
    crate::task::decide::submit::check_pressure(view.pressure, Band::Backfill)?;
    let is_newest = create.version == job.version;
    if !is_current(view, schedule, &create) || create.plan.is_none() && !is_newest {
        return Err(BackfillRefusal::PlanOld { key: key.clone() }.into());
    }
    let (bytes, max) = (create.parameters.len(), view.limits.payload_bytes_max);
    if bytes > max {
        return Err(Rejection::PayloadTooLarge { bytes, max });
    }
    let CreateBackfill { id, from, to, only, windows, max_active, version, plan, parameters, .. } = create;
    let max_active = max_active.clamp(1, ACTIVE_MAX);
    let key = schedule.key.clone();
    let spec = BackfillSpec { key, from, to, only, windows, max_active, version, parameters };
    let plan = plan.filter(|_| !is_newest);
    let created = Created { id, schedule: schedule.id, spec: Arc::new(spec), plan };
    out.push(Event::Backfill(BackfillEvent::Created(Box::new(created))));
    Ok(BackfillAnswer::Created(id))
}

/// Whether the past of a schedule of this kind can be told at all.
pub fn check_kind(schedule: &Schedule) -> Result<(), BackfillRefusal> {
    let why = match (&schedule.spec.timing, &schedule.spec.target) {
        (Timing::After(_), _) => "its windows depend on when runs ended",
        (_, Target::Task(_)) => "it begins tasks without a job",
        (Timing::Table(_), Target::Run { .. }) => return Ok(()),
    };
    Err(BackfillRefusal::NotBackfillable { key: (*schedule.key).clone(), why })
}

/// Nothing that the edge has read is out of date: every window lies behind, and none waits or was run since.
fn is_current(view: &View<'_>, schedule: &Schedule, create: &CreateBackfill) -> bool {
    let now = view.state.now.wall;
    let next = schedule.next.unwrap_or(now);
    let waiting: BTreeSet<Wall> = schedule.rare.waiting.iter().map(|waiting| waiting.window).collect();
    create.written_back >= schedule.written_back()
        && create.windows.newest() < next
        // What lies ahead may become a live window, whatever the schedule says now.
        && create.windows.newest() <= now
        && (waiting.is_empty() || !create.windows.iter().any(|window| waiting.contains(&window)))
}
