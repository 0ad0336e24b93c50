//! Placement: the dispatcher chooses, the journal records, the worker is told when that is durable.

use super::{Batch, Engine};
use crate::decision::{Effect, Start};
use crate::event::Event;
use crate::state::apply;
use crate::task::{Status, Task, next_deadline};
use crate::values::{Fence, TaskIndex, WorkerIndex};

/// Grants whose slot is remembered; a power of two.
const RECENT: usize = 1 << 16;

/// Where the newest grants sit, by their fence: most reports come soon after, and in a table of millions a
/// search by id goes to memory. A wrong entry does no harm: whoever uses it compares the id.
#[derive(Debug, Default)]
pub(super) struct RecentGrants(Vec<TaskIndex>);

impl RecentGrants {
    fn note(&mut self, fence: Fence, index: TaskIndex) {
        self.0.resize(RECENT, TaskIndex::default());
        self.0[fence.counter() as usize % RECENT] = index;
    }

    pub(super) fn index(&self, fence: Fence) -> Option<TaskIndex> {
        self.0.get(fence.counter() as usize % RECENT).copied()
    }
}

impl Engine {
    /// Places waiting tasks until nothing fits or the batch holds `events_max` events.
    pub fn place(&mut self, batch: &mut Batch, events_max: usize) {
        while batch.events.len() < events_max {
            let Some(placement) = self.dispatcher.place() else { return };
            self.assign(placement.task, placement.worker, batch);
        }
    }

    fn assign(&mut self, index: TaskIndex, worker_slot: WorkerIndex, batch: &mut Batch) {
        let worker = self.fleet.get(worker_slot).expect("MA-1: a placed worker is in the fleet");
        let (worker_id, incarnation) = (worker.id, worker.incarnation);
        let session = worker.newest_session;
        let fence = self.state.next_fence();
        let task = self.state.tasks.get_mut(index).expect("MA-1: a placed task is in memory");
        let id = task.id;
        self.waits.placed(
            task.priority.band,
            task.changed,
            std::mem::take(&mut task.due).0,
            self.state.now.wall,
        );
        let event = Event::TaskAssigned { id, fence, worker: worker_id, incarnation };
        self.recent.note(fence, index);
        self.state.tasks.expect(index);
        apply(&mut self.state, &event);
        self.tally.moved(Some(Status::Queued), Status::Assigned);
        self.fleet.hold(index, worker_slot);
        let task = self.state.tasks.get_mut(index).expect("MA-1: a placed task is in memory");
        if let Some(lease) = task.state.lease_mut() {
            lease.session = session;
        }
        self.timers.set(index, next_deadline(task));
        let mut start = start(task, worker_id, session);
        let permits = task.extra.as_ref().and_then(|extra| extra.permits.as_ref());
        start.exclusive = permits.is_some_and(|permits| self.dispatcher.is_exclusive(permits));
        batch.effects.push(Effect::Start(start));
        if self.config.watch {
            batch.effects.push(Effect::Changed { task: id, to: task.status() });
        }
        self.tell_task(index, batch);
        batch.events.push(event);
    }
}

fn start(task: &Task, worker: crate::values::WorkerId, session: crate::values::Session) -> Start {
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
