//! Where a decision puts what it decided.
//! - DE-2 a decision only adds: what others put into the record before is out of its reach, and a refusal or a panic takes
//!   back exactly what this one added

use super::effect::Effect;
use super::retry_state::RetryState;
use crate::event::Event;
use crate::run::Pace;
use crate::task::PendingCheckpoint;
use crate::values::{Elapsed, RunId, TaskId};

pub struct Out<'a> {
    events: &'a mut Vec<Event>,
    effects: &'a mut Vec<Effect>,
    marks: &'a mut Vec<Mark>,
    /// Budgets and chance, for who decides what follows a failed attempt.
    pub(crate) retry: &'a mut RetryState,
    /// How fast all runs together release tasks.
    pub(crate) pace: &'a mut Pace,
}

/// Something to note in memory that no event stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The run is looked at again when a job succeeds that this node needs.
    AwaitsJobs { run: RunId, node: u32 },
    /// A checkpoint that is stored later.
    CheckpointHeld { task: TaskId, checkpoint: PendingCheckpoint },
}

/// What follows a look at something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Nothing, until something happens to it.
    Done,
    /// There may be more to decide at once.
    Again,
    /// Another look at this instant, if nothing happens before.
    At(Elapsed),
}

impl<'a> Out<'a> {
    pub(crate) fn new(
        (events, effects, marks): (&'a mut Vec<Event>, &'a mut Vec<Effect>, &'a mut Vec<Mark>),
        retry: &'a mut RetryState,
        pace: &'a mut Pace,
    ) -> Self {
        Self { events, effects, marks, retry, pace }
    }

    pub fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    pub fn extend(&mut self, events: impl IntoIterator<Item = Event>) {
        self.events.extend(events);
    }

    pub fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub fn mark(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// Something was added since there were so many, other than that a key is bound.
    pub(crate) fn has_changes_since(&self, len: usize) -> bool {
        self.events[len..].iter().any(|event| !matches!(event, Event::KeyBound { .. }))
    }

    /// Compare two of them to see whether something was added in between.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}
