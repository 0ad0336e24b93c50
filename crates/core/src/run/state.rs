//! A run: one execution of a job version, as far as it has come.
//! - RN-1 `ends` of a node counts exactly the ended nodes it needs; `unfinished` the nodes that have not ended; `out` the
//!   tasks and child runs that were released and have not ended
//! - RN-2 what is in [`RunSoft`] can be derived from the rest, and is after every recovery

use std::collections::BTreeMap;
use std::sync::Arc;

use super::approval::Decisions;
use super::grow::Additions;
use super::lists::RunLists;
use super::map::MapItems;
use super::origin::Origin;
use super::watch::Watch;
use crate::collections::Soft;
use crate::job::{JobKey, NodeEnd, Plan, UpstreamEnds};
use crate::key::KeyClaim;
use crate::task::{Labels, Payload, Status};
use crate::values::{NodeInstance, Note, Priority, RunId, RunStatus, Seq, TaskId, Wall};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum NodeStatus {
    /// For upstream nodes, or for its release.
    #[default]
    Waiting = 0,
    /// Released: its tasks or its child run are on their way.
    Out = 1,
    /// A round is over; whether there is another is not yet decided.
    Judged = 2,
    Succeeded = 3,
    Failed = 4,
    UpstreamFailed = 5,
    Skipped = 6,
    Cancelled = 7,
}

/// Why a run stops before its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RunStop {
    /// A node failed, and the failure policy stops the run for it.
    Failed = 0,
    Cancel = 1,
    Timeout = 2,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pause {
    ByHand,
    /// A mapped node got more items than the run may have.
    FanOut {
        node: u32,
        count: u32,
        max: u32,
    },
}

/// What began a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum StartedBy {
    Manual = 0,
    /// A node of another run.
    Parent = 1,
    Rerun = 2,
    Schedule = 3,
    Event = 4,
    Backfill = 5,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeState {
    pub status: NodeStatus,
    pub turn: u32,
    /// Rounds of a loop that have begun after the first.
    pub rounds: u32,
    pub ends: UpstreamEnds,
    /// Milliseconds after the run was created; zero before.
    pub started: u32,
    pub ended: u32,
}

/// Notes kept with a job or a run; older ones go first.
pub const NOTES_MAX: usize = 50;

#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub id: RunId,
    pub job: Arc<JobKey>,
    pub version: u32,
    /// That of its version, with the tasks that were added to this run.
    pub plan: Arc<Plan>,
    /// `None` as long as no task was added.
    pub own: Option<Box<Additions>>,
    /// A JSON object; checked against the job's declarations by the edge.
    pub parameters: Payload,
    pub status: RunStatus,
    pub pause: Option<Pause>,
    pub stop: Option<RunStop>,
    pub priority: Option<Priority>,
    pub labels: Option<Labels>,
    pub origin: Origin,
    pub key: Option<KeyClaim>,
    pub created: Wall,
    pub started: Wall,
    pub ended: Wall,
    pub changed: Wall,
    pub nodes: Vec<NodeState>,
    /// Of mapped nodes that have been expanded.
    pub groups: BTreeMap<u32, MapItems>,
    /// Kept because some text mentions them; by node and index.
    pub outputs: BTreeMap<(u32, u32), Arc<[u8]>>,
    pub output_bytes: u64,
    /// Nodes that wait for other jobs, with the instant they began to.
    pub holds: BTreeMap<u32, Wall>,
    /// Why a node ended without a task of its own saying so.
    pub whys: BTreeMap<u32, Arc<str>>,
    /// Nodes taken over from an earlier run, ascending; their outputs are this run's own to keep.
    pub reused: Vec<u32>,
    /// Nodes with an undo that succeeded, in this order; undone from the back.
    pub undo: Vec<u32>,
    /// How many of them have been undone.
    pub undone: u32,
    pub unfinished: u32,
    /// Nodes that failed or were cancelled by themselves.
    pub failed: u32,
    pub out: u32,
    /// What the run as a whole gave.
    pub output: Option<Arc<[u8]>>,
    /// Why it ended as it did, if no node says so.
    pub why: Option<Arc<str>>,
    /// How an operator wants it to end.
    pub forced: Option<RunStatus>,
    /// Items of a mapped node that somebody allowed beyond the bound.
    pub fan_out_allowed: u32,
    pub notes: Vec<Note>,
    /// What people decided about tasks that waited for approval.
    pub decisions: Decisions,
    pub touched: Seq,
    pub stored: Soft<bool>,
    pub soft: Soft<RunSoft>,
}

/// Derived, see RN-2.
#[derive(Clone, Debug, Default)]
pub struct RunSoft {
    pub lists: RunLists,
    pub watch: Watch,
}

impl StartedBy {
    pub const ALL: [Self; 6] =
        [Self::Manual, Self::Parent, Self::Rerun, Self::Schedule, Self::Event, Self::Backfill];

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Parent => "parent",
            Self::Rerun => "rerun",
            Self::Schedule => "schedule",
            Self::Event => "event",
            Self::Backfill => "backfill",
        }
    }
}

impl NodeStatus {
    pub const ALL: [Self; 8] = [
        Self::Waiting,
        Self::Out,
        Self::Judged,
        Self::Succeeded,
        Self::Failed,
        Self::UpstreamFailed,
        Self::Skipped,
        Self::Cancelled,
    ];

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    /// How rules downstream see it; `None` while it has not ended.
    pub const fn end(self) -> Option<NodeEnd> {
        match self {
            Self::Waiting | Self::Out | Self::Judged => None,
            Self::Succeeded => Some(NodeEnd::Success),
            Self::Failed | Self::Cancelled => Some(NodeEnd::Failed),
            Self::UpstreamFailed => Some(NodeEnd::UpstreamFailed),
            Self::Skipped => Some(NodeEnd::Skipped),
        }
    }

    /// The state that people see. `out`: that of what the node has out.
    pub fn state(self, out: Option<Status>) -> Status {
        match self {
            Self::Waiting => Status::Pending,
            Self::Out => out.unwrap_or(Status::Queued),
            Self::Judged => Status::Running,
            Self::Succeeded => Status::Succeeded,
            Self::Failed => Status::Failed,
            Self::UpstreamFailed => Status::UpstreamFailed,
            Self::Skipped => Status::Skipped,
            Self::Cancelled => Status::Cancelled,
        }
    }
}

impl Run {
    pub fn node(&self, index: u32) -> &NodeState {
        &self.nodes[index as usize]
    }

    pub(crate) fn node_mut(&mut self, index: u32) -> &mut NodeState {
        &mut self.nodes[index as usize]
    }

    /// The place of the node's own task, as it stands now.
    pub fn place(&self, node: u32, index: u32) -> NodeInstance {
        let group = if index < NodeInstance::UNDO { self.groups.get(&node) } else { None };
        let turn = group.map_or_else(|| self.node(node).turn, |group| group.turn_of(index));
        NodeInstance { node, index, turn }
    }

    pub fn task_at(&self, node: u32, index: u32) -> TaskId {
        self.id.task(self.place(node, index))
    }

    pub fn count(&self, status: NodeStatus) -> usize {
        self.nodes.iter().filter(|node| node.status == status).count()
    }

    /// Begun by a backfill: what is live goes before it.
    pub fn is_backfill(&self) -> bool {
        self.origin.started_by == StartedBy::Backfill
    }

    pub fn is_working(&self) -> bool {
        self.status == RunStatus::Running
    }
}
