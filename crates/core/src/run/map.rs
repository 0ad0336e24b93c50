//! The items of a mapped node.

use super::state::NodeStatus;
use crate::job::Tolerance;

#[derive(Clone, PartialEq, Debug)]
pub struct MapItems {
    /// By index; `Waiting` from `released` on.
    pub items: Vec<NodeStatus>,
    /// Items below this one were released.
    pub released: u32,
    pub live: u32,
    /// Released ones that ended otherwise than wanted, also those that were stopped; what the tolerance counts.
    pub failed: u32,
    pub succeeded: u32,
}

impl MapItems {
    pub fn new(count: u32) -> Self {
        Self {
            items: vec![NodeStatus::Waiting; count as usize],
            released: 0,
            live: 0,
            failed: 0,
            succeeded: 0,
        }
    }

    pub fn count(&self) -> u32 {
        self.items.len() as u32
    }

    pub fn has_unreleased(&self) -> bool {
        self.released < self.count()
    }

    pub(crate) fn release(&mut self, index: u32) {
        debug_assert_eq!(index, self.released, "items are released in order");
        self.items[index as usize] = NodeStatus::Out;
        self.released += 1;
        self.live += 1;
    }

    /// The statuses are set, the counters follow.
    pub(crate) fn end(&mut self, index: u32, status: NodeStatus) {
        self.items[index as usize] = status;
        self.live -= 1;
        match status {
            NodeStatus::Succeeded => self.succeeded += 1,
            NodeStatus::Skipped => {}
            _ => self.failed += 1,
        }
    }

    /// Nothing more is released.
    pub(crate) fn cut(&mut self, status: NodeStatus) {
        for item in &mut self.items[self.released as usize..] {
            *item = status;
        }
        self.released = self.count();
    }

    /// How the node ends, once everything has ended.
    pub fn outcome(&self, tolerance: Tolerance) -> Option<NodeStatus> {
        if self.live > 0 || self.has_unreleased() {
            return None;
        }
        let failed = self.count() - self.succeeded - self.skipped();
        Some(if tolerance.allows(failed, self.count()) { NodeStatus::Succeeded } else { NodeStatus::Failed })
    }

    /// So many have failed that the node cannot succeed any more.
    pub fn is_lost(&self, tolerance: Tolerance) -> bool {
        !tolerance.allows(self.failed, self.count())
    }

    fn skipped(&self) -> u32 {
        self.count_of(NodeStatus::Skipped)
    }

    pub fn count_of(&self, status: NodeStatus) -> u32 {
        self.items.iter().filter(|item| **item == status).count() as u32
    }
}
