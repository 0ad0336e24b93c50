//! Nodes that need other jobs: a success of each, which may have to be young.
//! - AW-1 whether a need is met is decided when the node is released, on what jobs say at that instant
//! - AW-2 a node that waits is noted in the journal once, so that its deadline outlives a crash; a success of the job
//!   wakes it, nobody asks again and again

use super::runs::JobRuns;
use super::state::Run;
use crate::job::{JobKey, JobNeed, JobTable};
use crate::values::{Millis, RunId, RunIndex, Wall};
use crate::work::WorkList;

fn is_met(need: &JobNeed, jobs: &JobTable, run: &Run, now: Wall) -> bool {
    let key = JobKey { tenant: run.job.tenant.clone(), name: need.job.clone() };
    let succeeded = jobs.get(&key).and_then(|job| job.succeeded);
    succeeded.is_some_and(|at| need.within.is_none_or(|within| now.since(at) <= within))
}

impl Run {
    /// What a node needs of other jobs and does not have.
    pub(crate) fn unmet<'a>(
        &'a self,
        node: u32,
        jobs: &'a JobTable,
        now: Wall,
    ) -> impl Iterator<Item = &'a JobNeed> {
        self.plan.node(node).needs_jobs.iter().filter(move |need| !is_met(need, jobs, self, now))
    }

    /// A node that waits need not be looked at again before something happens.
    pub(crate) fn is_held(&self, node: u32, jobs: &JobTable, now: Wall) -> bool {
        self.holds.contains_key(&node) && self.unmet(node, jobs, now).next().is_some()
    }

    /// When a waiting node has waited for too long for each of its needs.
    fn hold_ends(&self, node: u32) -> impl Iterator<Item = (&JobNeed, Wall)> {
        let since = self.holds.get(&node).copied();
        let needs = self.plan.node(node).needs_jobs.iter();
        needs.filter_map(move |need| Some((need, since? + need.timeout?)))
    }

    /// The first such instant that is still to come.
    pub(crate) fn next_hold_end(&self, now: Wall) -> Option<Wall> {
        let ends = self.holds.keys().flat_map(|node| self.hold_ends(*node));
        ends.map(|(_, at)| at).filter(|at| *at > now).min()
    }

    /// Nodes that waited for too long.
    pub(crate) fn overdue(&self, now: Wall) -> impl Iterator<Item = u32> {
        self.holds.keys().copied().filter(move |node| self.hold_ends(*node).any(|(_, at)| at <= now))
    }

    /// A timer or a look is owed for a wait that ends by itself.
    pub(crate) fn has_hold_ahead(&self, jobs: &JobTable, now: Wall) -> bool {
        let may_release = self.pause.is_none() && self.out < self.plan.bounds.running_max;
        let owed = |(need, at): (&JobNeed, Wall)| at > now || may_release && !is_met(need, jobs, self, now);
        self.is_working() && self.holds.keys().any(|node| self.hold_ends(*node).any(owed))
    }
}

impl JobRuns {
    /// The run is called when one of the jobs succeeds that this node needs.
    pub(crate) fn await_jobs(&mut self, run: RunId, node: u32) {
        let Some((index, run)) = self.runs.find(run).and_then(|index| Some((index, self.runs.get(index)?)))
        else {
            return;
        };
        for need in &run.plan.node(node).needs_jobs {
            let key = JobKey { tenant: run.job.tenant.clone(), name: need.job.clone() };
            self.awaiting.entry(key).or_default().insert(index);
        }
    }

    /// A success of each of the jobs that this node needs would be heard.
    pub(crate) fn is_awaiting(&self, index: RunIndex, node: u32) -> bool {
        let Some(run) = self.runs.get(index) else { return false };
        run.plan.node(node).needs_jobs.iter().all(|need| {
            let key = JobKey { tenant: run.job.tenant.clone(), name: need.job.clone() };
            self.awaiting.get(&key).is_some_and(|waiting| waiting.contains(&index))
        })
    }

    /// A run of this job succeeded.
    pub(crate) fn job_succeeded(&mut self, key: &JobKey, work: &mut WorkList) {
        for index in self.awaiting.remove(key).unwrap_or_default() {
            let Some(run) = self.runs.get_mut(index) else { continue };
            let held: Vec<u32> = run.holds.keys().copied().collect();
            for node in held {
                run.list(node);
            }
            work.run(index);
        }
    }

    /// The run waits for nothing any more.
    pub(crate) fn stop_awaiting(&mut self, index: RunIndex) {
        let Some(run) = self.runs.get(index) else { return };
        for need in run.plan.nodes().iter().flat_map(|node| &node.needs_jobs) {
            let key = JobKey { tenant: run.job.tenant.clone(), name: need.job.clone() };
            if let Some(waiting) = self.awaiting.get_mut(&key) {
                waiting.remove(&index);
                if waiting.is_empty() {
                    self.awaiting.remove(&key);
                }
            }
        }
    }
}

/// How long until then, at least a moment.
pub(crate) fn left(at: Wall, now: Wall) -> Millis {
    at.since(now).max(Millis::new(1))
}
