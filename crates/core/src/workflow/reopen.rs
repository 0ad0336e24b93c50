//! Nodes are cleared: they and the run go on as if they had not ended.

use super::apply::change_at;
use super::event::RunCleared;
use super::run::{RunStatus, Trigger};
use crate::shard::ShardState;
use crate::time::Wall;

pub(super) fn clear(state: &mut ShardState, cleared: &RunCleared) {
    if let Some(ended) = &cleared.ended
        && state.flows.runs.find(cleared.id).is_none()
    {
        let mut run = (**ended).clone();
        run.derive();
        run.touched = state.seq;
        state.flows.add(run);
    }
    let slot = state.flows.runs.find(cleared.id).expect("EV-1: the run of an event is in memory");
    let mut reopened = false;
    change_at(state, slot, |run, now| {
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
            if run.trigger == Trigger::Parent {
                run.trigger = Trigger::Rerun;
            }
        }
        run.stop = None;
        run.forced = None;
        run.soft.stop_cursor = None;
        // Clearing is the one thing after which a verdict (TR-1) may be another one.
        run.forget_ready();
        (0..run.plan.len()).for_each(|node| run.list(node));
    });
    let run = state.flows.runs.get(slot).expect("EV-1: a found slot is taken");
    let (key, id, is_backfill) = (run.job.clone(), run.id, run.is_backfill());
    let occasion = run.schedule();
    if reopened {
        crate::trigger::apply::count(state, id, true);
        if let Some(schedule) = occasion {
            crate::schedule::apply::began(state, schedule, crate::schedule::Made::Run(id));
        }
        if let Some(job) = state.flows.jobs.get_mut(&key) {
            job.lanes.join(slot, is_backfill);
        }
        state.flows.jobs_called.push(key);
    }
}
