//! In which states the tasks and child runs are that a run has released.

use crate::engine::Engine;
use crate::engine::question::{APPROVALS_MAX, ItemRange, OpenApproval, Released};
use crate::job::NodeWork;
use crate::run::{NodeStatus, Run};
use crate::task::{Status, Task, TaskState};
use crate::values::{InRun, NodeInstance, RunId, RunStatus, TaskIndex};
use crate::wait::Awaited;

/// Items of one node that are looked at for the state of the node.
const ITEMS_MAX: usize = 1_000;

impl Engine {
    /// By node, or by item if items are asked for; only of what is out. Empty: the run is not in memory.
    pub(super) fn released(&self, run: RunId, items: Option<ItemRange>) -> Released {
        let Some(run) = self.state.job_runs().run(run) else { return Released::default() };
        let Some(items) = items else {
            let out = |node: &u32| run.node(*node).status == NodeStatus::Out;
            let nodes = (0..run.plan.len()).filter(out);
            return Released {
                states: nodes.map(|node| (node, self.node_state(run, node))).collect(),
                approvals: self.approvals(self.wait_index.approvals_of(run.id)),
            };
        };
        Released { states: self.item_states(run, items), approvals: Vec::new() }
    }

    /// The first of these tasks that wait for approval.
    pub(super) fn approvals(&self, tasks: impl Iterator<Item = TaskIndex>) -> Vec<OpenApproval> {
        tasks.filter_map(|index| self.approval(self.state.tasks.get(index)?)).take(APPROVALS_MAX).collect()
    }

    fn approval(&self, task: &Task) -> Option<OpenApproval> {
        let TaskState::Waiting(wait) = &task.state else { return None };
        let Awaited::Approval(approval) = &wait.what else { return None };
        let InRun { run, place } = *task.in_run.as_deref()?;
        let run = self.state.job_runs().run(run)?;
        Some(OpenApproval {
            run: run.id,
            job: run.job.clone(),
            id: task.id,
            task: run.plan.node(place.node).name.clone(),
            item: crate::run::approval::item(place),
            approval: approval.clone(),
            since: wait.since,
            deadline: wait.deadline,
            late: wait.late,
        })
    }

    fn item_states(&self, run: &Run, ItemRange { node, from, count }: ItemRange) -> Vec<(u32, Status)> {
        let Some(group) = run.groups.get(&node) else { return Vec::new() };
        let through = from.saturating_add(count).min(group.count());
        let out = |item: &u32| group.items[*item as usize] == NodeStatus::Out;
        (from..through).filter(out).map(|item| (item, self.place_state(run, node, item))).collect()
    }

    /// The state that people see of a node.
    pub(super) fn node_state(&self, run: &Run, node: u32) -> Status {
        let status = run.node(node).status;
        let out = (status == NodeStatus::Out).then(|| match run.groups.get(&node) {
            None => self.place_state(run, node, NodeInstance::WHOLE),
            Some(group) => {
                let live = (0..group.released).filter(|item| group.items[*item as usize] == NodeStatus::Out);
                let states = live.take(ITEMS_MAX).map(|item| self.place_state(run, node, item));
                // What has come furthest stands for the node.
                states.max_by_key(|state| progress(*state)).unwrap_or(Status::Pending)
            }
        });
        status.state(out)
    }

    fn place_state(&self, run: &Run, node: u32, index: u32) -> Status {
        let place = run.place(node, index);
        match &run.plan.node(node).work {
            // One that is not in memory waits for a far time.
            NodeWork::Task(_) => {
                self.state.tasks.by_id(run.id.task(place)).map_or(Status::Pending, Task::status)
            }
            NodeWork::Run { .. } => match self.state.job_runs().run(run.id.child(place)) {
                Some(child) if child.status == RunStatus::Running => Status::Running,
                _ => Status::Queued,
            },
        }
    }
}

const fn progress(state: Status) -> u8 {
    match state {
        Status::Running => 5,
        Status::Assigned => 4,
        Status::Queued => 3,
        Status::RetryWait => 2,
        Status::Deferred => 1,
        Status::Pending
        | Status::Succeeded
        | Status::Failed
        | Status::Cancelled
        | Status::Skipped
        | Status::UpstreamFailed
        | Status::Quarantined => 0,
    }
}
