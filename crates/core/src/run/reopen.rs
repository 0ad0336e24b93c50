//! Nodes are cleared: they and the run go on as if they had not ended.

use super::apply::change_at;
use super::event::RunCleared;
use super::runs::JobRuns;
use super::state::StartedBy;
use crate::values::{RunStatus, Stamp, Wall};
use crate::work::WorkList;

pub(crate) fn clear(runs: &mut JobRuns, at: Stamp, cleared: &RunCleared, work: &mut WorkList) {
    if let Some(ended) = &cleared.ended
        && runs.runs.find(cleared.id).is_none()
    {
        let mut run = (**ended).clone();
        run.derive();
        run.touched = at.seq;
        runs.add(run);
    }
    let index = runs.runs.find(cleared.id).expect("EV-1: the run of an event is in memory");
    let mut reopened = false;
    change_at(runs, at, index, work, |run, now| {
        for node in &cleared.nodes {
            run.clear_node(*node);
        }
        run.shrink(&cleared.nodes);
        let what = format!("cleared {} of {} nodes", cleared.nodes.len(), run.nodes.len());
        run.note(now, cleared.over.clone(), what.into());
        run.drop_undone();
        if run.status.is_ended() {
            reopened = true;
            run.status = RunStatus::Queued;
            run.ended = Wall::ZERO;
            run.output = None;
            run.why = None;
            if run.origin.started_by == StartedBy::Parent {
                run.origin.started_by = StartedBy::Rerun;
            }
        }
        run.stop = None;
        run.forced = None;
        run.soft.lists.stop_cursor = None;
        // Clearing is the one thing after which a verdict (JR-1) may be another one.
        run.soft.lists.forget_ready();
        (0..run.plan.len()).for_each(|node| run.list(node));
    });
    let run = runs.runs.get(index).expect("EV-1: a found slot is taken");
    let (key, is_backfill) = (run.job.clone(), run.is_backfill());
    if reopened {
        if let Some(job) = runs.jobs.get_mut(&key) {
            job.lanes.join(index, is_backfill);
        }
        work.job(key);
    }
}
