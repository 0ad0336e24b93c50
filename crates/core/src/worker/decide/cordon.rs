//! Cordon, drain, uncordon. Asked twice, they do what they do once: the first word stays, with who said it and why.

use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::values::{Actor, WorkerId};
use crate::worker::{Availability, CordonEvent};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetCordon {
    pub worker: WorkerId,
    pub to: Availability,
    pub by: Actor,
}

/// Whether the worker is known is the edge's question: a worker that is away can be cordoned, and be let work again.
pub fn decide(view: &View<'_>, set: SetCordon, out: &mut Out<'_>) -> Result<(), Rejection> {
    let SetCordon { worker, to, by } = set;
    let cordons = view.state.cordons();
    if cordons.availability(worker) == to {
        return Ok(());
    }
    let event = match to {
        Availability::Open => CordonEvent::Lifted { worker, by },
        Availability::Cordoned | Availability::Draining => {
            let max = view.limits.cordons_max;
            if cordons.get(worker).is_none() && cordons.len() >= max {
                return Err(Rejection::TooManyCordons { max });
            }
            CordonEvent::Set { worker, drains: to == Availability::Draining, by }
        }
    };
    out.push(Event::Cordon(Box::new(event)));
    Ok(())
}
