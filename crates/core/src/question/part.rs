//! The part that a task plays in a run.

use crate::id::{Place, RunId};
use crate::name::Name;
use crate::workflow::{Origin, Run};

/// Which part of which run a task is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub run: RunId,
    pub place: Place,
    /// `None` if memory does not hold the run.
    pub node: Option<Name>,
}

impl Part {
    pub fn of(origin: &Origin, run: Option<&Run>) -> Self {
        let Origin { run: id, place } = *origin;
        let spec = run.and_then(|run| run.plan.nodes().get(place.node as usize));
        Self { run: id, place, node: spec.map(|spec| spec.name.clone()) }
    }

    /// Of a mapped node.
    pub fn item(&self) -> Option<u32> {
        let index = self.place.index;
        (index != Place::WHOLE && index != Place::UNDO).then_some(index)
    }
}
