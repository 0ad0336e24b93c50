//! Jobs that may have room for another run, each once, in the order they were called.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::job::JobKey;

/// Both hold the same jobs: with the queue alone, calling the jobs of n runs takes n² comparisons.
#[derive(Debug, Default)]
pub(crate) struct CalledJobs {
    queue: VecDeque<Arc<JobKey>>,
    queued: BTreeSet<Arc<JobKey>>,
}

impl CalledJobs {
    pub(crate) fn push(&mut self, key: Arc<JobKey>) {
        if self.queued.insert(key.clone()) {
            self.queue.push_back(key);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Arc<JobKey>> {
        let key = self.queue.pop_front()?;
        self.queued.remove(&key);
        Some(key)
    }

    pub(crate) fn contains(&self, key: &JobKey) -> bool {
        self.queued.contains(key)
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.queued.clear();
    }
}
