//! Where a run stands: read from the run, its tasks, its job and the queues.

use crate::decision::Rejection;
use crate::engine::Engine;
use crate::engine::question::{
    Hold, ITEMS_MAX, Items, JobWait, NAMED_MAX, NODES_MAX, NodeDiagnosis, NodeStanding, PLACES_MAX,
    RunDiagnosis, RunStanding, SCAN_MAX,
};
use crate::job::{JobKey, JobNeed, NodeWork, RuleVerdict};
use crate::run::{NodeStatus, Pause, Run, RunRefusal};
use crate::task::Status;
use crate::values::{Name, NodeInstance, RunId, RunIndex, RunStatus, Wall};

/// A node, and what is known of it so far.
struct Looked {
    rank: u8,
    node: u32,
    standing: NodeStanding,
}

impl Engine {
    pub(super) fn diagnose_run(&self, id: RunId) -> Result<RunDiagnosis, Rejection> {
        let runs = self.state.job_runs().runs();
        let found = runs.find(id).and_then(|slot| Some((slot, runs.get(slot)?)));
        let (slot, run) = found.ok_or(RunRefusal::RunNotFound { id })?;
        let mut looked = if run.is_working() { self.look_at_nodes(run) } else { Vec::new() };
        let standing = self.run_standing(slot, run, &looked);
        looked.sort_by_key(|looked| (looked.rank, looked.node));
        looked.truncate(NODES_MAX);
        let unfinished = looked.iter().filter(|looked| run.node(looked.node).status.end().is_none());
        let more = run.unfinished.saturating_sub(unfinished.count() as u32);
        Ok(RunDiagnosis {
            id,
            job: run.job.clone(),
            status: run.status,
            is_paused: run.pause.is_some(),
            is_stopping: run.stop.is_some(),
            since: if run.started > Wall::ZERO { run.started } else { run.created },
            marks: run.marks().collect(),
            standing,
            nodes: looked.into_iter().map(|looked| self.told(run, looked)).collect(),
            more,
        })
    }

    /// The surest obstacle first.
    fn run_standing(&self, slot: RunIndex, run: &Run, looked: &[Looked]) -> RunStanding {
        let count =
            |is: fn(&NodeStanding) -> bool| looked.iter().filter(|node| is(&node.standing)).count() as u32;
        let lost = count(|standing| matches!(standing, NodeStanding::Lost { .. }));
        let waiting = count(|standing| matches!(standing, NodeStanding::Jobs { .. }));
        let Run { out, unfinished, undone, .. } = *run;
        match (run.status, &run.pause, run.stop) {
            (RunStatus::Succeeded | RunStatus::Failed | RunStatus::Cancelled, _, _) => RunStanding::Ended,
            (RunStatus::Queued, _, _) => self.place_standing(slot, run),
            (RunStatus::Running, _, _) if lost > 0 => RunStanding::Lost { count: lost },
            (RunStatus::Running, _, _) if unfinished == 0 && out > 0 => {
                RunStanding::Undoing { done: undone, of: run.undo.len() as u32 }
            }
            (RunStatus::Running, Some(Pause::FanOut { node, count, max }), _) => {
                let node = run.plan.node(*node).name.clone();
                RunStanding::PausedForItems { node, count: *count, max: *max }
            }
            (RunStatus::Running, Some(Pause::ByHand), _) => RunStanding::PausedByHand { out },
            (RunStatus::Running, None, Some(stop)) if out > 0 => RunStanding::Stopping { stop, out },
            (RunStatus::Running, None, _) if out > 0 => RunStanding::Working { out, unfinished },
            (RunStatus::Running, None, _) if self.work.has_run(slot) || !run.soft.lists.is_empty() => {
                RunStanding::AboutToGoOn
            }
            (RunStatus::Running, None, _) if waiting > 0 => RunStanding::WaitsForJobs { nodes: waiting },
            (RunStatus::Running, None, _) => RunStanding::Stalled,
        }
    }

    fn place_standing(&self, slot: RunIndex, run: &Run) -> RunStanding {
        let Some(job) = self.state.job_runs().jobs().get(&run.job) else { return RunStanding::Stalled };
        let max = job.definition.plan.bounds.active_runs_max;
        if job.paused {
            return RunStanding::JobPaused;
        }
        if job.lanes.has_room(max, run.is_backfill()) {
            return RunStanding::AboutToGoOn;
        }
        let ahead = job.lanes.waiting.iter().take_while(|other| **other != slot).count();
        let held = self.state.job_runs().runs().iter().take(SCAN_MAX as usize).map(|(_, run)| run);
        let held = held.filter(|other| other.is_working() && other.job == run.job).map(|run| run.id);
        let held_by = held.take(NAMED_MAX).collect();
        RunStanding::WaitsForPlace { ahead, active: job.lanes.active, max, held_by }
    }

    fn look_at_nodes(&self, run: &Run) -> Vec<Looked> {
        let hold = self.hold(run);
        let (jobs, now) = (self.state.job_runs().jobs(), self.state.now.wall);
        let mut budget = PLACES_MAX;
        let mut standing = |node: u32| match run.node(node).status {
            NodeStatus::Waiting => Some(match run.verdict(node) {
                // Who it waits for is read for those that are told of.
                RuleVerdict::Wait => NodeStanding::Upstream { waits_for: Vec::new(), more: 0 },
                RuleVerdict::Run if run.is_held(node, jobs, now) => {
                    NodeStanding::Jobs { waits_for: Vec::new(), more: 0 }
                }
                RuleVerdict::Run => NodeStanding::Release(hold),
                RuleVerdict::Skip | RuleVerdict::UpstreamFailed => NodeStanding::AboutToBeDecided,
            }),
            NodeStatus::Judged => Some(NodeStanding::AboutToBeDecided),
            NodeStatus::Out => Some(self.look_out(run, node, hold, &mut budget)),
            NodeStatus::Succeeded
            | NodeStatus::Failed
            | NodeStatus::UpstreamFailed
            | NodeStatus::Skipped
            | NodeStatus::Cancelled => None,
        };
        let looked = |node| standing(node).map(|standing| Looked { rank: standing.rank(), node, standing });
        let mut all: Vec<Looked> = (0..run.plan.len()).filter_map(looked).collect();
        all.extend(self.look_at_undo(run));
        all
    }

    fn hold(&self, run: &Run) -> Hold {
        let max = run.plan.bounds.running_max;
        if run.pause.is_some() {
            return Hold::Paused;
        }
        if run.out >= max {
            return Hold::RunningMax { out: run.out, max };
        }
        let rates = (run.plan.bounds.release_per_second, self.config.limits.release_per_second);
        match run.soft.lists.releases.open_at(&self.pace, self.present, rates) {
            Some(at) => Hold::Rate { left: at.since(self.present) },
            None => Hold::AboutToGo,
        }
    }

    /// A node that was released; of a mapped one the item that tells most.
    fn look_out(&self, run: &Run, node: u32, hold: Hold, budget: &mut usize) -> NodeStanding {
        let spec = run.plan.node(node);
        let Some(group) = run.groups.get(&node) else {
            if *budget == 0 {
                let is_task = matches!(spec.work, NodeWork::Task(_));
                return NodeStanding::Out { task: is_task.then(|| run.task_at(node, NodeInstance::WHOLE)) };
            }
            *budget -= 1;
            return self.look_at_place(run, node, None);
        };
        let live = (0..group.released).filter(|item| group.items[*item as usize] == NodeStatus::Out);
        let asked = (*budget).min(ITEMS_MAX);
        let mut worst: Option<NodeStanding> = None;
        for item in live.take(asked) {
            *budget -= 1;
            let standing = self.look_at_place(run, node, Some(item));
            if worst.as_ref().is_none_or(|worst| standing.rank() < worst.rank()) {
                worst = Some(standing);
            }
        }
        match worst {
            Some(standing) => standing,
            None if group.live > 0 => NodeStanding::Out { task: None },
            None => NodeStanding::Release(hold),
        }
    }

    fn look_at_place(&self, run: &Run, node: u32, item: Option<u32>) -> NodeStanding {
        let index = item.unwrap_or(NodeInstance::WHOLE);
        match &run.plan.node(node).work {
            NodeWork::Task(_) => match self.diagnose(run.task_at(node, index)) {
                Ok(diagnosis) => NodeStanding::Task { item, diagnosis },
                Err(_) => NodeStanding::Lost { item },
            },
            NodeWork::Run { .. } => match self.state.job_runs().run(run.id.child(run.place(node, index))) {
                Some(child) => NodeStanding::Child {
                    item,
                    run: child.id,
                    status: child.status,
                    is_paused: child.pause.is_some(),
                },
                None => NodeStanding::Lost { item },
            },
        }
    }

    /// Undos go one after the other, the last success first.
    fn look_at_undo(&self, run: &Run) -> Option<Looked> {
        let left = run.undo.len().checked_sub(run.undone as usize + 1)?;
        let node = *run.undo.get(left).filter(|_| run.unfinished == 0 && run.out > 0)?;
        let diagnosis = self.diagnose(run.task_at(node, NodeInstance::UNDO)).ok()?;
        let standing = NodeStanding::Undo { diagnosis };
        Some(Looked { rank: standing.rank(), node, standing })
    }

    fn told(&self, run: &Run, looked: Looked) -> NodeDiagnosis {
        let Looked { node, mut standing, .. } = looked;
        let (spec, state) = (run.plan.node(node), run.node(node));
        match &mut standing {
            NodeStanding::Upstream { waits_for, more } => (*waits_for, *more) = self.upstream(run, node),
            NodeStanding::Jobs { waits_for, more } => (*waits_for, *more) = self.job_waits(run, node),
            _ => {}
        }
        let group = run.groups.get(&node).zip(spec.each.as_ref());
        let waits = state.status == NodeStatus::Waiting;
        NodeDiagnosis {
            name: spec.name.clone(),
            status: self.node_state(run, node),
            rule: spec.rule,
            condition: spec.condition.clone().filter(|_| waits),
            items: group.map(|(group, each)| Items {
                count: group.count(),
                released: group.released,
                live: group.live,
                live_max: each.active_max,
                succeeded: group.succeeded,
                failed: group.count_of(NodeStatus::Failed) + group.count_of(NodeStatus::UpstreamFailed),
                cancelled: group.count_of(NodeStatus::Cancelled),
                skipped: group.count_of(NodeStatus::Skipped),
                tolerance: each.tolerance,
            }),
            round: spec
                .repeat
                .as_ref()
                .filter(|_| !waits)
                .map(|repeat| (state.rounds + 1, repeat.rounds_max)),
            standing,
        }
    }

    fn job_waits(&self, run: &Run, node: u32) -> (Vec<JobWait>, u32) {
        let (jobs, now) = (self.state.job_runs().jobs(), self.state.now.wall);
        let since = run.holds.get(&node).copied().unwrap_or(now);
        let wait = |need: &JobNeed| {
            let job = jobs.get(&JobKey { tenant: run.job.tenant.clone(), name: need.job.clone() });
            let fails = need.timeout.map(|timeout| since + timeout);
            JobWait {
                job: need.job.clone(),
                within: need.within,
                since,
                fails: fails.map(|at| (at, at.since(now))),
                exists: job.is_some_and(|job| job.deleted.is_none()),
                succeeded: job.and_then(|job| job.succeeded),
            }
        };
        let unmet = || run.unmet(node, jobs, now);
        (unmet().take(NAMED_MAX).map(wait).collect(), unmet().skip(NAMED_MAX).count() as u32)
    }

    fn upstream(&self, run: &Run, node: u32) -> (Vec<(Name, Status)>, u32) {
        let needs = &run.plan.node(node).needs;
        let open = || needs.iter().filter(|need| run.node(**need).status.end().is_none());
        let told = |need: &u32| (run.plan.node(*need).name.clone(), self.node_state(run, *need));
        (open().take(NAMED_MAX).map(told).collect(), open().skip(NAMED_MAX).count() as u32)
    }
}
