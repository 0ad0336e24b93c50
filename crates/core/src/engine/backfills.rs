//! Backfills go on: while a place is free the next window begins its run, and what was cancelled is stopped.

use super::schedules::{from, job_of};
use super::{Batch, Engine};
use crate::backfill::{Backfill, BackfillEvent};
use crate::event::Event;
use crate::job::Job;
use crate::run::{Run, RunCreated, RunEvent, StartedBy};
use crate::schedule::Schedule;
use crate::values::{BackfillId, Band, FiredAs, Millis, Pressure, Priority, RunId, Window};

/// Backfills looked at in one step; the rest waits for the next, so that commands have their turn.
const STEP_MAX: usize = 100;
/// Of each of them at most so many windows or runs.
const STARTS_MAX: usize = 100;
/// Wait before a window is tried again for which there was no room.
const NO_ROOM: Millis = Millis::from_secs(1);

/// What a backfill can do now.
enum NextWindow {
    Events(Vec<Event>),
    /// There is no room for a window.
    Later,
    Nothing,
}

impl Engine {
    pub(super) fn run_backfills(&mut self, batch: &mut Batch) {
        let now = self.state.now.wall;
        self.state.backfills.wake(now);
        for _ in 0..self.state.backfills.called().min(STEP_MAX) {
            let Some(id) = self.state.backfills.next_called() else { return };
            self.guard_backfill(id, batch, |engine, batch| engine.backfill_called(id, batch));
            self.announce_ends(batch);
        }
    }

    fn backfill_called(&mut self, id: BackfillId, batch: &mut Batch) {
        for _ in 0..STARTS_MAX {
            match self.next_of_backfill(id) {
                NextWindow::Events(events) => {
                    if let Some(Event::Backfill(BackfillEvent::Started { .. })) = events.first() {
                        self.tally.window_fired(FiredAs::Backfill);
                    }
                    self.commit_all(events, batch);
                }
                NextWindow::Later => {
                    let at = self.state.now.wall + NO_ROOM;
                    return self.state.backfills.retry_at(id, at);
                }
                NextWindow::Nothing => return,
            }
        }
        self.state.backfills.call(id);
    }

    fn next_of_backfill(&self, id: BackfillId) -> NextWindow {
        let Some(backfill) = self.state.backfills.get(id) else { return NextWindow::Nothing };
        if backfill.is_over() {
            return NextWindow::Events(vec![Event::Backfill(BackfillEvent::Ended { id })]);
        }
        if let Some(run) = self.run_to_stop(backfill) {
            let mut events = Vec::new();
            let done = crate::run::decide::cancel_run(&self.view(), run.id, &mut events);
            return if done.is_ok() && !events.is_empty() {
                NextWindow::Events(events)
            } else {
                NextWindow::Nothing
            };
        }
        if backfill.ended.is_some() || backfill.halt.is_some() {
            return NextWindow::Nothing;
        }
        let Some((schedule, job)) = self.origin_of(backfill) else {
            // The schedule or the job went: what runs goes on, as it does for live windows.
            let gone = BackfillEvent::Cancelled { id, stop_runs: false };
            return NextWindow::Events(vec![Event::Backfill(gone)]);
        };
        if !backfill.may_start() {
            return NextWindow::Nothing;
        }
        // Work that can wait does not press on a store that lags.
        if self.pressure != Pressure::None || !self.has_room_for_window() {
            return NextWindow::Later;
        }
        self.start_window(backfill, schedule, job)
    }

    fn start_window(&self, backfill: &Backfill, schedule: &Schedule, job: &Job) -> NextWindow {
        let Some(window) = backfill.next() else { return NextWindow::Nothing };
        let (id, now) = (backfill.id, self.state.now.wall);
        let run = RunId::new(now.millis(), schedule.bucket, id.mix(window.millis()));
        let occasion = Window {
            schedule: schedule.id,
            name: schedule.key.name.clone(),
            at: window,
            from: from(schedule, window),
            punctual: FiredAs::Backfill,
        };
        let spec = &backfill.spec;
        let created = RunCreated {
            id: run,
            job: job.key.clone(),
            version: spec.version,
            plan: (spec.version != job.version).then(|| backfill.plan.clone()),
            parameters: spec.parameters.clone(),
            priority: Some(Priority::of(Band::Backfill)),
            labels: None,
            key: None,
            trigger: StartedBy::Backfill,
            parent: None,
            rerun_of: None,
            reused: Vec::new(),
            occasion: Some(Box::new(occasion)),
            cause: None,
        };
        NextWindow::Events(vec![
            Event::Backfill(BackfillEvent::Started { id, window, run }),
            Event::Run(RunEvent::RunCreated(Box::new(created))),
        ])
    }

    /// Its schedule and its job, while neither was deleted.
    fn origin_of(&self, backfill: &Backfill) -> Option<(&Schedule, &Job)> {
        let schedule =
            self.state.schedules.get(backfill.schedule).filter(|one| one.rare.deleted.is_none())?;
        let job = self.state.flows.jobs.get(&job_of(schedule)).filter(|job| job.deleted.is_none())?;
        Some((schedule, job))
    }

    /// A run of a cancelled backfill that nobody has stopped.
    fn run_to_stop(&self, backfill: &Backfill) -> Option<&Run> {
        backfill.halt.filter(|halt| halt.stop_runs)?;
        let runs = backfill.active.iter().filter_map(|id| self.state.flows.run(*id));
        runs.into_iter().find(|run| run.stop.is_none() && !run.status.is_ended())
    }

    /// Something can be done about it now, or could if there were room.
    pub(super) fn backfill_goes_on(&self, backfill: &Backfill) -> bool {
        let off = backfill.ended.is_none() && backfill.halt.is_none() && self.origin_of(backfill).is_none();
        backfill.is_over() || off || backfill.may_start() || self.run_to_stop(backfill).is_some()
    }

    pub(super) fn has_backfill_work(&self) -> bool {
        self.state.backfills.called() > 0
    }

    /// It will be looked at, at once or as soon as there may be room.
    pub(super) fn is_backfill_called(&self, id: BackfillId) -> bool {
        let soon = self.state.now.wall + NO_ROOM;
        let backfill = self.state.backfills.get(id);
        backfill.is_some_and(|one| one.soft.called || one.soft.retry.is_some_and(|at| at <= soon))
    }

    /// The watchdog: one that can go on and that nobody called is called.
    pub(super) fn watch_backfills(&mut self) {
        let goes_on = self.state.backfills.iter().filter(|backfill| self.backfill_goes_on(backfill));
        let missed: Vec<BackfillId> =
            goes_on.map(|backfill| backfill.id).filter(|id| !self.is_backfill_called(*id)).collect();
        for id in missed {
            self.state.backfills.call(id);
        }
    }
}
