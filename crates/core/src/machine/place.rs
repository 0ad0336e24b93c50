//! Placement: the dispatcher chooses, the journal records, the worker is told when that is durable.

use super::{Batch, Machine};
use crate::effect::{Effect, Start};
use crate::event::{Event, apply};
use crate::fleet::WorkerSlot;
use crate::id::Fence;
use crate::index::TaskSlot;
use crate::task::{Status, Task, next_deadline};

/// Grants whose slot is remembered; a power of two.
const RECENT: usize = 1 << 16;

/// Where the newest grants sit, by their fence: most reports come soon after, and in a table of millions a
/// search by id goes to memory. A wrong entry does no harm: whoever uses it compares the id.
#[derive(Debug, Default)]
pub(super) struct RecentGrants(Vec<TaskSlot>);

impl RecentGrants {
    fn note(&mut self, fence: Fence, slot: TaskSlot) {
        self.0.resize(RECENT, TaskSlot::default());
        self.0[fence.counter() as usize % RECENT] = slot;
    }

    pub(super) fn slot(&self, fence: Fence) -> Option<TaskSlot> {
        self.0.get(fence.counter() as usize % RECENT).copied()
    }
}

impl Machine {
    /// Places waiting tasks until nothing fits or the batch holds `events_max` events.
    pub fn place(&mut self, batch: &mut Batch, events_max: usize) {
        while batch.events.len() < events_max {
            let Some(placement) = self.dispatcher.place() else { return };
            self.assign(placement.task, placement.worker, batch);
        }
    }

    fn assign(&mut self, slot: TaskSlot, worker_slot: WorkerSlot, batch: &mut Batch) {
        let worker = self.fleet.get(worker_slot).expect("MA-1: a placed worker is in the fleet");
        let (worker_id, incarnation) = (worker.id, worker.incarnation);
        let session = worker.newest_session;
        let fence = self.state.next_fence();
        let task = self.state.tasks.get_mut(slot).expect("MA-1: a placed task is in memory");
        let id = task.id;
        self.waits.placed(
            task.priority.band,
            task.changed,
            std::mem::take(&mut task.due).0,
            self.state.now.wall,
        );
        let event = Event::TaskAssigned { id, fence, worker: worker_id, incarnation };
        self.recent.note(fence, slot);
        self.state.tasks.expect(slot);
        apply(&mut self.state, &event);
        self.tally.moved(Some(Status::Queued), Status::Assigned);
        self.fleet.hold(slot, worker_slot);
        let task = self.state.tasks.get_mut(slot).expect("MA-1: a placed task is in memory");
        if let Some(lease) = task.state.lease_mut() {
            lease.session = session;
        }
        self.timers.set(slot, next_deadline(task));
        let mut start = start(task, worker_id, session);
        let seats = task.extra.as_ref().and_then(|extra| extra.seats.as_ref());
        start.exclusive = seats.is_some_and(|seats| self.dispatcher.is_exclusive(seats));
        batch.effects.push(Effect::Start(start));
        if self.config.watch {
            batch.effects.push(Effect::Changed { task: id, to: task.status() });
        }
        self.tell_task(slot, batch);
        batch.events.push(event);
    }
}

fn start(task: &Task, worker: crate::id::WorkerId, session: crate::id::Session) -> Start {
    let extra = task.extra.as_deref();
    Start {
        worker,
        session,
        task: task.id,
        fence: task.fence,
        attempt: task.attempts,
        profile: task.profile.clone(),
        payload: task.payload.clone(),
        checkpoint: extra.and_then(|extra| extra.checkpoint.clone()),
        memory_bytes: extra.and_then(|extra| extra.memory_bytes),
        exclusive: false,
    }
}
