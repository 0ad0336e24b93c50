//! How the end of one node moves the others: counters, lists, groups. Time proportional to the children.

use std::sync::Arc;

use super::state::{NodeStatus, Run};
use crate::collections::Soft;
use crate::job::{NodeEnd, RuleVerdict, UpstreamEnds};
use crate::task::Status;
use crate::values::{NodeInstance, RunStatus, TaskId, Wall};

/// How the reason begins that a node has whose undo could not even start.
pub(crate) const UNDO_SKIPPED: &str = "its undo: ";

impl Run {
    /// What a node's rule says now. Under `skip_failed` a failed upstream node stands in no one's way: what would be
    /// given up for it runs when the others have ended.
    pub fn verdict(&self, node: u32) -> RuleVerdict {
        let spec = self.plan.node(node);
        let (total, ends) = (spec.needs.len() as u32, &self.node(node).ends);
        match spec.rule.verdict(total, ends) {
            RuleVerdict::UpstreamFailed if self.plan.policy.lets_downstream_run() => {
                spec.rule.verdict(total, &ends.forgiven())
            }
            verdict => verdict,
        }
    }

    /// Puts a node on the list of those to look at, if there is something to decide.
    pub(crate) fn list(&mut self, node: u32) {
        if self.wants_look(node) {
            self.soft.lists.list(node);
        }
    }

    /// Something can be decided about this node.
    pub(crate) fn wants_look(&self, node: u32) -> bool {
        match self.node(node).status {
            NodeStatus::Waiting => self.verdict(node) != RuleVerdict::Wait,
            NodeStatus::Judged => true,
            NodeStatus::Out => self.groups.get(&node).is_some_and(super::map::MapItems::has_unreleased),
            NodeStatus::Succeeded
            | NodeStatus::Failed
            | NodeStatus::UpstreamFailed
            | NodeStatus::Skipped
            | NodeStatus::Cancelled => false,
        }
    }

    pub(crate) fn offset(&self, now: Wall) -> u32 {
        u32::try_from(now.since(self.created).get()).unwrap_or(u32::MAX)
    }

    pub(crate) fn begin_node(&mut self, node: u32, now: Wall) {
        let started = self.offset(now);
        let state = self.node_mut(node);
        if state.status == NodeStatus::Waiting {
            state.started = started;
        }
        state.status = NodeStatus::Out;
        self.holds.remove(&node);
    }

    pub(crate) fn end_node(&mut self, node: u32, status: NodeStatus, now: Wall) {
        let ended = self.offset(now);
        let Some(end) = status.end() else { return };
        let state = self.node_mut(node);
        debug_assert!(state.status.end().is_none(), "WF-2: a node ends once");
        state.status = status;
        state.ended = ended;
        self.holds.remove(&node);
        if let Some(group) = self.groups.get_mut(&node) {
            group.cut(NodeStatus::Cancelled);
        }
        self.unfinished -= 1;
        self.failed += u32::from(end == NodeEnd::Failed);
        let plan = Arc::clone(&self.plan);
        if status == NodeStatus::Succeeded && plan.node(node).undo.is_some() {
            self.undo.push(node);
        }
        for child in plan.children(node) {
            self.node_mut(*child).ends.add(end);
            self.list(*child);
        }
    }

    /// The end of a task or child run that this run had released.
    pub(crate) fn place_ended(
        &mut self,
        place: NodeInstance,
        status: Status,
        output: Option<&Arc<[u8]>>,
        now: Wall,
    ) {
        self.out -= 1;
        let NodeInstance { node, index, turn } = place;
        if index == NodeInstance::UNDO {
            // Its node may have been cleared meanwhile, or others have succeeded after it.
            if self.node(node).turn != turn || !self.note_undone(node) {
                return;
            }
            if status != Status::Succeeded {
                self.whys.insert(node, format!("its undo ended as {}", status.label()).into());
            }
            return;
        }
        // Cleared meanwhile: its successor counts.
        if self.place(node, index).turn != turn {
            return;
        }
        let status = match status {
            Status::Succeeded => NodeStatus::Succeeded,
            Status::Cancelled => NodeStatus::Cancelled,
            Status::Skipped => NodeStatus::Skipped,
            Status::UpstreamFailed => NodeStatus::UpstreamFailed,
            _ => NodeStatus::Failed,
        };
        let plan = Arc::clone(&self.plan);
        let spec = plan.node(node);
        if let Some(output) = output
            && (spec.output_kept || spec.is_judged())
        {
            self.keep_output(node, index, output.clone());
        }
        if let Some(group) = self.groups.get_mut(&node) {
            group.end(index, status);
            let tolerance = spec.each.as_ref().map_or(crate::job::Tolerance::NONE, |each| each.tolerance);
            match group.outcome(tolerance) {
                Some(outcome) => self.end_node(node, outcome, now),
                None => self.list(node),
            }
        } else if status == NodeStatus::Succeeded && spec.is_judged() {
            self.node_mut(node).status = NodeStatus::Judged;
            self.list(node);
        } else {
            self.end_node(node, status, now);
        }
    }

    pub(crate) fn keep_output(&mut self, node: u32, index: u32, output: Arc<[u8]>) {
        self.output_bytes += output.len() as u64;
        if let Some(old) = self.outputs.insert((node, index), output) {
            self.output_bytes -= old.len() as u64;
        }
    }

    pub(crate) fn forget_outputs(&mut self, node: u32) {
        let kept: Vec<(u32, u32)> =
            self.outputs.range((node, 0)..=(node, u32::MAX)).map(|(key, _)| *key).collect();
        for (node, index) in kept {
            self.forget_output(node, index);
        }
    }

    pub(crate) fn forget_output(&mut self, node: u32, index: u32) {
        if let Some(output) = self.outputs.remove(&(node, index)) {
            self.output_bytes -= output.len() as u64;
        }
    }

    /// What of `undo` is still to be undone is at its front. False: this node is not among them.
    pub(crate) fn note_undone(&mut self, node: u32) -> bool {
        let left = self.undo.len() - self.undone as usize;
        let Some(at) = self.undo[..left].iter().rposition(|done| *done == node) else { return false };
        self.undo[at..left].rotate_left(1);
        self.undone += 1;
        true
    }

    /// The task that undoes the node, or undid it. Undos go one after the other, the last success first.
    pub fn undo_task(&self, node: u32) -> Option<TaskId> {
        let goes_on = usize::from(self.unfinished == 0 && self.out > 0);
        let mut begun = self.undo.iter().rev().take(self.undone as usize + goes_on);
        let was_skipped = || self.whys.get(&node).is_some_and(|why| why.starts_with(UNDO_SKIPPED));
        (begun.any(|undone| *undone == node) && !was_skipped())
            .then(|| self.task_at(node, NodeInstance::UNDO))
    }

    /// The run goes on: what has been undone is not undone again.
    pub(crate) fn drop_undone(&mut self) {
        self.undo.truncate(self.undo.len() - self.undone as usize);
        self.undone = 0;
    }

    /// Everything soft and every counter that rows leave out, from what the nodes say.
    pub(crate) fn derive(&mut self) {
        self.soft = Soft::default();
        self.recount();
        if self.status == RunStatus::Running {
            (0..self.plan.len()).for_each(|node| self.list(node));
            self.soft.lists.stop_cursor = self.stop.map(|_| (0, 0));
        }
    }

    /// The counters of RN-1 that follow from what the nodes say.
    pub(crate) fn recount(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.ends = UpstreamEnds::default());
        let plan = Arc::clone(&self.plan);
        (self.unfinished, self.failed) = (0, 0);
        for node in 0..plan.len() {
            match self.node(node).status.end() {
                None => self.unfinished += 1,
                Some(end) => {
                    self.failed += u32::from(end == NodeEnd::Failed);
                    for child in plan.children(node) {
                        self.node_mut(*child).ends.add(end);
                    }
                }
            }
        }
    }
}
