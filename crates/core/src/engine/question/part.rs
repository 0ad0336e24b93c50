//! The part that a task plays in a run.

use crate::run::Run;
use crate::values::{InRun, Name, NodeInstance, RunId};

/// Which part of which run a task is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub run: RunId,
    pub place: NodeInstance,
    /// `None` if memory does not hold the run.
    pub node: Option<Name>,
}

impl Part {
    pub fn of(origin: &InRun, run: Option<&Run>) -> Self {
        let InRun { run: id, place } = *origin;
        let spec = run.and_then(|run| run.plan.nodes().get(place.node as usize));
        Self { run: id, place, node: spec.map(|spec| spec.name.clone()) }
    }

    /// Of a mapped node.
    pub fn item(&self) -> Option<u32> {
        let index = self.place.index;
        (index != NodeInstance::WHOLE && index != NodeInstance::UNDO).then_some(index)
    }
}
