//! Tasks that a task of a run has added to it: the run then has a plan of its own.
//! - GR-1 the plan of a version is never changed; a run without additions shares it, one with additions its nodes
//! - GR-2 what needs the task that added waits for the leaves of the addition, too: the added tasks that no other of
//!   the addition needs. What had been decided before goes on as it was decided
//! - GR-3 the number of a node is never given away again: what is taken away stays, skipped and needed by nobody
//!
//! Not here: whether an addition is fit for the run (who implements [`super::scope::Evaluate`]).

use std::ops::Range;
use std::sync::Arc;

use super::state::{NodeStatus, Run};
use crate::job::{Node, Plan};
use crate::values::Wall;

/// Tasks that were added to one run in all.
pub const ADDED_MAX: u32 = 10_000;
/// Additions to one run: each makes its plan anew.
pub const ADDITIONS_MAX: usize = 1_000;

/// What a run has beyond its version.
#[derive(Clone, PartialEq, Debug)]
pub struct Additions {
    pub base: Arc<Plan>,
    /// In the order of their nodes, which follow those of the base.
    pub added: Vec<Added>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// The node that gave them.
    pub by: u32,
    pub first: u32,
    pub count: u32,
    /// Children of that node which wait for the leaves.
    pub waits: Vec<u32>,
    /// The node was cleared: these never count again.
    pub removed: bool,
}

impl Added {
    pub fn nodes(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// Those that no other of the addition needs.
    fn leaves(&self, nodes: &[Arc<Node>]) -> Vec<u32> {
        let mut needed = vec![false; self.count as usize];
        for need in self.nodes().flat_map(|node| &nodes[node as usize].needs) {
            if self.nodes().contains(need) {
                needed[(need - self.first) as usize] = true;
            }
        }
        self.nodes().filter(|node| !needed[(node - self.first) as usize]).collect()
    }

    fn bind(&self, nodes: &mut [Arc<Node>]) {
        let leaves = self.leaves(nodes);
        for child in &self.waits {
            let needs = &mut Arc::make_mut(&mut nodes[*child as usize]).needs;
            needs.extend(&leaves);
            needs.sort_unstable();
            needs.dedup();
        }
    }
}

impl Additions {
    /// From what a row keeps. `nodes` as the run has them; the base is that of the version.
    pub fn restore(base: Arc<Plan>, added: Vec<Added>, nodes: Vec<Node>) -> (Plan, Self) {
        let mut all: Vec<Arc<Node>> =
            base.nodes.iter().cloned().chain(nodes.into_iter().map(Arc::new)).collect();
        for addition in added.iter().filter(|addition| !addition.removed) {
            addition.bind(&mut all);
        }
        (base.with_nodes(all), Self { base, added })
    }
}

impl Run {
    /// The plan of its version.
    pub fn base(&self) -> &Arc<Plan> {
        self.own.as_ref().map_or(&self.plan, |own| &own.base)
    }

    pub fn additions(&self) -> &[Added] {
        self.own.as_ref().map_or(&[], |own| &own.added)
    }

    /// The addition that a node came with.
    pub fn addition_of(&self, node: u32) -> Option<&Added> {
        let additions = self.additions();
        let at = additions.partition_point(|added| added.first + added.count <= node);
        additions.get(at).filter(|added| added.nodes().contains(&node))
    }

    pub fn is_removed(&self, node: u32) -> bool {
        self.addition_of(node).is_some_and(|added| added.removed)
    }

    /// The node of this name that counts.
    pub fn find(&self, name: &str) -> Option<u32> {
        let named = |node: &u32| &*self.plan.node(*node).name == name && !self.is_removed(*node);
        (0..self.plan.len()).find(named)
    }

    /// The node succeeded and gave these.
    pub(crate) fn grow(&mut self, by: u32, nodes: &[Node], now: Wall) {
        let (first, count) = (self.plan.len(), nodes.len() as u32);
        let undecided = |child: &u32| self.node(*child).status == NodeStatus::Waiting;
        let waits = self.plan.children(by).iter().copied().filter(undecided).collect();
        let added = Added { by, first, count, waits, removed: false };
        let mut all: Vec<Arc<Node>> = self.plan.nodes.clone();
        all.extend(nodes.iter().cloned().map(Arc::new));
        added.bind(&mut all);
        let plan = Arc::new(self.plan.with_nodes(all));
        let base = std::mem::replace(&mut self.plan, plan);
        let own = self.own.get_or_insert_with(|| Box::new(Additions { base, added: Vec::new() }));
        let added_nodes = added.nodes();
        own.added.push(added);
        self.nodes.resize_with((first + count) as usize, Default::default);
        self.unfinished += count;
        let plan = Arc::clone(&self.plan);
        for node in added_nodes.clone() {
            for need in &plan.node(node).needs {
                if let Some(end) = self.node(*need).status.end() {
                    self.node_mut(node).ends.add(end);
                }
            }
        }
        self.end_node(by, NodeStatus::Succeeded, now);
        added_nodes.for_each(|node| self.list(node));
    }

    /// Nodes were cleared; what they had added is taken away, and they may add anew.
    pub(crate) fn shrink(&mut self, cleared: &[u32]) {
        let gone = |added: &Added| !added.removed && cleared.binary_search(&added.by).is_ok();
        let Some(own) = self.own.as_mut().filter(|own| own.added.iter().any(gone)) else { return };
        let mut all = self.plan.nodes.clone();
        let mut taken = Vec::new();
        for added in own.added.iter_mut().filter(|added| gone(added)) {
            let leaves = added.leaves(&all);
            for child in std::mem::take(&mut added.waits) {
                let needs = &mut Arc::make_mut(&mut all[child as usize]).needs;
                needs.retain(|need| leaves.binary_search(need).is_err());
            }
            added.removed = true;
            taken.extend(added.nodes());
        }
        for node in &taken {
            Arc::make_mut(&mut all[*node as usize]).needs.clear();
        }
        self.plan = Arc::new(self.plan.with_nodes(all));
        for node in taken {
            self.node_mut(node).status = NodeStatus::Skipped;
            self.whys.insert(node, "taken away: the task that had added it was cleared".into());
        }
        self.recount();
    }
}
