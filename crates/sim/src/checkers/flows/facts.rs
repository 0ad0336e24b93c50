//! What the journal says about the tasks of a run.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::run::NodeStatus;

#[derive(Clone, Default)]
pub(super) struct NodeFacts {
    pub(super) status: NodeStatus,
    pub(super) turn: u32,
    pub(super) rounds: u32,
    pub(super) map: Option<MapFacts>,
}

pub(super) struct AddedFacts {
    pub(super) by: u32,
    pub(super) nodes: Vec<u32>,
    pub(super) leaves: Vec<u32>,
    pub(super) waits: Vec<u32>,
}

#[derive(Clone, Default)]
pub(super) struct MapFacts {
    pub(super) count: u32,
    /// Of the node when it got its items.
    pub(super) turn: u32,
    /// Of items that were cleared since.
    pub(super) turns: BTreeMap<u32, u32>,
    /// Items below this one were released, or given up.
    pub(super) released: u32,
    /// Cleared ones that were not released since.
    pub(super) again: BTreeSet<u32>,
    /// Those that ended, in the turn they have now.
    pub(super) ended: BTreeMap<u32, NodeStatus>,
    /// Those that were given up before they were released.
    pub(super) given_up: BTreeSet<u32>,
}
