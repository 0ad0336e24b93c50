//! The one place where events of the engine are applied. A decision leaves its events at the end of the batch; here they
//! change the state, and everything kept beside the state follows. Events are added here only for what was in memory and is
//! stored before an event that ends its attempt: a checkpoint, a progress.

use super::{Batch, Engine};
use crate::event::Event;
use crate::state::apply;

impl Engine {
    /// Applies the events of the batch from `from` on, in order.
    pub(super) fn commit(&mut self, batch: &mut Batch, from: usize) {
        self.is_applying = true;
        let mut at = from;
        while let Some(event) = batch.events.get(at) {
            if let Some(unstored) = self.unstored(event) {
                batch.events.insert(at, unstored);
            }
            let event = &batch.events[at];
            match apply(&mut self.state, event, &mut self.work) {
                Some(change) => self.follow(&change, event, &mut batch.effects),
                None => self.follow_other(event, &mut batch.effects),
            }
            self.list_end(event);
            at += 1;
        }
        self.arm_moved();
        self.is_applying = false;
    }

    /// Records one event that was decided.
    pub(super) fn commit_one(&mut self, event: Event, batch: &mut Batch) {
        let from = batch.events.len();
        batch.events.push(event);
        self.commit(batch, from);
    }

    /// Records events that were decided together.
    pub(super) fn commit_all(&mut self, events: impl IntoIterator<Item = Event>, batch: &mut Batch) {
        let from = batch.events.len();
        batch.events.extend(events);
        self.commit(batch, from);
    }
}
