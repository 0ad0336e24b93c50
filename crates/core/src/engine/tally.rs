//! What happened to tasks since the engine was made, as plain counts; the caller turns them into metrics.

use crate::collections::Histogram;
use crate::event::Event;
use crate::schedule::{Reason, Unfired};
use crate::state::Change;
use crate::task::{Status, Task};
use crate::values::{Band, FailureClass, FiredAs, Millis};

const STATUSES: usize = Status::ALL.len();

/// How an attempt ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptEnd {
    Succeeded,
    Failed(FailureClass),
    /// It gave its place back and will be started again.
    Deferred,
    /// An operator said how the task ended.
    Forced,
}

impl AttemptEnd {
    const COUNT: usize = 3 + FailureClass::ALL.len();

    fn index(self) -> usize {
        match self {
            Self::Succeeded => 0,
            Self::Deferred => 1,
            Self::Forced => 2,
            Self::Failed(class) => 3 + class.index(),
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed(class) => class.label(),
            Self::Deferred => "deferred",
            Self::Forced => "forced",
        }
    }

    /// `None`: the event ends no attempt, or one that never began.
    fn of(event: &Event) -> Option<Self> {
        match event {
            Event::TaskSucceeded { .. } => Some(Self::Succeeded),
            Event::AttemptFailed { failure, .. } => Some(Self::Failed(failure.class)),
            Event::TaskDeferred { .. } => Some(Self::Deferred),
            Event::TaskForced { .. } => Some(Self::Forced),
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// By the state before (the last row: there was none) and after.
    transitions: [[u64; STATUSES]; STATUSES + 1],
    attempts: [u64; AttemptEnd::COUNT],
    /// From the grant of an attempt to its end, in milliseconds.
    pub attempt_ms: Histogram,
    /// By band: how long after its time a window was decided, in milliseconds.
    pub window_late_ms: [Histogram; Band::ALL.len()],
    fired: [u64; FiredAs::ALL.len()],
    skipped: [u64; Reason::ALL.len()],
    missed: [u64; Reason::ALL.len()],
    /// Tasks that left memory because they are due far ahead, and tasks that came back.
    pub parked: u64,
    pub paged_in: u64,
}

impl Tally {
    pub(super) fn moved(&mut self, from: Option<Status>, to: Status) {
        self.transitions[from.map_or(STATUSES, Status::index)][to.index()] += 1;
    }

    /// `task`: as it is after the event.
    pub(super) fn followed(&mut self, change: &Change, event: &Event, task: &Task) {
        if change.from == Some(change.to) {
            return;
        }
        self.moved(change.from, change.to);
        if let Event::TaskSubmitted(submitted) = event
            && let Some(fired) = &submitted.window
        {
            self.window_fired(fired.window.fired_as);
        }
        if change.from.is_some_and(Status::is_leased)
            && let Some(end) = AttemptEnd::of(event)
        {
            self.attempts[end.index()] += 1;
            self.attempt_ms.observe(task.changed.since(task.started).get());
        }
    }

    pub(super) fn window_late(&mut self, band: Band, late: Millis) {
        self.window_late_ms[band.index()].observe(late.get());
    }

    pub(super) fn window_fired(&mut self, fired_as: FiredAs) {
        self.fired[fired_as as usize] += 1;
    }

    pub(super) fn windows_passed(&mut self, outcome: Unfired, count: u64) {
        match outcome {
            Unfired::Skipped(reason) => self.skipped[reason as usize] += count,
            Unfired::Missed(reason) => self.missed[reason as usize] += count,
        }
    }

    /// Windows by what became of them: (outcome, reason, how many).
    pub fn windows(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
        let fired = FiredAs::ALL.into_iter().zip(self.fired).map(|(how, count)| (how.label(), "", count));
        let of = |outcome, counts: [u64; Reason::ALL.len()]| {
            Reason::ALL.into_iter().zip(counts).map(move |(reason, count)| (outcome, reason.label(), count))
        };
        fired
            .chain(of("skipped", self.skipped))
            .chain(of("missed", self.missed))
            .filter(|(_, _, count)| *count > 0)
    }

    /// Every change of state that has happened: (before, after, how often).
    pub fn transitions(&self) -> impl Iterator<Item = (Option<Status>, Status, u64)> {
        let before = Status::ALL.into_iter().map(Some).chain([None]);
        before.zip(&self.transitions).flat_map(|(from, row)| {
            Status::ALL
                .into_iter()
                .zip(row)
                .filter(|(_, count)| **count > 0)
                .map(move |(to, count)| (from, to, *count))
        })
    }

    pub fn attempts(&self) -> impl Iterator<Item = (AttemptEnd, u64)> {
        let ends = [AttemptEnd::Succeeded, AttemptEnd::Deferred, AttemptEnd::Forced].into_iter();
        ends.chain(FailureClass::ALL.map(AttemptEnd::Failed)).map(|end| (end, self.attempts[end.index()]))
    }
}
