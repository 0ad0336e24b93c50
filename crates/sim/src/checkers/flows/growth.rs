//! What a run was given beyond its plan (I18, I19), and what it waits for outside of itself.

use mainspring_core::job::{JobKey, Node, Plan};
use mainspring_core::run::{NodeStatus, TasksAdded};
use mainspring_core::values::RunId;

use super::{AddedFacts, FlowFold, NodeFacts, RunFacts};
use crate::checkers::{Check, require};
use crate::words;

impl FlowFold {
    pub(super) fn tasks_added(&mut self, added: &TasksAdded) -> Check {
        self.counts.added += added.nodes.len() as u64;
        self.run_mut(added.run)?.grow(added.node, &added.nodes)
    }

    /// I18: it waits only for what it needs and does not have.
    pub(super) fn job_awaited(&mut self, id: RunId, node: u32) -> Check {
        self.counts.awaited += 1;
        let met = self.meets_jobs(id, node)?;
        let status = self.run_mut(id)?.nodes[node as usize].status;
        require(!met && status == NodeStatus::Waiting, "I18", || {
            format!("node {node} of {id} waits for jobs, it was {status:?}, met {met}")
        })
    }

    /// I18: the jobs that a node needs have succeeded, not too long ago.
    pub(super) fn check_jobs(&mut self, id: RunId, node: u32) -> Check {
        let met = self.meets_jobs(id, node)?;
        require(met, "I18", || format!("node {node} of {id} was released before the jobs that it needs"))
    }

    fn meets_jobs(&mut self, id: RunId, node: u32) -> Result<bool, crate::checkers::Broken> {
        let now = self.wall;
        let run = self.run_mut(id)?;
        let (tenant, plan) = (run.job.tenant.clone(), run.plan.clone());
        let young = |need: &mainspring_core::job::JobNeed| {
            let key = JobKey { tenant: tenant.clone(), name: need.job.clone() };
            let at = self.successes.get(&key);
            at.is_some_and(|at| need.within.is_none_or(|within| now.since(*at) <= within))
        };
        Ok(plan.node(node).needs_jobs.iter().all(young))
    }
}

impl RunFacts {
    /// What the texts of a node and its output give; `None`: they give nothing.
    pub(super) fn gives(&self, node: u32) -> Option<Vec<Node>> {
        let spawns = self.plan.node(node).spawns.as_deref() == Some("add");
        let bytes =
            self.outputs.get(&(node, mainspring_core::values::NodeInstance::WHOLE)).filter(|_| spawns)?;
        Some(words::added(&self.plan, node, *bytes)).filter(|nodes| !nodes.is_empty())
    }

    fn grow(&mut self, by: u32, given: &[Node]) -> Check {
        let (id, status) = (self.id, self.nodes[by as usize].status);
        require(status == NodeStatus::Judged && self.stop.is_none() && !self.paused, "I19", || {
            format!("node {by} of {id} added tasks, it was {status:?}, stop {:?}", self.stop)
        })?;
        require(self.gives(by).as_deref() == Some(given), "I19", || {
            format!("node {by} of {id} added {} tasks that it did not give", given.len())
        })?;
        let first = self.plan.len();
        let nodes: Vec<u32> = (first..first + given.len() as u32).collect();
        let needed = |node: &u32| given.iter().any(|other| other.needs.contains(node));
        let leaves: Vec<u32> = nodes.iter().copied().filter(|node| !needed(node)).collect();
        let waits: Vec<u32> = (0..first)
            .filter(|node| self.plan.node(*node).needs.contains(&by))
            .filter(|node| self.nodes[*node as usize].status == NodeStatus::Waiting)
            .collect();
        let mut all = self.all_nodes();
        all.extend(given.iter().cloned());
        for child in &waits {
            all[*child as usize].needs.extend(&leaves);
        }
        self.set_nodes(all);
        self.nodes.resize_with(self.plan.nodes().len(), NodeFacts::default);
        self.added.push(AddedFacts { by, nodes, leaves, waits });
        self.end_node(by, NodeStatus::Succeeded)
    }

    /// Nodes were cleared: what they had added went with them, and nobody waits for it any more.
    pub(super) fn shrink(&mut self, cleared: &[u32]) -> Check {
        let id = self.id;
        let (gone, kept) =
            std::mem::take(&mut self.added).into_iter().partition(|added| cleared.contains(&added.by));
        self.added = kept;
        let gone: Vec<AddedFacts> = gone;
        let mut all = self.all_nodes();
        for added in &gone {
            require(added.nodes.iter().all(|node| cleared.contains(node)), "I18", || {
                format!("node {} of {id} was cleared without what it had added", added.by)
            })?;
            for child in &added.waits {
                all[*child as usize].needs.retain(|need| !added.leaves.contains(need));
            }
            for node in &added.nodes {
                all[*node as usize].needs.clear();
                self.nodes[*node as usize].status = NodeStatus::Skipped;
            }
        }
        if !gone.is_empty() {
            self.set_nodes(all);
        }
        Ok(())
    }

    fn all_nodes(&self) -> Vec<Node> {
        self.plan.nodes().iter().map(|node| (**node).clone()).collect()
    }

    fn set_nodes(&mut self, nodes: Vec<Node>) {
        let (policy, bounds, outputs) = (self.plan.policy, self.plan.bounds, self.plan.outputs.clone());
        self.plan = Plan::new(nodes, policy, bounds, outputs).into();
    }
}
