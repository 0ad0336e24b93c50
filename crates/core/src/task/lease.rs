//! A lease: which worker may report on the live attempt, and how long it has.
//! - LS-1 a task has at most one lease; LS-2 its fence equals the task's newest fence

use std::sync::Arc;

use super::state::Status;
use crate::collections::Soft;
use crate::values::{Elapsed, Fence, Incarnation, Millis, Session, WorkerId};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    pub fence: Fence,
    pub worker: WorkerId,
    pub incarnation: Incarnation,
    pub assigned: Elapsed,
    /// Time granted on request, on top of the hard limit.
    pub extended: Millis,
    pub stop: Option<Stop>,
    pub soft: Soft<LeaseSoft>,
}

impl Lease {
    /// The worker said that it took the attempt.
    pub const fn is_accepted(&self) -> bool {
        self.soft.0.accepted.is_some()
    }
}

/// Built up again from what the worker says after a restart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeaseSoft {
    /// The session over which the start order went, or over which the worker last confirmed the attempt.
    pub session: Session,
    /// When the attempt began; `None` until the worker took it. After recovery: the moment of recovery, until the
    /// worker says how long it has run.
    pub accepted: Option<Elapsed>,
    pub progressed: Elapsed,
    /// The last progress it reported.
    pub progress: Option<Box<str>>,
    /// The worker was told that the soft limit has passed.
    pub soft_told: bool,
    /// When the newest checkpoint was stored.
    pub checkpointed: Option<Elapsed>,
    /// The newest checkpoint, if it came too soon after the one that was stored.
    pub pending_checkpoint: Option<PendingCheckpoint>,
}

impl LeaseSoft {
    /// Nothing was heard of the attempt yet.
    pub const fn at(assigned: Elapsed) -> Self {
        Self {
            session: Session::ZERO,
            accepted: None,
            progressed: assigned,
            progress: None,
            soft_told: false,
            checkpointed: None,
            pending_checkpoint: None,
        }
    }
}

/// A checkpoint that waits for its time; a newer one takes its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingCheckpoint {
    pub bytes: Arc<[u8]>,
    pub due: Elapsed,
}

/// Someone or something wants the attempt to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    pub reason: StopReason,
    pub requested: Elapsed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum StopReason {
    Cancel = 0,
    HardTimeout = 1,
    NoProgress = 2,
    Preempt = 3,
    /// An operator said how the task ends.
    ForceSucceeded = 4,
    ForceFailed = 5,
    ForceSkipped = 6,
}

impl StopReason {
    pub const ALL: [Self; 7] = [
        Self::Cancel,
        Self::HardTimeout,
        Self::NoProgress,
        Self::Preempt,
        Self::ForceSucceeded,
        Self::ForceFailed,
        Self::ForceSkipped,
    ];

    pub const fn forcing(status: Status) -> Self {
        match status {
            Status::Succeeded => Self::ForceSucceeded,
            Status::Skipped => Self::ForceSkipped,
            _ => Self::ForceFailed,
        }
    }

    /// The state that an operator wants the task to end in.
    pub const fn forced(self) -> Option<Status> {
        match self {
            Self::ForceSucceeded => Some(Status::Succeeded),
            Self::ForceFailed => Some(Status::Failed),
            Self::ForceSkipped => Some(Status::Skipped),
            Self::Cancel | Self::HardTimeout | Self::NoProgress | Self::Preempt => None,
        }
    }
}
