//! Cancelling, pausing and overriding runs.

use super::stop::cancel_event;
use super::{RunAnswer, live_run, run_of};
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::run::{Pause, RunEnded, RunEvent, RunRefusal};
use crate::values::{Actor, RunId, RunStatus};

pub(crate) fn cancel(view: &View<'_>, id: RunId, out: &mut Out<'_>) -> Result<RunAnswer, Rejection> {
    let run = run_of(view, id)?;
    if run.status == RunStatus::Cancelled {
        return Ok(RunAnswer::Run { id, status: run.status });
    }
    let run = live_run(view, id)?;
    let waits = run.status == RunStatus::Queued;
    out.extend(cancel_event(run).map(Event::Run));
    Ok(RunAnswer::Run { id, status: if waits { RunStatus::Cancelled } else { run.status } })
}

/// Nothing more is released while a run is paused; what is out goes on.
pub(crate) fn pause(
    view: &View<'_>,
    id: RunId,
    paused: bool,
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    let run = live_run(view, id)?;
    match (paused, &run.pause) {
        (true, None) => out.push(Event::Run(RunEvent::RunPaused { id, pause: Pause::ByHand })),
        (false, Some(_)) => out.push(Event::Run(RunEvent::RunResumed { id })),
        (true, Some(_)) | (false, None) => {}
    }
    Ok(RunAnswer::Run { id, status: run.status })
}

pub(crate) fn force(
    view: &View<'_>,
    id: RunId,
    status: RunStatus,
    over: Actor,
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    if !status.is_ended() {
        return Err(RunRefusal::RunStateNotForcible { status }.into());
    }
    let run = live_run(view, id)?;
    out.push(Event::Run(RunEvent::RunForced { id, status, over }));
    if run.status == RunStatus::Queued {
        let ended = RunEnded { id, status, output: None, why: None };
        out.push(Event::Run(RunEvent::RunEnded(Box::new(ended))));
        return Ok(RunAnswer::Run { id, status });
    }
    Ok(RunAnswer::Run { id, status: run.status })
}

pub(crate) fn reevaluate(
    view: &View<'_>,
    id: RunId,
    over: Actor,
    out: &mut Out<'_>,
) -> Result<RunAnswer, Rejection> {
    let run = live_run(view, id)?;
    out.push(Event::Run(RunEvent::RunReevaluated { id, over }));
    Ok(RunAnswer::Run { id, status: run.status })
}
