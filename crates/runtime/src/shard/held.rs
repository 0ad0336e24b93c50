//! What waits for a record to be durable.

use mainspring_core::decision::{Effect, Rejection};
use mainspring_core::engine::Answer;

pub type Replies = Vec<Result<Answer, Rejection>>;

#[derive(Debug)]
pub(super) struct Held<R> {
    answers: Vec<(R, Replies)>,
    /// In order, in pieces of [`EFFECTS_MAX`].
    effects: Vec<Vec<Effect>>,
}

/// One piece is handed out and freed elsewhere. Pieces of this size come from pages that the allocator keeps; a list
/// of megabytes would get fresh pages for each record, and clearing those costs more than filling them.
const EFFECTS_MAX: usize = 512;

impl<R> Default for Held<R> {
    fn default() -> Self {
        Self { answers: Vec::new(), effects: Vec::new() }
    }
}

impl<R> Held<R> {
    /// Room for as much as `last` held: the next record is about as large, and growing step by step copies.
    pub(super) fn sized_like(last: &Self) -> Self {
        Self { answers: Vec::with_capacity(last.answers.len()), effects: Vec::new() }
    }

    pub(super) fn answer(&mut self, reply: R, results: Replies) {
        self.answers.push((reply, results));
    }

    pub(super) fn effects(&mut self, effects: &mut Vec<Effect>) {
        let mut rest = effects.drain(..);
        while rest.len() > 0 {
            match self.effects.last_mut().filter(|piece| piece.len() < EFFECTS_MAX) {
                Some(piece) => piece.extend(rest.by_ref().take(EFFECTS_MAX - piece.len())),
                None => self.effects.push(Vec::with_capacity(rest.len().min(EFFECTS_MAX))),
            }
        }
    }

    pub(super) fn take_answers(&mut self) -> Vec<(R, Replies)> {
        std::mem::take(&mut self.answers)
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

    pub(super) fn take(self) -> (Vec<(R, Replies)>, Vec<Vec<Effect>>) {
        (self.answers, self.effects)
    }
}
