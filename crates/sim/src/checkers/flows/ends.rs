//! Ends that no task tells: of nodes by rule, of runs, and what is taken back by clearing (I18, I20).

use mainspring_core::job::OnEmpty;
use mainspring_core::run::{ItemsCleared, NodeStatus, RunCleared, RunEnded, RunStop};
use mainspring_core::state::State;
use mainspring_core::task::{Status, StopReason, Task};
use mainspring_core::values::{NodeInstance, RunStatus};

use super::rules::{answers_failure, fails_run, lets_downstream_run, stops_at_failure};
use super::{FlowFold, RunFacts};
use crate::checkers::{Broken, Check, require};

impl FlowFold {
    pub(super) fn run_ended(&mut self, ended: &RunEnded) -> Check {
        let run = self.run_mut(ended.id)?;
        run.check_end(ended)?;
        run.status = ended.status;
        run.ever_cancelled |= ended.status == RunStatus::Cancelled;
        run.paused = false;
        for node in &mut run.nodes {
            if super::was(node.status).is_none() {
                node.status = NodeStatus::Cancelled;
                node.map.iter_mut().for_each(super::MapFacts::give_up);
            }
        }
        let (parent, job) = (run.parent, run.job.clone());
        self.unfinished.remove(&ended.id);
        if ended.status == RunStatus::Succeeded {
            self.successes.insert(job, self.wall);
        }
        // One that was opened again has told its parent before.
        let Some(origin) = parent.filter(|_| !self.runs[&ended.id].reopened) else { return Ok(()) };
        let status = match ended.status {
            RunStatus::Succeeded => Status::Succeeded,
            RunStatus::Cancelled => Status::Cancelled,
            RunStatus::Failed | RunStatus::Queued | RunStatus::Running => Status::Failed,
        };
        self.place_ended(origin.run, origin.place, status, ended.output.as_ref().map(|output| output.len()))
    }

    pub(super) fn run_cleared(&mut self, cleared: &RunCleared, state: &State) -> Check {
        let id = cleared.id;
        let closed = {
            let run = self.run_mut(id)?;
            let children = |node: &u32| run.plan.children(*node).iter();
            let roots = cleared.nodes.iter().chain(cleared.items.iter().map(|items| &items.node));
            roots.flat_map(children).all(|child| cleared.nodes.contains(child))
        };
        require(closed, "I18", || format!("{id} was cleared without what follows from it"))?;
        self.check_stopped(cleared, state)?;
        let run = self.run_mut(id)?;
        for node in &cleared.nodes {
            let facts = &mut run.nodes[*node as usize];
            facts.status = NodeStatus::Waiting;
            facts.turn += 1;
            (facts.rounds, facts.map) = (0, None);
            run.undo.retain(|left| left != node);
            run.outputs.retain(|(of, _), _| of != node);
        }
        for items in &cleared.items {
            run.clear_items(items)?;
        }
        run.shrink(&cleared.nodes)?;
        run.ever_cleared = true;
        (run.stop, run.forced) = (None, None);
        if run.status.is_ended() {
            run.status = RunStatus::Queued;
            run.reopened = true;
            self.unfinished.insert(id);
        }
        self.counts.clears += 1;
        self.counts.items_cleared += cleared.items.iter().map(|items| items.items.len() as u64).sum::<u64>();
        Ok(())
    }

    /// What is out of a cleared node must have been told to stop.
    fn check_stopped(&self, cleared: &RunCleared, state: &State) -> Check {
        let run = &self.runs[&cleared.id];
        let of_items = |place: &NodeInstance| {
            cleared.items.iter().any(|items| items.node == place.node && items.items.contains(&place.index))
        };
        let is_cleared = |place: &&NodeInstance| cleared.nodes.contains(&place.node) || of_items(place);
        for place in run.out.iter().filter(is_cleared) {
            let stopped = if run.is_task(*place) {
                let task = state.tasks().by_id(run.id.task(*place));
                let stop = task.and_then(Task::lease).and_then(|lease| lease.stop.as_ref());
                stop.is_some_and(|stop| stop.reason == StopReason::Cancel)
            } else {
                let child = self.runs.get(&run.id.child(*place));
                child.is_some_and(|child| child.stop == Some(RunStop::Cancel))
            };
            require(stopped, "I20", || format!("{place:?} of {} goes on beside its successor", run.id))?;
        }
        Ok(())
    }
}

impl RunFacts {
    /// I19: only items that the node has, and that had their turn, get another one.
    fn clear_items(&mut self, ItemsCleared { node, items }: &ItemsCleared) -> Check {
        let id = self.id;
        let state = &mut self.nodes[*node as usize];
        let map = state.map.as_mut().filter(|map| items.iter().all(|item| *item < map.count));
        let map = map.ok_or_else(|| Broken {
            invariant: "I19",
            what: format!("{items:?} of node {node} of {id} were cleared, it has no such items"),
        })?;
        (state.status, state.turn) = (NodeStatus::Out, state.turn + 1);
        for item in items.iter().filter(|item| **item < map.released) {
            map.turns.insert(*item, state.turn);
            map.ended.remove(item);
            map.given_up.remove(item);
            map.again.insert(*item);
            self.outputs.remove(&(*node, *item));
        }
        self.undo.retain(|left| left != node);
        Ok(())
    }

    pub(super) fn stopping(&mut self, stop: RunStop) -> Check {
        let (id, status) = (self.id, self.status);
        require(status == RunStatus::Running, "I20", || format!("{id} is stopped, it is {status:?}"))?;
        let failed = self.nodes.iter().any(|node| is_bad(node.status));
        require(stop != RunStop::Failed || failed, "I20", || format!("{id} fails, no node has failed"))?;
        let policy = self.plan.policy;
        require(stop != RunStop::Failed || stops_at_failure(policy), "I20", || {
            format!("{id} is stopped by a failure under {policy:?}")
        })?;
        (self.stop, self.paused) = (Some(stop), false);
        self.ever_stopped = true;
        Ok(())
    }

    /// A node ended without running, or without a further round.
    pub(super) fn node_ended(&mut self, node: u32, status: NodeStatus) -> Check {
        let (id, spec) = (self.id, self.plan.node(node));
        let before = self.nodes[node as usize].status;
        let upstream = self.upstream(node);
        let forgiving = lets_downstream_run(self.plan.policy);
        let judged = before == NodeStatus::Judged;
        let runs = upstream.runs(spec.rule, forgiving);
        let empty = |wanted| spec.each.as_ref().is_some_and(|each| each.on_empty == wanted);
        let explained = match status {
            NodeStatus::UpstreamFailed => !forgiving && upstream.gives_up(spec.rule),
            NodeStatus::Skipped => {
                upstream.skips(spec.rule, forgiving)
                    || runs && spec.condition.as_deref() == Some("false")
                    || runs && empty(OnEmpty::Skip)
                    || runs && self.stop == Some(RunStop::Failed) && !answers_failure(spec.rule)
            }
            NodeStatus::Succeeded if judged => self.stop.is_some() || self.gives(node).is_none(),
            NodeStatus::Succeeded => runs && empty(OnEmpty::Succeed),
            NodeStatus::Failed => judged || runs,
            NodeStatus::Cancelled => self.stop.is_some(),
            NodeStatus::Waiting | NodeStatus::Out | NodeStatus::Judged => false,
        };
        require(explained && self.live(node) == 0, "I18", || {
            format!("node {node} of {id} ended as {status:?} from {before:?} after {:?}", upstream.0)
        })?;
        self.end_node(node, status)
    }

    /// I20: over when and only when every node is, and as they say.
    fn check_end(&self, ended: &RunEnded) -> Check {
        let id = self.id;
        require(!self.status.is_ended(), "I20", || format!("{id} ended twice"))?;
        require(self.out.is_empty(), "I20", || format!("{id} ended while {:?} were out", self.out))?;
        let waited = self.status == RunStatus::Queued;
        require(waited || self.is_over(), "I20", || format!("{id} ended before its nodes"))?;
        let bad = self.nodes.iter().any(|node| is_bad(node.status));
        // What an operator calls a success is not undone, whatever its tasks did.
        let failed = match self.forced {
            Some(forced) => forced != RunStatus::Succeeded,
            None => bad && fails_run(self.plan.policy) || self.stop.is_some(),
        };
        let expected = match (self.forced, self.stop) {
            (Some(forced), _) => forced,
            (None, Some(RunStop::Cancel)) => RunStatus::Cancelled,
            (None, _) if waited => RunStatus::Cancelled,
            (None, _) if failed => RunStatus::Failed,
            (None, _) => RunStatus::Succeeded,
        };
        require(ended.status == expected, "I20", || {
            format!("{id} ended as {:?}, its nodes say {expected:?}", ended.status)
        })?;
        require(waited || !failed || self.undo.is_empty(), "I20", || {
            format!("{id} failed and ended before {:?} were undone", self.undo)
        })
    }
}

fn is_bad(status: NodeStatus) -> bool {
    matches!(status, NodeStatus::Failed | NodeStatus::Cancelled)
}
