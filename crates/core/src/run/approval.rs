//! What people decided about tasks that waited for approval, kept with the run.

use std::collections::BTreeMap;

use super::state::Run;
use crate::values::{Actor, Name, NodeInstance, Wall};

/// Decisions kept with a run; older ones go first.
pub const DECISIONS_MAX: usize = 1_000;

/// By node and index.
pub type Decisions = BTreeMap<(u32, u32), ApprovalDecision>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApprovalDecision {
    /// Of the node or item: a task that was cleared asks again.
    pub turn: u32,
    pub approved: bool,
    pub over: Actor,
    pub at: Wall,
}

impl Run {
    /// What was decided about this place, as it stands now.
    pub fn decision(&self, node: u32, index: u32) -> Option<&ApprovalDecision> {
        let turn = self.place(node, index).turn;
        self.decisions.get(&(node, index)).filter(|decision| decision.turn == turn)
    }

    pub(crate) fn decide_approval(&mut self, place: NodeInstance, approved: bool, over: &Actor, at: Wall) {
        let NodeInstance { node, index, turn } = place;
        let verb = if approved { "approved" } else { "rejected" };
        let name = &self.plan.node(node).name;
        let what = match item(place) {
            None => format!("{verb} `{name}`"),
            Some(item) => format!("{verb} item {item} of `{name}`"),
        };
        self.note(at, over.clone(), what.into());
        let decision = ApprovalDecision { turn, approved, over: over.clone(), at };
        self.decisions.insert((node, index), decision);
        if self.decisions.len() > DECISIONS_MAX
            && let Some(oldest) = self.decisions.iter().min_by_key(|(_, decision)| decision.at)
        {
            let oldest = *oldest.0;
            self.decisions.remove(&oldest);
        }
    }
}

/// The item that a place is, if it is one.
pub(crate) fn item(place: NodeInstance) -> Option<u32> {
    (place.index < NodeInstance::UNDO).then_some(place.index)
}

/// A task of a run, for people: its name and item.
pub(crate) fn shown(name: &Name, item: Option<u32>) -> String {
    item.map_or_else(|| format!("`{name}`"), |item| format!("`{name}` (item {item})"))
}
