//! Effects: orders to the shell, released only when what caused them is durable.

use std::sync::Arc;

use super::news::News;
use crate::job::JobKey;
use crate::task::{Payload, Profile, Status, StopReason};
use crate::values::{Fence, Millis, Name, RunId, RunStatus, ScheduleId, Session, TaskId, Wall, WorkerId};

#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    Start(Start),
    /// Ask the attempt to end; kill it after `grace`.
    Stop {
        worker: WorkerId,
        session: Session,
        task: TaskId,
        fence: Fence,
        grace: Millis,
        reason: Option<StopReason>,
    },
    /// The result is durable (or will never count): the worker may drop it from its spool.
    Acknowledge {
        worker: WorkerId,
        session: Session,
        task: TaskId,
        fence: Fence,
        verdict: ReportVerdict,
    },
    /// The worker speaks over a session that the shard has given up: it must connect anew to be given work.
    SessionLost {
        worker: WorkerId,
        session: Session,
    },
    /// The worker is to become empty and leave, or no longer.
    Drain {
        worker: WorkerId,
        session: Session,
        draining: bool,
    },
    /// Lossy: a live view, lost on restart.
    Alert {
        task: TaskId,
        alert: Alert,
    },
    /// Lossy, as an alert of a task.
    RunAlert {
        run: RunId,
        alert: RunAlert,
    },
    /// Lossy: a schedule was on and had no timer; it has one now.
    ScheduleAlert {
        schedule: ScheduleId,
    },
    /// Lossy: for figures of its job. `ran`: from its creation.
    RunEnded {
        job: Arc<JobKey>,
        status: RunStatus,
        ran: Millis,
        at: Wall,
    },
    /// Lossy: its figures are not wanted any more.
    JobDeleted {
        job: Arc<JobKey>,
    },
    /// Lossy: a live view of a change of state.
    Changed {
        task: TaskId,
        to: Status,
    },
    /// Lossy: for listeners, while there are any.
    News(Box<News>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Start {
    pub worker: WorkerId,
    pub session: Session,
    pub task: TaskId,
    pub fence: Fence,
    /// Counts from 1.
    pub attempt: u32,
    pub profile: Arc<Profile>,
    pub payload: Payload,
    pub checkpoint: Option<Arc<[u8]>>,
    pub memory_bytes: Option<u64>,
    /// It holds a place that it shares with nobody.
    pub exclusive: bool,
    /// Of its run, if some of its parameters are sensitive: nothing that an attempt writes may show their values.
    pub sensitive: Option<Sensitive>,
}

/// Names of parameters that nobody is shown, and all parameters of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sensitive {
    pub names: Arc<[Name]>,
    pub parameters: Payload,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportVerdict {
    Recorded,
    /// Sent again after a lost answer; changed nothing.
    Duplicate,
    /// Of an attempt that is no longer the newest; changed nothing.
    Stale,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alert {
    SoftTimeout,
    Quarantined,
    /// The independent sweep found a task that both other limits had missed.
    SweptUp,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunAlert {
    /// It takes longer than its job expects.
    Late,
    /// More than twice as long.
    Overdue,
    /// It did not change for long.
    Quiet,
    /// Nothing is out, ready or awaited; it was looked at again.
    Stalled,
}

impl RunAlert {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Overdue => "overdue",
            Self::Quiet => "quiet",
            Self::Stalled => "stalled",
        }
    }
}
