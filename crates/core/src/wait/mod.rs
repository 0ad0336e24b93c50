//! Tasks that only wait: for an instant, for an event, or for the end of a run. They never see a worker.
//! - WT-1 a wait is in the journal before anything else happens to its task, and every wait has a deadline
//! - WT-2 what ends a wait is in one record with its end, or in the journal until all waits that it ends have ended
//! - WT-3 a task waits only for runs of its own tenant; others do not exist for it
//! - WT-4 nobody asks again and again: an instant is a timer, an event or a run that ends calls those that wait for it
//! - WT-5 a task that polls for an address or a file has a deadline from the moment it may poll first: it ends with it
//!   although no worker is there to poll
//!
//! Not here: polling files and addresses, which workers do (`poll`, between polls the task is deferred); reading what
//! a payload asks for (`Evaluate::wait`, `Evaluate::poll_deadline`).

pub(crate) mod decide;
mod index;

use std::sync::Arc;

pub(crate) use self::index::{SAME_MAX, WaitIndex};
use crate::values::{
    CloudEvent, Failure, FailureClass, Millis, Name, Pattern, RunId, RunStatus, Source, Wall,
};

/// The executor of tasks that only wait.
pub const EXECUTOR: &str = "wait";
/// The executor of tasks that poll for an address or a file, on a worker and between two polls without one.
pub const POLL_EXECUTOR: &str = "poll";
/// How long a wait lasts at most unless it says otherwise.
pub const TIMEOUT_DEFAULT: Millis = Millis::from_secs(7 * 86_400);
/// And whatever it says.
pub const TIMEOUT_MAX: Millis = Millis::from_secs(366 * 86_400);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    pub what: Awaited,
    pub since: Wall,
    pub deadline: Wall,
    pub late: Late,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Awaited {
    Until(Wall),
    /// Its success; with any other end the wait fails.
    Run(RunId),
    /// The first one that comes after the wait has begun.
    Event(Arc<EventMask>),
}

/// Which events end a wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventMask {
    pub kind: Pattern,
    pub source: Option<Pattern>,
    pub subject: Option<Arc<str>>,
    /// An expression over the event.
    pub condition: Option<Source>,
}

/// What a wait becomes when its deadline passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Late {
    #[default]
    Fail = 0,
    Skip = 1,
}

#[derive(Clone, PartialEq, Debug)]
pub enum WaitEnd {
    /// With what came, as JSON.
    Met(Option<Arc<[u8]>>),
    Failed(Box<Failure>),
    Skipped,
}

/// What the tables had of a run that a task waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FoundRun {
    /// They could not be read.
    Unread,
    Nothing,
    Ended {
        tenant: Name,
        status: RunStatus,
    },
}

impl Wait {
    /// When something happens to it even if nothing comes.
    pub fn ends(&self) -> Wall {
        match self.what {
            Awaited::Until(at) => at.min(self.deadline),
            Awaited::Run(_) | Awaited::Event(_) => self.deadline,
        }
    }

    /// What it becomes when its last instant has come.
    pub(crate) fn over(&self, now: Wall) -> WaitEnd {
        match (&self.what, self.late) {
            (Awaited::Until(at), _) if *at <= now => WaitEnd::Met(None),
            (_, Late::Skip) => WaitEnd::Skipped,
            (what, Late::Fail) => {
                let message = format!("what it waited for ({}) did not come in time", what.label());
                WaitEnd::Failed(Box::new(Failure::new(FailureClass::Timeout, 0, &message)))
            }
        }
    }
}

impl EventMask {
    /// All but the condition.
    pub(crate) fn matches(&self, notice: &CloudEvent) -> bool {
        self.kind.matches(&notice.kind)
            && self.source.as_ref().is_none_or(|source| source.matches(&notice.source))
            && self.subject.as_ref().is_none_or(|subject| notice.subject.as_ref() == Some(subject))
    }
}

impl Awaited {
    /// A word for people and metrics.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Until(_) => "time",
            Self::Run(_) => "run",
            Self::Event(_) => "event",
        }
    }
}

impl Late {
    pub fn from_index(index: u8) -> Option<Self> {
        match index {
            0 => Some(Self::Fail),
            1 => Some(Self::Skip),
            _ => None,
        }
    }
}
