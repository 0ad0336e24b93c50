//! What a schedule says: when, what, and what to do when things go wrong.

use std::ops::Deref;
use std::sync::Arc;

use crate::calendar::Timetable;
use crate::task::{Payload, TaskSpec};
use crate::values::{Band, Bucket, Millis, Name, Priority, Wall, group_of};

/// Names a schedule for ever: what is stored again under it goes on where it stopped.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScheduleKey {
    pub tenant: Name,
    /// [`TASKS_JOB`] for recurring tasks without a job.
    pub job: Name,
    pub name: Name,
}

/// Stands for a job in the keys of recurring tasks. No job can have this name.
pub const TASKS_JOB: &str = "@tasks";

/// Runs of one schedule that have not ended, unless it says otherwise.
pub const ACTIVE_MAX_DEFAULT: u32 = 16;
/// Missed windows that are made up for, when catching up is on and no number is given.
pub const CATCH_UP_DEFAULT: u32 = 3;
pub const CATCH_UP_MAX: u32 = 100;
/// The newest window still begins when it is this late.
pub const GRACE_DEFAULT: Millis = Millis::from_secs(300);
pub const EVERY_MIN: Millis = Millis::from_secs(1);
pub const JITTER_MAX: Millis = Millis::from_secs(86_400);
pub const INSTANTS_MAX: usize = 1_000;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Spec {
    pub target: Target,
    /// Apart, so that schedules share it that begin different things at the same times.
    pub terms: Arc<Terms>,
}

/// When, and what to do when things go wrong.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Terms {
    pub timing: Timing,
    /// The timing as it was written, for people: a cron expression, or nothing.
    pub text: Arc<str>,
    /// No window before it.
    pub start: Option<Wall>,
    /// No window after it.
    pub end: Option<Wall>,
    /// Windows begin up to this much later, each schedule by its own fixed part of it: [`ScheduleHome::offset`].
    pub jitter: Millis,
    /// How many missed windows are made up for; 0: none.
    pub catch_up: u32,
    pub grace: Millis,
    pub overlap: Overlap,
    pub active_max: u32,
}

/// What of a schedule follows from its key, and so differs between those that say the same. Beside the spec, so that
/// they can share one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduleHome {
    /// The home of its key, and so of all it begins.
    pub bucket: Bucket,
    /// Its part of the jitter.
    pub offset: Millis,
}

impl Default for ScheduleHome {
    fn default() -> Self {
        Self { bucket: Bucket::home(group_of("")), offset: Millis::ZERO }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Timing {
    Table(Timetable),
    /// This long after what it began has ended.
    After(Millis),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A run of the schedule's job.
    Run {
        /// JSON object; checked against the job's declarations when a run begins.
        parameters: Payload,
        /// `None`: as each task has it.
        priority: Option<Priority>,
    },
    /// A task without a job.
    Task(Box<TaskSpec>),
}

/// What becomes of a window while something of an earlier one has not ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Overlap {
    /// It begins beside it.
    #[default]
    Allow = 0,
    /// It is skipped.
    Forbid = 1,
    /// It waits for its turn.
    Queue = 2,
    /// It begins, and what runs is cancelled.
    Replace = 3,
    /// It waits; of those that wait only the newest is kept.
    Coalesce = 4,
}

impl Overlap {
    pub const ALL: [Self; 5] = [Self::Allow, Self::Forbid, Self::Queue, Self::Replace, Self::Coalesce];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Forbid => "forbid",
            Self::Queue => "queue",
            Self::Replace => "replace",
            Self::Coalesce => "coalesce",
        }
    }

    pub fn find(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|overlap| overlap.label() == label)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

/// A spec reads as its terms.
impl Deref for Spec {
    type Target = Terms;

    fn deref(&self) -> &Terms {
        &self.terms
    }
}

impl Spec {
    /// Everything but what and when, as it is unless something else is said.
    pub fn new(target: Target, timing: Timing) -> Self {
        Self { target, terms: Arc::new(Terms::new(timing)) }
    }

    /// The same on other terms.
    #[must_use]
    pub fn on(mut self, change: impl FnOnce(&mut Terms)) -> Self {
        change(Arc::make_mut(&mut self.terms));
        self
    }

    pub fn band(&self) -> Band {
        match &self.target {
            Target::Run { priority, .. } => priority.unwrap_or_default().band,
            Target::Task(task) => task.priority.band,
        }
    }
}

impl Terms {
    /// As they are unless something else is said.
    pub fn new(timing: Timing) -> Self {
        Self {
            timing,
            text: "".into(),
            start: None,
            end: None,
            jitter: Millis::ZERO,
            catch_up: 0,
            grace: GRACE_DEFAULT,
            overlap: Overlap::default(),
            active_max: ACTIVE_MAX_DEFAULT,
        }
    }

    /// The first window after an instant, and how many local times before it a clock change took away.
    pub fn next(&self, after: Wall) -> Option<(Wall, u32)> {
        let after = self.start.map_or(after, |start| after.max(start - Millis::new(1)));
        let (at, skipped) = match &self.timing {
            Timing::Table(table) => table.next(after).map(|next| (next.at, next.skipped))?,
            Timing::After(delay) => (after + *delay, 0),
        };
        (self.end.is_none_or(|end| at <= end)).then_some((at, skipped))
    }
}
