//! Tasks that only wait: for an instant, for an event, for the end of a run, or for approval. They never see a worker.
//! - WT-1 a wait is in the journal before anything else happens to its task, and every wait has a deadline
//! - WT-2 what ends a wait is in one record with its end, or in the journal until all waits that it ends have ended
//! - WT-3 a task waits only for runs of its own tenant; others do not exist for it
//! - WT-4 nobody asks again and again: an instant is a timer, an event or a run that ends calls those that wait for it
//! - WT-5 a task that polls for an address or a file has a deadline from the moment it may poll first: it ends with it
//!   although no worker is there to poll
//! - WT-6 a task that waits for approval ends by the word of somebody who may give it, with its deadline, or with its run;
//!   it is of a run
//!
//! Not here: polling files and addresses, which workers do (`poll`, between polls the task is deferred); reading what
//! a payload asks for (`Evaluate::wait`, `Evaluate::poll_deadline`).

pub(crate) mod decide;
mod index;

use std::fmt;
use std::sync::Arc;

pub(crate) use self::index::{SAME_MAX, WaitIndex, Waiter};
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
    /// The word of a person.
    Approval(Arc<Approval>),
}

/// Whose word a task waits for, and what they are told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Approval {
    /// Empty: anybody's.
    pub by: Vec<Name>,
    pub message: Option<Arc<str>>,
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
    /// As if somebody had approved it. Only for approvals, as is the next.
    Approve = 2,
    Reject = 3,
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
            Awaited::Run(_) | Awaited::Event(_) | Awaited::Approval(_) => self.deadline,
        }
    }

    /// What it becomes when its last instant has come. `approved`: the output of one that counts as approved.
    pub(crate) fn over(&self, now: Wall, approved: impl FnOnce() -> Arc<[u8]>) -> WaitEnd {
        let failed = |class, message: &str| WaitEnd::Failed(Box::new(Failure::new(class, 0, message)));
        match (&self.what, self.late) {
            (Awaited::Until(at), _) if *at <= now => WaitEnd::Met(None),
            (_, Late::Skip) => WaitEnd::Skipped,
            (_, Late::Approve) => WaitEnd::Met(Some(approved())),
            (_, Late::Reject) => failed(FailureClass::Permanent, "rejected: nobody decided in time"),
            (Awaited::Approval(_), Late::Fail) => {
                failed(FailureClass::Timeout, "nobody approved or rejected it in time")
            }
            (what, Late::Fail) => {
                let message = format!("what it waited for ({}) did not come in time", what.label());
                failed(FailureClass::Timeout, &message)
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

impl Approval {
    pub fn is_by(&self, actor: &Name) -> bool {
        self.by.is_empty() || self.by.contains(actor)
    }
}

/// By whom, for people: "anybody", or the names.
impl fmt::Display for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [others @ .., last] = &*self.by else { return f.write_str("anybody") };
        for (at, name) in others.iter().enumerate() {
            write!(f, "{}`{name}`", if at == 0 { "" } else { ", " })?;
        }
        write!(f, "{}`{last}`", if others.is_empty() { "" } else { " or " })
    }
}

impl Awaited {
    /// A word for people and metrics.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Until(_) => "time",
            Self::Run(_) => "run",
            Self::Event(_) => "event",
            Self::Approval(_) => "approval",
        }
    }
}

impl Late {
    pub fn from_index(index: u8) -> Option<Self> {
        match index {
            0 => Some(Self::Fail),
            1 => Some(Self::Skip),
            2 => Some(Self::Approve),
            3 => Some(Self::Reject),
            _ => None,
        }
    }

    /// As callers write it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Skip => "skip",
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }
}
