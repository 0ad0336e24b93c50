//! What workers say about themselves, on which `engine::session` acts, and what operators say about workers.

pub mod cordon;
pub(crate) mod lost;

pub use self::cordon::SetCordon;
use super::WorkerOffer;
use crate::values::{Epoch, Fence, Incarnation, Millis, Session, TaskId, WorkerId};

#[derive(Clone, PartialEq, Debug)]
pub enum SessionCommand {
    Hello(Box<Hello>),
    Heartbeat {
        worker: WorkerId,
        session: Session,
    },
    /// The connection ended; the lease runs on.
    Closed {
        worker: WorkerId,
        session: Session,
    },
    /// The worker stops: it gets nothing new until its next hello.
    Leaving {
        worker: WorkerId,
        session: Session,
    },
}

/// The first message of a session: who, with what room, and everything the worker still answers for.
#[derive(Clone, PartialEq, Debug)]
pub struct Hello {
    pub worker: WorkerId,
    /// The owner of the shard to which it is said; zero: whoever owns it. What a worker told an earlier owner does not
    /// hold for a later one: orders may have reached it since.
    pub epoch: Epoch,
    pub session: Session,
    pub incarnation: Incarnation,
    pub offer: WorkerOffer,
    /// Running ∪ spooled and not acknowledged ∪ accepted and not started.
    pub holding: Vec<Holding>,
}

/// An attempt that a worker answers for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holding {
    pub task: TaskId,
    pub fence: Fence,
    /// How long it has run, by the worker's clock; `None` if it has not started or has ended.
    pub ran: Option<Millis>,
}
