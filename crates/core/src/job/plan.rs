//! A plan: a job version compiled for running. Built once, shared by all runs of the version, never changed.
//! - PL-1 nodes name each other by index; `needs` are sorted, without doubles, and make no cycle
//! - PL-2 texts of expressions and templates are opaque here: [`crate::run::Evaluate`] and the edges understand them

use std::sync::Arc;

use super::policy::FailurePolicy;
use super::rule::TriggerRule;
use crate::task::{Labels, Payload, Profile};
use crate::values::{Millis, Name, Priority, Source};

#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// A run with tasks of its own shares those of its version.
    pub(crate) nodes: Vec<Arc<Node>>,
    /// Children of node n: `children[starts[n]..starts[n + 1]]`, ascending.
    children: Vec<u32>,
    starts: Vec<u32>,
    pub policy: FailurePolicy,
    pub bounds: Bounds,
    /// An expression for what the run itself gives out.
    pub outputs: Option<Source>,
    /// Parameters whose values nobody is shown.
    pub sensitive: Arc<[Name]>,
}

/// Bounds of a job and of each of its runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Runs of this job at work at once; others wait in order.
    pub active_runs_max: u32,
    /// Tasks of one run that are out at once (released and not ended).
    pub running_max: u32,
    /// Items of one mapped node; more pause the run.
    pub fan_out_max: u32,
    /// Tasks that one run releases in a second.
    pub release_per_second: u32,
    /// The run is late when it takes longer.
    pub expected: Option<Millis>,
    /// The run is stopped when it takes longer.
    pub timeout: Option<Millis>,
}

pub const ACTIVE_RUNS_DEFAULT: u32 = 16;
pub const FAN_OUT_DEFAULT: u32 = 10_000;
pub const RELEASE_PER_SECOND_DEFAULT: u32 = 1_000;

impl Default for Bounds {
    fn default() -> Self {
        Self {
            active_runs_max: ACTIVE_RUNS_DEFAULT,
            running_max: u32::MAX,
            fan_out_max: FAN_OUT_DEFAULT,
            release_per_second: RELEASE_PER_SECOND_DEFAULT,
            expected: None,
            timeout: None,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub name: Name,
    pub work: NodeWork,
    /// Upstream nodes.
    pub needs: Vec<u32>,
    pub rule: TriggerRule,
    /// Runs only if this is true; else skipped.
    pub condition: Option<Source>,
    pub each: Option<Each>,
    pub repeat: Option<Repeat>,
    /// Undoes this node's work when the run fails after it had succeeded.
    pub undo: Option<NodeWork>,
    /// Nodes whose states or outputs this one's texts mention; all are upstream of it, near or far.
    pub mentions: Vec<u32>,
    /// Some text mentions this node's output, so it is kept while the run lives.
    pub output_kept: bool,
    pub limits: Vec<LimitUse>,
    /// An expression on its output that gives tasks for the run.
    pub spawns: Option<Source>,
    /// Other jobs that must have succeeded.
    pub needs_jobs: Vec<JobNeed>,
}

/// A success of another job of the same tenant, which need not exist yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobNeed {
    pub job: Name,
    /// The newest success may be this old.
    pub within: Option<Millis>,
    /// The node fails when it has waited for so long.
    pub timeout: Option<Millis>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum NodeWork {
    Task(TaskWork),
    /// A run of another job of the same tenant; the node ends as the run ends.
    Run {
        job: Name,
        /// JSON object, with templates if `templated`.
        parameters: Payload,
        templated: bool,
    },
}

/// What becomes a `TaskSpec` when the node is released: templates are filled in then, and the keys of its limits, which give the
/// permits.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskWork {
    pub profile: Arc<Profile>,
    pub payload: Payload,
    pub priority: Priority,
    pub labels: Option<Labels>,
    /// The payload has templates to fill in before it is sent.
    pub templated: bool,
}

/// Dynamic mapping: one task for each item of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct Each {
    /// An expression that gives a list.
    pub items: Source,
    /// Items at work at once.
    pub active_max: u32,
    pub tolerance: Tolerance,
    pub on_empty: OnEmpty,
}

/// How many items may fail without failing the group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tolerance {
    Count(u32),
    /// Of all items, rounded down.
    Percent(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum OnEmpty {
    #[default]
    Skip = 0,
    Succeed = 1,
}

/// Runs the work again until a condition holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Repeat {
    pub until: Source,
    /// Rounds in all; the node fails when the last one leaves the condition unmet.
    pub rounds_max: u32,
    pub pause: Millis,
}

/// A place that the task's attempts hold in a named limit.
#[derive(Clone, PartialEq, Debug)]
pub struct LimitUse {
    pub name: Name,
    /// A template; each value has its own count. Empty: one count for all.
    pub key: Source,
    /// Holders of one key at once. `None`: as configured for the name.
    pub max: Option<u32>,
}

impl Tolerance {
    pub const NONE: Self = Self::Count(0);

    pub fn allows(self, failed: u32, total: u32) -> bool {
        match self {
            Self::Count(most) => failed <= most,
            Self::Percent(percent) => u64::from(failed) * 100 <= u64::from(total) * u64::from(percent),
        }
    }
}

impl Node {
    /// When its work has succeeded, something is still to be decided about it.
    pub fn is_judged(&self) -> bool {
        self.repeat.is_some() || self.spawns.is_some()
    }
}

impl Plan {
    /// The nodes must keep PL-1; whoever reads a job file has checked it.
    pub fn new(nodes: Vec<Node>, policy: FailurePolicy, bounds: Bounds, outputs: Option<Source>) -> Self {
        let nodes: Vec<Arc<Node>> = nodes.into_iter().map(Arc::new).collect();
        let (starts, children) = children_of(&nodes);
        Self { nodes, children, starts, policy, bounds, outputs, sensitive: Arc::default() }
    }

    #[must_use]
    pub fn with_sensitive(self, sensitive: Vec<Name>) -> Self {
        Self { sensitive: sensitive.into(), ..self }
    }

    /// The same but for the nodes.
    pub(crate) fn with_nodes(&self, nodes: Vec<Arc<Node>>) -> Self {
        let (starts, children) = children_of(&nodes);
        let (policy, bounds, outputs) = (self.policy, self.bounds, self.outputs.clone());
        let sensitive = self.sensitive.clone();
        Self { nodes, children, starts, policy, bounds, outputs, sensitive }
    }

    pub fn nodes(&self) -> &[Arc<Node>] {
        &self.nodes
    }

    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    pub fn children(&self, index: u32) -> &[u32] {
        let index = index as usize;
        &self.children[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    pub fn find(&self, name: &str) -> Option<u32> {
        self.nodes.iter().position(|node| &*node.name == name).map(|index| index as u32)
    }
}

fn children_of(nodes: &[Arc<Node>]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; nodes.len() + 1];
    for need in nodes.iter().flat_map(|node| &node.needs) {
        starts[*need as usize + 1] += 1;
    }
    for index in 0..nodes.len() {
        starts[index + 1] += starts[index];
    }
    let mut next = starts.clone();
    let mut children = vec![0; starts[nodes.len()] as usize];
    for (child, node) in nodes.iter().enumerate() {
        for need in &node.needs {
            children[next[*need as usize] as usize] = child as u32;
            next[*need as usize] += 1;
        }
    }
    (starts, children)
}
