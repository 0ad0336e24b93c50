//! What waits for a record to be durable.

use mainspring_core::command::{Answer, Rejection};
use mainspring_core::effect::Effect;

pub type Replies = Vec<Result<Answer, Rejection>>;

#[derive(Debug)]
pub(super) struct Held<R> {
    answers: Vec<(R, Replies)>,
    effects: Vec<Effect>,
}

impl<R> Default for Held<R> {
    fn default() -> Self {
        Self { answers: Vec::new(), effects: Vec::new() }
    }
}

impl<R> Held<R> {
    /// Room for as much as `last` held: the next record is about as large, and growing step by step copies.
    pub(super) fn sized_like(last: &Self) -> Self {
        Self {
            answers: Vec::with_capacity(last.answers.len()),
            effects: Vec::with_capacity(last.effects.len()),
        }
    }

    pub(super) fn answer(&mut self, reply: R, results: Replies) {
        self.answers.push((reply, results));
    }

    pub(super) fn effects(&mut self, effects: &mut Vec<Effect>) {
        self.effects.append(effects);
    }

    pub(super) fn answers(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.effects.is_empty()
    }

    pub(super) fn append(&mut self, mut later: Self) {
        self.answers.append(&mut later.answers);
        self.effects.append(&mut later.effects);
    }

    pub(super) fn take(self) -> (Vec<(R, Replies)>, Vec<Effect>) {
        (self.answers, self.effects)
    }
}
