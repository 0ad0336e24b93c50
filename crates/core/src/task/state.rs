//! The states of a task. One arm per state wherever they are matched; no `_`.

use super::lease::Lease;
use crate::retry::BudgetKind;
use crate::values::{Elapsed, Wall};
use crate::wait::Wait;

#[derive(Clone, PartialEq, Debug)]
pub enum TaskState {
    /// Waits for its time.
    Pending {
        due: Wall,
    },
    /// Ready; waits for a worker.
    Queued,
    /// Granted to a worker. Whether the worker has taken it, and the task is running, is soft ([`Lease::is_accepted`]): it
    /// is not journaled, and after a recovery every granted task counts as running.
    Leased(Box<Lease>),
    /// Failed an attempt; waits for its next one.
    RetryWait {
        due: Elapsed,
        /// The retry budget that made the wait longer than the backoff.
        delayed_by: Option<BudgetKind>,
    },
    /// Gave its place back while it waits for something outside.
    Deferred {
        due: Elapsed,
    },
    /// Only waits, without ever seeing a worker; people see it as deferred.
    Waiting(Box<Wait>),
    Succeeded,
    Failed,
    Cancelled,
    Skipped,
    UpstreamFailed,
    /// Poisonous: taken out of circulation until its owner looks at it.
    Quarantined,
}

/// A state without its data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Status {
    Pending = 0,
    Queued = 1,
    Assigned = 2,
    Running = 3,
    RetryWait = 4,
    Deferred = 5,
    Succeeded = 6,
    Failed = 7,
    Cancelled = 8,
    Skipped = 9,
    UpstreamFailed = 10,
    Quarantined = 11,
}

impl Status {
    pub const ALL: [Self; 12] = [
        Self::Pending,
        Self::Queued,
        Self::Assigned,
        Self::Running,
        Self::RetryWait,
        Self::Deferred,
        Self::Succeeded,
        Self::Failed,
        Self::Cancelled,
        Self::Skipped,
        Self::UpstreamFailed,
        Self::Quarantined,
    ];

    pub const fn index(self) -> usize {
        self as usize
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    /// It failed for good or was quarantined: a dead letter, unless its run was repaired.
    pub const fn is_dead(self) -> bool {
        matches!(self, Self::Failed | Self::Quarantined)
    }

    pub const fn is_ended(self) -> bool {
        match self {
            Self::Pending
            | Self::Queued
            | Self::Assigned
            | Self::Running
            | Self::RetryWait
            | Self::Deferred => false,
            Self::Succeeded
            | Self::Failed
            | Self::Cancelled
            | Self::Skipped
            | Self::UpstreamFailed
            | Self::Quarantined => true,
        }
    }

    pub const fn is_leased(self) -> bool {
        matches!(self, Self::Assigned | Self::Running)
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Queued => "queued",
            Self::Assigned => "assigned",
            Self::Running => "running",
            Self::RetryWait => "retry_wait",
            Self::Deferred => "deferred",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
            Self::UpstreamFailed => "upstream_failed",
            Self::Quarantined => "quarantined",
        }
    }
}

impl TaskState {
    pub const fn status(&self) -> Status {
        match self {
            Self::Pending { .. } => Status::Pending,
            Self::Queued => Status::Queued,
            Self::Leased(lease) if lease.is_accepted() => Status::Running,
            Self::Leased(_) => Status::Assigned,
            Self::RetryWait { .. } => Status::RetryWait,
            Self::Deferred { .. } | Self::Waiting(_) => Status::Deferred,
            Self::Succeeded => Status::Succeeded,
            Self::Failed => Status::Failed,
            Self::Cancelled => Status::Cancelled,
            Self::Skipped => Status::Skipped,
            Self::UpstreamFailed => Status::UpstreamFailed,
            Self::Quarantined => Status::Quarantined,
        }
    }

    pub const fn lease(&self) -> Option<&Lease> {
        match self {
            Self::Leased(lease) => Some(lease),
            Self::Pending { .. }
            | Self::Queued
            | Self::RetryWait { .. }
            | Self::Deferred { .. }
            | Self::Waiting(_)
            | Self::Succeeded
            | Self::Failed
            | Self::Cancelled
            | Self::Skipped
            | Self::UpstreamFailed
            | Self::Quarantined => None,
        }
    }

    pub const fn lease_mut(&mut self) -> Option<&mut Lease> {
        match self {
            Self::Leased(lease) => Some(lease),
            _ => None,
        }
    }
}
