//! Why an attempt did not succeed, in the classes that retry policies speak of.

use std::sync::Arc;

/// Longest stored error message in bytes; longer ones are cut at the edge.
pub const MESSAGE_BYTES_MAX: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum FailureClass {
    /// May well succeed when tried again.
    Transient = 0,
    /// Will fail again; trying once more only costs.
    Permanent = 1,
    /// Ran out of memory, disk or the like; more of it may help.
    Resource = 2,
    /// Ran past its hard limit, or stopped making progress.
    Timeout = 3,
    /// The worker vanished while it held the attempt.
    WorkerLost = 4,
    /// Stopped to make room for more urgent work.
    Preempted = 5,
    /// Stopped because someone asked.
    Cancelled = 6,
}

impl FailureClass {
    pub const ALL: [Self; 7] = [
        Self::Transient,
        Self::Permanent,
        Self::Resource,
        Self::Timeout,
        Self::WorkerLost,
        Self::Preempted,
        Self::Cancelled,
    ];

    pub const fn index(self) -> usize {
        self as usize
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Permanent => "permanent",
            Self::Resource => "resource",
            Self::Timeout => "timeout",
            Self::WorkerLost => "worker_lost",
            Self::Preempted => "preempted",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What went wrong with one attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub class: FailureClass,
    /// Exit code or HTTP status; 0 when there is none.
    pub code: i32,
    pub message: Arc<str>,
}

impl Failure {
    pub fn new(class: FailureClass, code: i32, message: &str) -> Self {
        Self { class, code, message: message.into() }
    }

    /// Two failures are alike when class, code and the first line of the message agree.
    pub fn is_like(&self, other: &Self) -> bool {
        self.class == other.class
            && self.code == other.code
            && self.message.lines().next() == other.message.lines().next()
    }
}
