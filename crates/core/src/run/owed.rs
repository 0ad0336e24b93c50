//! What a run owes the world, from what is durable of it alone: lists and timers are what must pay it.

use super::state::{NodeStatus, Run, RunStop};
use crate::job::{JobTable, RuleVerdict};
use crate::values::{Millis, RunStatus, Wall};

/// A run that may go on does so within this span: the longest wait for its share of releases.
pub(crate) const DECIDED_WITHIN: Millis = Millis::from_secs(1);

impl Run {
    /// Something can be decided or released without anything more happening.
    pub(crate) fn is_decidable(&self, jobs: &JobTable, now: Wall) -> bool {
        if self.status != RunStatus::Running {
            return false;
        }
        if self.unfinished == 0 {
            return self.out == 0;
        }
        self.stop.is_none() && self.must_stop_for_failure()
            || (0..self.plan.len()).any(|node| self.is_node_decidable(node, jobs, now))
    }

    fn is_node_decidable(&self, node: u32, jobs: &JobTable, now: Wall) -> bool {
        let may_release = self.pause.is_none() && self.out < self.plan.bounds.running_max;
        let spec = self.plan.node(node);
        match self.node(node).status {
            NodeStatus::Judged => self.pause.is_none(),
            NodeStatus::Waiting => match (self.stop, self.verdict(node)) {
                (Some(RunStop::Cancel | RunStop::Timeout), _)
                | (_, RuleVerdict::Skip | RuleVerdict::UpstreamFailed) => true,
                (_, RuleVerdict::Wait) => false,
                (Some(RunStop::Failed), RuleVerdict::Run) if !spec.rule.answers_failure() => true,
                (_, RuleVerdict::Run) => may_release && !self.is_held(node, jobs, now),
            },
            NodeStatus::Out => {
                let group = self.groups.get(&node).filter(|group| group.has_unreleased());
                let active_max = spec.each.as_ref().map_or(0, |each| each.active_max);
                may_release && group.is_some_and(|group| group.live < active_max)
            }
            NodeStatus::Succeeded
            | NodeStatus::Failed
            | NodeStatus::UpstreamFailed
            | NodeStatus::Skipped
            | NodeStatus::Cancelled => false,
        }
    }

    /// A task has failed, and the failure policy stops the run for it.
    pub(crate) fn must_stop_for_failure(&self) -> bool {
        self.failed > 0 && self.plan.policy.stops_run()
    }

    /// It must be stopped when it takes too long.
    pub(crate) fn has_timeout_ahead(&self) -> bool {
        let watched = self.status == RunStatus::Running && self.stop.is_none() && self.unfinished > 0;
        watched && self.plan.bounds.timeout.is_some()
    }
}
