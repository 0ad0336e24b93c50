//! Cordons: an operator's word that a worker gets nothing new, or is to become empty. They are durable: neither a restart of
//! the worker nor one of the server lifts them.
//! - CD-1 from its event until it is lifted, no attempt is granted to the worker

use super::Availability;
use crate::collections::{Entity, Table};
use crate::values::{Actor, EntityKind, Name, Seq, Stamp, Wall, WorkerId};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cordon {
    pub worker: WorkerId,
    /// It is to become empty and leave, and is told so.
    pub drains: bool,
    pub by: Actor,
    pub since: Wall,
    pub lifted: Option<CordonLifted>,
    pub touched: Seq,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CordonLifted {
    pub at: Wall,
    pub by: Actor,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CordonEvent {
    /// New, or a cordon became a drain, or a drain a cordon.
    Set {
        worker: WorkerId,
        drains: bool,
        by: Actor,
    },
    Lifted {
        worker: WorkerId,
        by: Actor,
    },
}

/// By worker. Lifted ones stay until a cut has stored them.
pub type Cordons = Table<Cordon>;

impl CordonEvent {
    pub fn worker(&self) -> WorkerId {
        match self {
            Self::Set { worker, .. } | Self::Lifted { worker, .. } => *worker,
        }
    }
}

impl Entity for Cordon {
    const KIND: EntityKind = EntityKind::Cordon;
    type Id = WorkerId;
    type Key = WorkerId;

    fn id(&self) -> WorkerId {
        self.worker
    }

    fn key(&self) -> WorkerId {
        self.worker
    }

    /// Workers belong to no tenant.
    fn scope(&self) -> (Name, Name) {
        (Name::default(), Name::default())
    }

    fn ended(&self) -> Option<Wall> {
        self.lifted.as_ref().map(|lifted| lifted.at)
    }

    fn touched(&self) -> Seq {
        self.touched
    }

    fn set_touched(&mut self, seq: Seq) {
        self.touched = seq;
    }
}

impl Cordon {
    /// While it holds.
    pub fn availability(&self) -> Availability {
        if self.drains { Availability::Draining } else { Availability::Cordoned }
    }
}

impl Cordons {
    /// The one that holds now.
    pub fn holding(&self, worker: WorkerId) -> Option<&Cordon> {
        self.get(worker).filter(|cordon| cordon.lifted.is_none())
    }

    pub fn availability(&self, worker: WorkerId) -> Availability {
        self.holding(worker).map_or(Availability::Open, Cordon::availability)
    }
}

pub(crate) fn apply(cordons: &mut Cordons, at: Stamp, event: &CordonEvent) {
    let now = at.now.wall;
    match event {
        CordonEvent::Set { worker, drains, by } => {
            let (drains, by) = (*drains, by.clone());
            if cordons.get(*worker).is_none() {
                let row = Cordon { worker: *worker, drains, by, since: now, lifted: None, touched: at.seq };
                return cordons.insert(row, at);
            }
            let cordon = cordons.change(*worker, at);
            (cordon.drains, cordon.by, cordon.since, cordon.lifted) = (drains, by, now, None);
        }
        CordonEvent::Lifted { worker, by } => {
            cordons.change(*worker, at).lifted = Some(CordonLifted { at: now, by: by.clone() });
        }
    }
}
