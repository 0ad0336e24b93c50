//! A run that waits begins when its job has room for it.

use crate::decision::{Next, Out, View};
use crate::event::Event;
use crate::job::JobKey;
use crate::run::RunEvent;

/// One run per look: the next look sees the room that is left.
pub(crate) fn decide(view: &View<'_>, job: &JobKey, out: &mut Out<'_>) -> Next {
    let job_runs = &view.state.job_runs;
    let Some(job) = job_runs.jobs.get(job).filter(|job| !job.paused) else { return Next::Done };
    let first = job.lanes.waiting.front().and_then(|index| job_runs.runs.get(*index));
    let Some(run) = first else { return Next::Done };
    // Those of backfills are last: behind one that has no room nothing live waits.
    if !job.lanes.has_room(job.definition.plan.bounds.active_runs_max, run.is_backfill()) {
        return Next::Done;
    }
    out.push(Event::Run(RunEvent::RunStarted { id: run.id }));
    Next::Again
}
