//! What a backfill can do now: begin its next window, stop a run, or end.

use crate::backfill::{Backfill, BackfillEvent};
use crate::decision::{Out, View};
use crate::event::Event;
use crate::job::Job;
use crate::run::decide::cancel_run;
use crate::run::{Origin, Run, RunCreated, RunEvent, StartedBy};
use crate::schedule::Schedule;
use crate::values::{BackfillId, Band, FiredAs, FiredBy, Pressure, Priority, RunId, Window};

pub(crate) enum NextWindow {
    /// A window began its run.
    Began,
    /// Something else was decided.
    Decided,
    /// There is no room for a window.
    Later,
    Nothing,
}

pub(crate) fn next(view: &View<'_>, id: BackfillId, out: &mut Out<'_>) -> NextWindow {
    let Some(backfill) = view.state.backfills.get(id) else { return NextWindow::Nothing };
    if backfill.is_over() {
        out.push(Event::Backfill(BackfillEvent::Ended { id }));
        return NextWindow::Decided;
    }
    if let Some(run) = run_to_stop(view, backfill) {
        let before = out.len();
        let _ = cancel_run(view, run.id, out);
        return if out.len() > before { NextWindow::Decided } else { NextWindow::Nothing };
    }
    if backfill.ended.is_some() || backfill.halt.is_some() {
        return NextWindow::Nothing;
    }
    let Some((schedule, job)) = origin(view, backfill) else {
        // The schedule or the job went: what runs goes on, as it does for live windows.
        let gone = BackfillEvent::Cancelled { id, stop_runs: false };
        out.push(Event::Backfill(gone));
        return NextWindow::Decided;
    };
    if !backfill.may_start() {
        return NextWindow::Nothing;
    }
    // Work that can wait does not press on a store that lags.
    if view.pressure != Pressure::None || !view.has_room_for_window() {
        return NextWindow::Later;
    }
    start_window(view, backfill, (schedule, job), out)
}

/// Something can be done about it now, or could if there were room.
pub(crate) fn goes_on(view: &View<'_>, backfill: &Backfill) -> bool {
    let off = backfill.ended.is_none() && backfill.halt.is_none() && origin(view, backfill).is_none();
    backfill.is_over() || off || backfill.may_start() || run_to_stop(view, backfill).is_some()
}

fn start_window(
    view: &View<'_>,
    backfill: &Backfill,
    (schedule, job): (&Schedule, &Job),
    out: &mut Out<'_>,
) -> NextWindow {
    let Some(window) = backfill.next() else { return NextWindow::Nothing };
    let (id, now) = (backfill.id, view.state.now.wall);
    let run = RunId::new(now.millis(), schedule.bucket, id.mix(window.millis()));
    let what_for = Window {
        schedule: schedule.id,
        name: schedule.key.name.clone(),
        at: window,
        from: schedule.interval_from(window),
        fired_as: FiredAs::Backfill,
    };
    let spec = &backfill.spec;
    let origin = Origin { window: Some(Box::new(what_for)), ..Origin::of(StartedBy::Backfill) };
    let created = RunCreated {
        plan: (spec.version != job.version).then(|| backfill.plan.clone()),
        priority: Some(Priority::of(Band::Backfill)),
        fired_by: Some(FiredBy::Backfill(id)),
        ..RunCreated::new(run, job.key.clone(), spec.version, spec.parameters.clone(), origin)
    };
    out.push(Event::Run(RunEvent::RunCreated(Box::new(created))));
    NextWindow::Began
}

/// Its schedule and its job, while neither was deleted.
fn origin<'a>(view: &View<'a>, backfill: &Backfill) -> Option<(&'a Schedule, &'a Job)> {
    let schedule = view.state.schedules.get(backfill.schedule).filter(|one| one.rare.deleted.is_none())?;
    let job = view.state.job_runs.jobs.get(&schedule.job_key()).filter(|job| job.deleted.is_none())?;
    Some((schedule, job))
}

/// A run of a cancelled backfill that nobody has stopped.
fn run_to_stop<'a>(view: &View<'a>, backfill: &Backfill) -> Option<&'a Run> {
    backfill.halt.filter(|halt| halt.stop_runs)?;
    let runs = backfill.active.iter().filter_map(|id| view.state.job_runs.run(*id));
    runs.into_iter().find(|run| run.stop.is_none() && !run.status.is_ended())
}
