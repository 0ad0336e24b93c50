//! One step without a command: what time has made due, what must be looked at, and what can be placed.

use super::{Batch, Engine};

/// Events of runs in one step, so that commands have their turn; a step of so many takes some milliseconds.
const ADVANCE_EVENTS_MAX: usize = 2_000;

impl Engine {
    /// Everything that can be done now, in a bounded step, until the batch holds about `events_max` events. Call again while
    /// [`Engine::has_work`] or a wake is due.
    pub fn step(&mut self, batch: &mut Batch, events_max: usize) {
        self.run_due(batch);
        self.advance(batch, events_max.min(batch.events.len() + ADVANCE_EVENTS_MAX));
        self.place(batch, events_max);
    }
}
