//! The plans of the jobs that callers apply: random graphs of random tasks.

use std::sync::Arc;

use mainspring_core::job::{
    Bounds, Each, FailurePolicy, JobNeed, LimitUse, Node, NodeWork, OnEmpty, Plan, Repeat, TaskWork,
    Tolerance, TriggerRule,
};
use mainspring_core::task::Profile;
use mainspring_core::values::{Millis, Name, Source};

use super::flows::job_key;
use crate::words::UNDEFINED;
use crate::worker::Nature;
use crate::world::World;

const NATURES: [Nature; 8] = [
    Nature::Flaky,
    Nature::Permanent,
    Nature::Alike,
    Nature::Defers,
    Nature::Long,
    Nature::Vanishes,
    Nature::Hang,
    Nature::BigOutput,
];

impl World {
    pub(super) fn draw_plan(&mut self, job: u64) -> Plan {
        let most = [3, 6, 12, 39][self.chance.below(4) as usize];
        let count = 2 + self.chance.below(most);
        let nodes = (0..count).map(|node| self.draw_node(job, node)).collect();
        let policies = FailurePolicy::ALL;
        let policy = policies[self.chance.below(policies.len() as u64) as usize];
        let mut pick = |choices: [u32; 4]| choices[self.chance.below(4) as usize];
        let bounds = Bounds {
            active_runs_max: pick([1, 1, 2, 16]),
            running_max: pick([1, 2, 5, u32::MAX]),
            fan_out_max: pick([2, 10_000, 10_000, 10_000]),
            release_per_second: pick([1, 3, 1_000, 1_000]),
            expected: None,
            timeout: None,
        };
        let expected = self.chance.per_mille(200).then(|| Millis::new(self.span(20_000)));
        let timeout = self.chance.per_mille(150).then(|| Millis::new(1_000 + self.span(30_000)));
        let outputs = self.chance.per_mille(500).then(|| Source::from("all"));
        Plan::new(nodes, policy, Bounds { timeout, expected, ..bounds }, outputs)
    }

    fn draw_node(&mut self, job: u64, node: u64) -> Node {
        let mut needs: Vec<u32> =
            (0..self.chance.below(4).min(node)).map(|_| self.chance.below(node) as u32).collect();
        needs.sort_unstable();
        needs.dedup();
        let rule = match self.chance.below(2) {
            0 => TriggerRule::AllSuccess,
            _ => TriggerRule::ALL[self.chance.below(12) as usize],
        };
        let condition = match self.chance.below(40) {
            0..3 => Some("false".into()),
            3..8 => Some("true".into()),
            8 => Some("broken".into()),
            _ => None,
        };
        let shape = self.chance.below(100);
        let child = job % 2 == 1 && (80..92).contains(&shape);
        let work = if child {
            let parameters = Arc::from(*b"{}");
            NodeWork::Run { job: job_key(job - 1).name, parameters, templated: false }
        } else {
            self.draw_work(job)
        };
        let each = (shape < 18 || (80..84).contains(&shape)).then(|| self.draw_each(&needs));
        let repeat = (18..30).contains(&shape).then(|| Repeat {
            until: format!("rounds {}", self.span(4)).into(),
            rounds_max: self.span(4) as u32,
            pause: Millis::new([0, 0, 700][self.chance.below(3) as usize]),
        });
        let spawns = (30..42).contains(&shape).then(|| match self.chance.below(12) {
            0 => "broken".into(),
            _ => "add".into(),
        });
        Node {
            name: node_name(node),
            work,
            rule,
            condition,
            each,
            repeat,
            undo: (self.chance.per_mille(120)).then(|| self.draw_work(job)),
            mentions: needs.clone(),
            needs,
            output_kept: self.chance.per_mille(500),
            limits: if child { Vec::new() } else { self.draw_uses() },
            spawns,
            needs_jobs: if self.chance.per_mille(60) { vec![self.draw_job_need(job)] } else { Vec::new() },
        }
    }

    /// With a timeout: nobody promises that the other job ever succeeds.
    fn draw_job_need(&mut self, job: u64) -> JobNeed {
        JobNeed {
            job: job_key(job ^ 1).name,
            within: self.chance.per_mille(500).then(|| Millis::new(self.span(20_000))),
            timeout: Some(Millis::new(self.span(20_000))),
        }
    }

    fn draw_uses(&mut self) -> Vec<LimitUse> {
        if !self.chance.per_mille(200) {
            return Vec::new();
        }
        let key = ["", "a", "b"][self.chance.below(3) as usize];
        let max = [None, Some(1), Some(2)][self.chance.below(3) as usize];
        vec![LimitUse { name: Name::fixed("db"), key: key.into(), max }]
    }

    fn draw_each(&mut self, needs: &[u32]) -> Each {
        let items = match needs.first() {
            Some(need) if self.chance.per_mille(500) => format!("len {need}"),
            _ => self.chance.below(6).to_string(),
        };
        let tolerance = match self.chance.below(3) {
            0 => Tolerance::NONE,
            1 => Tolerance::Count(1),
            _ => Tolerance::Percent(50),
        };
        Each {
            items: items.into(),
            active_max: [1, 2, u32::MAX][self.chance.below(3) as usize],
            tolerance,
            on_empty: if self.chance.per_mille(500) { OnEmpty::Skip } else { OnEmpty::Succeed },
        }
    }

    fn draw_work(&mut self, job: u64) -> NodeWork {
        let nature = match self.chance.below(100) {
            0..70 => Nature::Plain,
            _ => NATURES[self.chance.below(NATURES.len() as u64) as usize],
        };
        let key = job_key(job);
        let mut spec = self.draw_spec(nature);
        (spec.tenant, spec.job) = (key.tenant, key.name);
        if self.chance.per_mille(60) {
            return self.approval(spec);
        }
        let index = Nature::ALL.iter().position(|other| *other == nature).unwrap_or_default();
        let templated = self.chance.per_mille(300);
        let mut payload = vec![index as u8];
        if templated && self.chance.per_mille(60) {
            payload.push(UNDEFINED);
        }
        NodeWork::Task(TaskWork {
            profile: Profile::new(spec),
            payload: Arc::from(payload),
            priority: self.draw_priority(),
            labels: None,
            templated,
        })
    }
}

pub(super) fn node_name(node: u64) -> Name {
    Name::new(&format!("n{node}")).expect("a good name")
}
