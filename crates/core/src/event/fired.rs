//! Windows, triggers and backfills that began something: read from the event that creates it, for the table of who began it.

use super::{Event, Submitted};
use crate::run::{RunCreated, RunEvent};
use crate::schedule::WindowFired;
use crate::trigger::{LedgerWindow, TriggerFired};
use crate::values::{BackfillId, FiredBy, RunId, ScheduleId, Started, Wall, Window};

/// A window of a backfill began its run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackfillStarted {
    pub id: BackfillId,
    pub schedule: ScheduleId,
    pub window: Wall,
    pub run: RunId,
}

impl Event {
    pub fn window_fired(&self) -> Option<WindowFired> {
        match self {
            Self::TaskSubmitted(submitted) => window_of_task(submitted),
            Self::Run(RunEvent::RunCreated(created)) => window_of_run(created),
            _ => None,
        }
    }

    pub fn trigger_fired(&self) -> Option<TriggerFired> {
        let Self::Run(RunEvent::RunCreated(created)) = self else { return None };
        trigger_of(created)
    }

    pub fn backfill_started(&self) -> Option<BackfillStarted> {
        let Self::Run(RunEvent::RunCreated(created)) = self else { return None };
        backfill_of(created)
    }
}

fn window_fired(window: &Window, made: Started, next: Option<Wall>) -> WindowFired {
    WindowFired { id: window.schedule, window: window.at, made, fired_as: window.fired_as, next }
}

pub(crate) fn window_of_task(submitted: &Submitted) -> Option<WindowFired> {
    let fired = submitted.window.as_ref()?;
    Some(window_fired(&fired.window, Started::Task(submitted.id), fired.next))
}

pub(crate) fn window_of_run(created: &RunCreated) -> Option<WindowFired> {
    let Some(FiredBy::Schedule { next }) = created.fired_by else { return None };
    Some(window_fired(created.origin.window.as_ref()?, Started::Run(created.id), next))
}

pub(crate) fn trigger_of(created: &RunCreated) -> Option<TriggerFired> {
    let Some(FiredBy::Trigger(id)) = created.fired_by else { return None };
    let notice = &created.origin.cause.as_ref()?.notice;
    Some(TriggerFired {
        id,
        source: notice.source.clone(),
        event: notice.id.clone(),
        run: created.id,
        window: created.origin.window.as_deref().map(LedgerWindow::of),
    })
}

pub(crate) fn backfill_of(created: &RunCreated) -> Option<BackfillStarted> {
    let Some(FiredBy::Backfill(id)) = created.fired_by else { return None };
    let window = created.origin.window.as_ref()?;
    Some(BackfillStarted { id, schedule: window.schedule, window: window.at, run: created.id })
}
