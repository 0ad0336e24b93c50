//! Placement: the dispatcher chooses, the journal records, the worker is told when that is durable.

use super::{Batch, Engine};
use crate::dispatch::Placement;
use crate::event::Event;
use crate::values::{AttemptDetails, Fence, TaskIndex};

/// Grants whose slot is remembered; a power of two.
const RECENT: usize = 1 << 16;

/// Where the newest grants sit, by their fence: most reports come soon after, and in a table of millions a
/// search by id goes to memory. A wrong entry does no harm: whoever uses it compares the id.
#[derive(Debug, Default)]
pub(super) struct RecentGrants(Vec<TaskIndex>);

impl RecentGrants {
    pub(super) fn note(&mut self, fence: Fence, index: TaskIndex) {
        self.0.resize(RECENT, TaskIndex::default());
        self.0[fence.counter() as usize % RECENT] = index;
    }

    pub(super) fn index(&self, fence: Fence) -> Option<TaskIndex> {
        self.0.get(fence.counter() as usize % RECENT).copied()
    }
}

impl Engine {
    /// Places waiting tasks until nothing fits or the batch holds `events_max` events.
    pub(super) fn place(&mut self, batch: &mut Batch, events_max: usize) {
        while batch.events.len() < events_max {
            let Some(placement) = self.dispatcher.place() else { return };
            self.assign(placement, batch);
        }
    }

    fn assign(&mut self, placement: Placement, batch: &mut Batch) {
        let Placement { task: index, worker: holder, waited_for } = placement;
        let worker = self.workers.get(holder).expect("MA-1: a placed worker is known");
        let (worker, incarnation) = (worker.id, worker.incarnation);
        let (id, fence) = (self.state.tasks.live(index).id, self.state.next_fence());
        // It has the place from here on; `follow` finds it by the task.
        self.workers.hold(index, holder);
        self.state.tasks.expect(index);
        self.commit_one(Event::TaskAssigned { id, fence, worker, incarnation }, batch);
        if waited_for.is_some() {
            let details = Box::new(AttemptDetails { waited_for, ..AttemptDetails::default() });
            self.commit_one(Event::DetailsReported { id, fence, details }, batch);
        }
    }
}
