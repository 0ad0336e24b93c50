//! Signs of life of workers, on their way from the edges to the shard. They take no place in the mailbox, so neither a full
//! mailbox nor a slow journal holds them up.
//! - SG-1 what was put here before a turn of the shard is taken in before that turn judges who was silent
//! - SG-2 at most one entry for each worker: only workers that the shard has welcomed speak here

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mainspring_core::values::{Session, WorkerId};

#[derive(Debug, Default)]
pub(super) struct Signs(Mutex<BTreeMap<WorkerId, Session>>);

impl Signs {
    fn newest(&self) -> MutexGuard<'_, BTreeMap<WorkerId, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker has spoken over this session. True: nothing else waited here, so the shard must be woken.
    pub(super) fn put(&self, worker: WorkerId, session: Session) -> bool {
        let mut newest = self.newest();
        let first = newest.is_empty();
        let entry = newest.entry(worker).or_insert(session);
        *entry = session.max(*entry);
        first
    }

    pub(super) fn take(&self) -> BTreeMap<WorkerId, Session> {
        std::mem::take(&mut *self.newest())
    }
}
