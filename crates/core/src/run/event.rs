//! What can happen to jobs and runs. Tasks of runs end by the events that end any task.

use std::sync::Arc;

use super::origin::Origin;
use super::state::{NodeStatus, Pause, Run, RunStop};
use crate::job::{Definition, JobKey, Node, Plan};
use crate::key::KeyClaim;
use crate::task::{Labels, Payload};
use crate::values::{Actor, FiredBy, NodeInstance, Priority, RunId, RunStatus};

#[derive(Clone, PartialEq, Debug)]
pub enum RunEvent {
    /// A job was stored for the first time, or with new content.
    JobApplied(Box<JobApplied>),
    JobPaused {
        key: Arc<JobKey>,
        paused: bool,
    },
    JobDeleted {
        key: Arc<JobKey>,
    },
    RunCreated(Box<RunCreated>),
    /// The run got a place among the active runs of its job.
    RunStarted {
        id: RunId,
    },
    /// A node ended without a task of its own saying so.
    NodeEnded {
        run: RunId,
        node: u32,
        status: NodeStatus,
        why: Option<Arc<str>>,
    },
    /// A mapped node knows how many items it has.
    MapExpanded {
        run: RunId,
        node: u32,
        count: u32,
    },
    /// No further items of a mapped node are released.
    MapCut {
        run: RunId,
        node: u32,
        /// What is wrong with an item that could not begin.
        why: Option<Arc<str>>,
    },
    RunPaused {
        id: RunId,
        pause: Pause,
    },
    RunResumed {
        id: RunId,
    },
    RunStopping {
        id: RunId,
        stop: RunStop,
    },
    /// An operator says how the run ends; what is out is stopped.
    RunForced {
        id: RunId,
        status: RunStatus,
        over: Actor,
    },
    /// The undo of a node cannot be run.
    UndoSkipped {
        run: RunId,
        node: u32,
        why: Arc<str>,
    },
    RunEnded(Box<RunEnded>),
    RunCleared(Box<RunCleared>),
    /// A node succeeded, and gave the run new tasks.
    TasksAdded(Box<TasksAdded>),
    /// A node could run, and waits for other jobs from now on.
    JobAwaited {
        run: RunId,
        node: u32,
    },
    /// Who is behind the change before it, and why.
    Noted(Box<Noted>),
    /// Somebody approved or rejected a task that waited for it; the end of the wait follows.
    ApprovalDecided(Box<ApprovalDecided>),
    /// An operator has what can be decided in the run looked for again.
    RunReevaluated {
        id: RunId,
        over: Actor,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Noted {
    pub of: Subject,
    pub over: Actor,
    pub what: Arc<str>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApprovalDecided {
    pub run: RunId,
    pub place: NodeInstance,
    pub approved: bool,
    pub over: Actor,
}

/// What a note is kept with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    Job(Arc<JobKey>),
    Run(RunId),
}

#[derive(Clone, PartialEq, Debug)]
pub struct TasksAdded {
    pub run: RunId,
    pub node: u32,
    /// They follow the nodes that the run has; what they need and mention is counted from the run's first.
    pub nodes: Vec<Node>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct JobApplied {
    pub key: Arc<JobKey>,
    pub version: u32,
    pub definition: Definition,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RunCreated {
    pub id: RunId,
    pub job: Arc<JobKey>,
    pub version: u32,
    /// `None`: the job's newest version.
    pub plan: Option<Arc<Plan>>,
    pub parameters: Payload,
    pub priority: Option<Priority>,
    pub labels: Option<Labels>,
    pub key: Option<KeyClaim>,
    pub origin: Origin,
    pub fired_by: Option<FiredBy>,
    /// Nodes that need not run again, with what they gave, from an earlier run.
    pub reused: Vec<Reused>,
}

impl RunCreated {
    /// Of the job's newest version, with nothing that most runs do not have.
    pub fn new(id: RunId, job: Arc<JobKey>, version: u32, parameters: Payload, origin: Origin) -> Self {
        Self {
            id,
            job,
            version,
            plan: None,
            parameters,
            priority: None,
            labels: None,
            key: None,
            origin,
            fired_by: None,
            reused: Vec::new(),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Reused {
    pub node: u32,
    pub status: NodeStatus,
    /// By index.
    pub outputs: Vec<(u32, Arc<[u8]>)>,
    /// Items of a mapped node.
    pub items: Option<u32>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RunEnded {
    pub id: RunId,
    pub status: RunStatus,
    pub output: Option<Arc<[u8]>>,
    pub why: Option<Arc<str>>,
}

/// Nodes that will run again.
#[derive(Clone, PartialEq, Debug)]
pub struct RunCleared {
    pub id: RunId,
    /// Ascending; with `items` closed under "follows from".
    pub nodes: Vec<u32>,
    /// Of mapped nodes that are not in `nodes`; ascending. Their other items stay as they are.
    pub items: Vec<ItemsCleared>,
    pub over: Actor,
    /// The run as it was, if it had left memory.
    pub ended: Option<Box<Run>>,
}

/// Items of one node; ascending, at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemsCleared {
    pub node: u32,
    pub items: Vec<u32>,
}

impl RunEvent {
    /// The run that must be in memory for this event.
    pub fn run(&self) -> Option<RunId> {
        match self {
            Self::JobApplied(_) | Self::JobPaused { .. } | Self::JobDeleted { .. } | Self::RunCreated(_) => {
                None
            }
            Self::RunCleared(cleared) if cleared.ended.is_some() => None,
            Self::RunCleared(cleared) => Some(cleared.id),
            Self::NodeEnded { run, .. }
            | Self::MapExpanded { run, .. }
            | Self::MapCut { run, .. }
            | Self::JobAwaited { run, .. }
            | Self::UndoSkipped { run, .. } => Some(*run),
            Self::TasksAdded(added) => Some(added.run),
            Self::ApprovalDecided(decided) => Some(decided.run),
            Self::Noted(noted) => match noted.of {
                Subject::Run(id) => Some(id),
                Subject::Job(_) => None,
            },
            Self::RunEnded(ended) => Some(ended.id),
            Self::RunStarted { id }
            | Self::RunPaused { id, .. }
            | Self::RunResumed { id }
            | Self::RunStopping { id, .. }
            | Self::RunReevaluated { id, .. }
            | Self::RunForced { id, .. } => Some(*id),
        }
    }
}
