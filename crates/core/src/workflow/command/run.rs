//! Cancelling, pausing and overriding runs.

use super::{FlowAnswer, FlowRefusal, live_run, run_of};
use crate::command::{Rejection, View};
use crate::event::Event;
use crate::id::RunId;
use crate::task::Override;
use crate::workflow::event::{FlowEvent, RunEnded};
use crate::workflow::run::{Pause, RunStatus};
use crate::workflow::stop::cancel_event;

pub(super) fn cancel(view: &View<'_>, id: RunId, out: &mut Vec<Event>) -> Result<FlowAnswer, Rejection> {
    let run = run_of(view, id)?;
    if run.status == RunStatus::Cancelled {
        return Ok(FlowAnswer::Run { id, status: run.status });
    }
    let run = live_run(view, id)?;
    let waits = run.status == RunStatus::Queued;
    out.extend(cancel_event(run).map(Event::Flow));
    Ok(FlowAnswer::Run { id, status: if waits { RunStatus::Cancelled } else { run.status } })
}

/// Nothing more is released while a run is paused; what is out goes on.
pub(super) fn pause(
    view: &View<'_>,
    id: RunId,
    paused: bool,
    out: &mut Vec<Event>,
) -> Result<FlowAnswer, Rejection> {
    let run = live_run(view, id)?;
    match (paused, &run.pause) {
        (true, None) => out.push(Event::Flow(FlowEvent::RunPaused { id, pause: Pause::ByHand })),
        (false, Some(_)) => out.push(Event::Flow(FlowEvent::RunResumed { id })),
        (true, Some(_)) | (false, None) => {}
    }
    Ok(FlowAnswer::Run { id, status: run.status })
}

pub(super) fn force(
    view: &View<'_>,
    id: RunId,
    status: RunStatus,
    over: Override,
    out: &mut Vec<Event>,
) -> Result<FlowAnswer, Rejection> {
    if !status.is_ended() {
        return Err(FlowRefusal::RunStateNotForcible { status }.into());
    }
    let run = live_run(view, id)?;
    out.push(Event::Flow(FlowEvent::RunForced { id, status, over }));
    if run.status == RunStatus::Queued {
        let ended = RunEnded { id, status, output: None, why: None };
        out.push(Event::Flow(FlowEvent::RunEnded(Box::new(ended))));
        return Ok(FlowAnswer::Run { id, status });
    }
    Ok(FlowAnswer::Run { id, status: run.status })
}

pub(super) fn reevaluate(
    view: &View<'_>,
    id: RunId,
    over: Override,
    out: &mut Vec<Event>,
) -> Result<FlowAnswer, Rejection> {
    let run = live_run(view, id)?;
    out.push(Event::Flow(FlowEvent::RunReevaluated { id, over }));
    Ok(FlowAnswer::Run { id, status: run.status })
}
