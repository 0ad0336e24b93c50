//! Worker sessions: one gRPC stream each, bridged to the shard.
//! Entry: [`SessionRouter`], for orders of the shard; [`service::WorkerSessions`], the stream's other end.
//! - SE-1 the shard's thread never waits here: an order is put into its session's queue or the session is ended
//! - SE-2 a worker has one live session; a newer one of the same process ends the older
//! - SE-4 of two processes with one identity the second is refused while the first is alive
//! - SE-5 what a worker says is a sign of life when it is read here, and a heartbeat is answered here: neither waits for
//!   the shard or its journal
//! - SE-6 orders of an owner that has been replaced are dropped: an order carries its sender's epoch, and once a shard was
//!   heard in an epoch nothing of an older one passes. A start that was on its way would run beside the new owner's
//! - SE-3 what was ordered over a session that ended is settled by the next hello, so it may be dropped
//!
//! Not here: what a report means (`mainspring-core`), running anything (`mainspring-agent`).

mod decode;
mod encode;
mod queue;
mod service;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mainspring_core::decision::Effect;
use mainspring_core::values::{Epoch, Incarnation, Session, WorkerId};
use mainspring_core::worker::decide::Hello;

pub use self::queue::Ending;
use self::queue::SessionQueue;
pub(crate) use self::service::WorkerSessions;

/// Finds the live session of a worker, for orders of the shard.
pub(crate) struct SessionRouter {
    state: Mutex<RouterState>,
    queue_max: usize,
}

#[derive(Default)]
struct RouterState {
    live: HashMap<WorkerId, LiveSession>,
    /// The newest epoch in which each shard was heard.
    epochs: BTreeMap<usize, Epoch>,
    closed: bool,
}

struct LiveSession {
    session: Session,
    incarnation: Incarnation,
    queue: Arc<SessionQueue>,
    about: About,
}

/// What a worker said of itself that the core does not need.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub name: String,
    pub version: String,
}

impl SessionRouter {
    pub fn new(queue_max: usize) -> Self {
        Self { state: Mutex::default(), queue_max }
    }

    pub fn live(&self) -> usize {
        self.state().live.len()
    }

    pub fn about(&self, worker: WorkerId) -> Option<About> {
        self.state().live.get(&worker).map(|live| live.about.clone())
    }

    /// Ends every session and refuses new ones; workers go on and come back later.
    pub fn close_all(&self) {
        let mut state = self.state();
        state.closed = true;
        for live in state.live.values() {
            live.queue.end(Ending::ServerStops);
        }
    }

    fn state(&self) -> MutexGuard<'_, RouterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands orders of a shard to their sessions. Runs of orders for one worker are handed over at once.
    pub fn route(&self, shard: usize, epoch: Epoch, orders: impl Iterator<Item = Effect>) {
        if !self.is_newest(shard, epoch) {
            let late = orders.count();
            tracing::warn!(shard, %epoch, late, "orders of an owner that was replaced are dropped");
            return;
        }
        let mut run: Vec<Effect> = Vec::new();
        let mut of: Option<(WorkerId, Session)> = None;
        for order in orders {
            let Some(to) = address(&order) else {
                if let Effect::SessionLost { worker, session } = order {
                    self.end(worker, session);
                }
                continue;
            };
            if of != Some(to) {
                self.hand_over(of, epoch, &mut run);
                of = Some(to);
            }
            run.push(order);
        }
        self.hand_over(of, epoch, &mut run);
    }

    /// The shard has given the session up: its worker was not heard of for a whole lease.
    fn end(&self, worker: WorkerId, session: Session) {
        if let Some(live) = self.state().live.get(&worker).filter(|live| live.session == session) {
            live.queue.end(Ending::Lost);
        }
    }

    fn is_newest(&self, shard: usize, epoch: Epoch) -> bool {
        let mut state = self.state();
        let newest = state.epochs.entry(shard).or_default();
        *newest = epoch.max(*newest);
        epoch == *newest
    }

    fn hand_over(&self, to: Option<(WorkerId, Session)>, epoch: Epoch, run: &mut Vec<Effect>) {
        let Some((worker, session)) = to else { return };
        let queue = {
            let state = self.state();
            let live = state.live.get(&worker).filter(|live| live.session == session);
            live.map(|live| Arc::clone(&live.queue))
        };
        match queue {
            Some(queue) => queue.push_all(run, epoch, self.queue_max),
            None => run.clear(),
        }
    }

    /// Makes the queue the worker's live session, and ends an older one. Refuses a session that is not the newest of
    /// its process, and any session of another process while the old one was heard within `silence`.
    fn enter(
        &self,
        hello: &Hello,
        queue: &Arc<SessionQueue>,
        about: About,
        silence: Duration,
    ) -> Result<(), Ending> {
        let Hello { worker, session, incarnation, .. } = *hello;
        let mut state = self.state();
        if state.closed {
            queue.end(Ending::ServerStops);
            return Ok(());
        }
        if let Some(old) = state.live.get(&worker) {
            if old.incarnation != incarnation && old.queue.is_alive(silence) {
                return Err(Ending::IdentityInUse { worker, name: old.about.name.clone() });
            }
            if old.incarnation == incarnation && old.session >= session {
                return Err(Ending::NotNewer { session, newest: old.session });
            }
            old.queue.end(Ending::Replaced);
        }
        queue.hear();
        let queue = Arc::clone(queue);
        state.live.insert(worker, LiveSession { session, incarnation, queue, about });
        Ok(())
    }

    /// Of this very session: another process with the same identity may have one of the same number.
    fn leave(&self, worker: WorkerId, queue: &Arc<SessionQueue>) {
        let mut state = self.state();
        if state.live.get(&worker).is_some_and(|live| Arc::ptr_eq(&live.queue, queue)) {
            state.live.remove(&worker);
        }
    }
}

fn address(effect: &Effect) -> Option<(WorkerId, Session)> {
    match effect {
        Effect::Start(start) => Some((start.worker, start.session)),
        Effect::Stop { worker, session, .. }
        | Effect::Acknowledge { worker, session, .. }
        | Effect::Drain { worker, session, .. } => Some((*worker, *session)),
        Effect::SessionLost { .. }
        | Effect::Alert { .. }
        | Effect::RunAlert { .. }
        | Effect::ScheduleAlert { .. }
        | Effect::RunEnded { .. }
        | Effect::JobDeleted { .. }
        | Effect::Changed { .. }
        | Effect::News(_) => None,
    }
}
