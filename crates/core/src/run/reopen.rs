//! Nodes, or items of them, are cleared: they and the run go on as if they had not ended.

use std::sync::Arc;

use super::apply::change_at;
use super::event::{ItemsCleared, RunCleared};
use super::runs::JobRuns;
use super::state::{NodeStatus, Run, StartedBy};
use crate::job::NodeEnd;
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
        cleared.items.iter().for_each(|items| run.clear_items(items));
        run.shrink(&cleared.nodes);
        run.note(now, cleared.over.clone(), note(run, cleared).into());
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

/// For people.
fn note(run: &Run, cleared: &RunCleared) -> String {
    let nodes = format!("cleared {} of {} tasks", cleared.nodes.len(), run.nodes.len());
    let items = cleared.items.iter().map(|ItemsCleared { node, items }| {
        let count = run.groups.get(node).map_or(0, super::map::MapItems::count);
        format!("{} of {count} items of `{}`", items.len(), run.plan.node(*node).name)
    });
    std::iter::once(nodes).chain(items).collect::<Vec<String>>().join(", ")
}

impl Run {
    /// Takes back what a node did, so that it can run again.
    fn clear_node(&mut self, node: u32) {
        self.reopen_node(node, NodeStatus::Waiting);
        let state = self.node_mut(node);
        (state.rounds, state.started) = (0, 0);
        self.groups.remove(&node);
        self.reused.retain(|reused| *reused != node);
        self.forget_outputs(node);
    }

    /// Takes back what items of a node did. What was taken over from an earlier run stays so: the row keeps its outputs.
    fn clear_items(&mut self, ItemsCleared { node, items }: &ItemsCleared) {
        self.reopen_node(*node, NodeStatus::Out);
        for item in items {
            self.forget_output(*node, *item);
        }
        let turn = self.node(*node).turn;
        let group = self.groups.get_mut(node).expect("EV-1: the node of cleared items has items");
        group.clear(items, turn);
    }

    /// The node has not ended, and what ends next is another turn.
    fn reopen_node(&mut self, node: u32, status: NodeStatus) {
        let plan = Arc::clone(&self.plan);
        if let Some(end) = self.node(node).status.end() {
            self.unfinished += 1;
            self.failed -= u32::from(end == NodeEnd::Failed);
            for child in plan.children(node) {
                self.node_mut(*child).ends.take_back(end);
            }
        }
        let state = self.node_mut(node);
        (state.status, state.ended) = (status, 0);
        state.turn += 1;
        self.holds.remove(&node);
        self.whys.remove(&node);
        let left = self.undo.len() - self.undone as usize;
        if let Some(at) = self.undo.iter().position(|done| *done == node) {
            self.undo.remove(at);
            self.undone -= u32::from(at >= left);
        }
    }
}
