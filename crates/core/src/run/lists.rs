//! What is to be looked at inside of a run. `apply` adds to it; whoever decides about the run takes from it.

use std::collections::VecDeque;

use super::pace::Releases;
use crate::collections::Bits;

#[derive(Clone, Debug, Default)]
pub struct RunLists {
    /// Nodes to look at: something they wait for has happened.
    listed: VecDeque<u32>,
    /// Nodes that may run as soon as the run may release them.
    ready: VecDeque<u32>,
    /// Nodes in either list.
    noted: Bits,
    /// Where the walk over everything that must stop has come to (node, item); `None`: nothing to stop.
    pub(crate) stop_cursor: Option<(u32, u32)>,
    pub(crate) releases: Releases,
}

impl RunLists {
    /// Has a node looked at, unless it is in a list already.
    pub(crate) fn list(&mut self, node: u32) {
        if self.noted.insert(node) {
            self.listed.push_back(node);
        }
    }

    pub(crate) fn take_listed(&mut self) -> Option<u32> {
        let node = self.listed.pop_front()?;
        self.noted.remove(node);
        Some(node)
    }

    pub(crate) fn make_ready(&mut self, node: u32) {
        if self.noted.insert(node) {
            self.ready.push_back(node);
        }
    }

    pub(crate) fn first_ready(&self) -> Option<u32> {
        self.ready.front().copied()
    }

    pub(crate) fn drop_first_ready(&mut self) {
        if let Some(node) = self.ready.pop_front() {
            self.noted.remove(node);
        }
    }

    /// What made nodes ready may hold no longer; who wants them looked at lists them again.
    pub(crate) fn forget_ready(&mut self) {
        while !self.ready.is_empty() {
            self.drop_first_ready();
        }
    }

    /// The node will be looked at, or is ready.
    pub(crate) fn contains(&self, node: u32) -> bool {
        self.noted.contains(node)
    }

    pub(crate) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Nothing can be decided before something happens.
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.ready.is_empty() && self.stop_cursor.is_none()
    }
}
