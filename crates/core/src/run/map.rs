//! The items of a mapped node.
//! - IM-1 an item is released once per turn. All have the turn that their node had when it was expanded, save those that
//!   were cleared since
//! - IM-2 `failed` and `succeeded` count what the statuses say; `again` holds the items below `released` that are `Waiting`

use std::collections::{BTreeMap, BTreeSet};

use super::state::NodeStatus;
use crate::job::{NodeEnd, Tolerance};

#[derive(Clone, PartialEq, Debug)]
pub struct MapItems {
    /// By index; `Waiting` from `released` on.
    pub items: Vec<NodeStatus>,
    /// Items below this one were released.
    pub released: u32,
    pub live: u32,
    /// Those that ended otherwise than wanted, also those that were stopped or given up; what the tolerance counts.
    pub failed: u32,
    pub succeeded: u32,
    /// Of the node when it was expanded.
    pub turn: u32,
    /// Of items that were cleared since.
    pub turns: BTreeMap<u32, u32>,
    /// Cleared items that wait for their release.
    pub again: BTreeSet<u32>,
}

impl MapItems {
    pub fn new(count: u32, turn: u32) -> Self {
        Self::restore(vec![NodeStatus::Waiting; count as usize], (0, 0), (turn, BTreeMap::new()))
    }

    /// From what a row keeps.
    pub fn restore(
        items: Vec<NodeStatus>,
        (released, live): (u32, u32),
        (turn, turns): (u32, BTreeMap<u32, u32>),
    ) -> Self {
        let count =
            |wanted: fn(NodeStatus) -> bool| items.iter().filter(|item| wanted(**item)).count() as u32;
        let (succeeded, failed) = (count(|item| item == NodeStatus::Succeeded), count(is_bad));
        let waits = |item: &u32| items[*item as usize] == NodeStatus::Waiting;
        let again = turns.keys().copied().filter(|item| *item < released).filter(waits).collect();
        Self { items, released, live, failed, succeeded, turn, turns, again }
    }

    pub fn count(&self) -> u32 {
        self.items.len() as u32
    }

    /// The turn at which an item is, or will be, released.
    pub fn turn_of(&self, index: u32) -> u32 {
        self.turns.get(&index).copied().unwrap_or(self.turn)
    }

    pub fn has_unreleased(&self) -> bool {
        self.released < self.count() || !self.again.is_empty()
    }

    /// The item that is released next.
    pub fn next(&self) -> Option<u32> {
        let new = (self.released < self.count()).then_some(self.released);
        self.again.first().copied().or(new)
    }

    pub(crate) fn release(&mut self, index: u32) {
        debug_assert_eq!(Some(index), self.next(), "items are released in order");
        if !self.again.remove(&index) {
            self.released += 1;
        }
        self.items[index as usize] = NodeStatus::Out;
        self.live += 1;
    }

    /// The statuses are set, the counters follow.
    pub(crate) fn end(&mut self, index: u32, status: NodeStatus) {
        self.items[index as usize] = status;
        self.live -= 1;
        self.succeeded += u32::from(status == NodeStatus::Succeeded);
        self.failed += u32::from(is_bad(status));
    }

    /// Nothing more is released.
    pub(crate) fn cut(&mut self, status: NodeStatus) {
        let again = std::mem::take(&mut self.again);
        for index in again.into_iter().chain(self.released..self.count()) {
            self.items[index as usize] = status;
            self.failed += u32::from(is_bad(status));
        }
        self.released = self.count();
    }

    /// These run again, under a turn that none of them has had. One that has not run yet runs anyway.
    pub(crate) fn clear(&mut self, indices: &[u32], turn: u32) {
        for index in indices.iter().copied().filter(|index| *index < self.released) {
            let was = std::mem::replace(&mut self.items[index as usize], NodeStatus::Waiting);
            self.live -= u32::from(was == NodeStatus::Out);
            self.succeeded -= u32::from(was == NodeStatus::Succeeded);
            self.failed -= u32::from(is_bad(was));
            self.turns.insert(index, turn);
            self.again.insert(index);
        }
    }

    /// Items that did not end well.
    pub fn bad(&self) -> Vec<u32> {
        let bad = |index: &u32| is_bad(self.items[*index as usize]);
        (0..self.count()).filter(bad).collect()
    }

    /// How the node ends, once everything has ended.
    pub fn outcome(&self, tolerance: Tolerance) -> Option<NodeStatus> {
        if self.live > 0 || self.has_unreleased() {
            return None;
        }
        Some(if self.is_lost(tolerance) { NodeStatus::Failed } else { NodeStatus::Succeeded })
    }

    /// So many have failed that the node cannot succeed any more.
    pub fn is_lost(&self, tolerance: Tolerance) -> bool {
        !tolerance.allows(self.failed, self.count())
    }

    pub fn count_of(&self, status: NodeStatus) -> u32 {
        self.items.iter().filter(|item| **item == status).count() as u32
    }
}

/// As rules downstream would see it; an item whose own run was given up counts, too.
fn is_bad(status: NodeStatus) -> bool {
    matches!(status.end(), Some(NodeEnd::Failed | NodeEnd::UpstreamFailed))
}
