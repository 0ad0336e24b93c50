//! Who waits for what, so that an end finds those it concerns. Soft: made again from the tasks after a recovery.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Awaited, Wait};
use crate::id::RunId;
use crate::index::TaskSlot;

#[derive(Debug, Default)]
pub(crate) struct WaitIndex {
    by_run: BTreeMap<RunId, BTreeSet<TaskSlot>>,
    by_task: BTreeMap<TaskSlot, RunId>,
    /// Tasks that are to begin waiting.
    pub(crate) arriving: VecDeque<TaskSlot>,
    /// Runs that ended while somebody waited for them.
    pub(crate) ended: VecDeque<RunId>,
    /// Waits for runs that memory does not know: the tables are to be asked.
    pub(crate) unknown: VecDeque<TaskSlot>,
    /// The tables were asked and could not be read.
    pub(crate) unread: Vec<TaskSlot>,
}

impl WaitIndex {
    pub(crate) fn add(&mut self, slot: TaskSlot, wait: &Wait) {
        match &wait.what {
            Awaited::Until(_) => {}
            Awaited::Run(run) => {
                self.by_run.entry(*run).or_default().insert(slot);
                self.by_task.insert(slot, *run);
            }
        }
    }

    pub(crate) fn remove(&mut self, slot: TaskSlot) {
        let Some(run) = self.by_task.remove(&slot) else { return };
        if let Some(waiting) = self.by_run.get_mut(&run) {
            waiting.remove(&slot);
            if waiting.is_empty() {
                self.by_run.remove(&run);
            }
        }
    }

    /// Somebody will hear of it when what this task waits for comes.
    pub(crate) fn has(&self, slot: TaskSlot, wait: &Wait) -> bool {
        match &wait.what {
            Awaited::Until(_) => true,
            Awaited::Run(run) => self.by_run.get(run).is_some_and(|waiting| waiting.contains(&slot)),
        }
    }

    pub(crate) fn run_ended(&mut self, run: RunId) {
        if self.by_run.contains_key(&run) {
            self.ended.push_back(run);
        }
    }

    /// Some of those that wait for this run.
    pub(crate) fn of_run(&self, run: RunId, limit: usize) -> Vec<TaskSlot> {
        self.by_run.get(&run).into_iter().flatten().take(limit).copied().collect()
    }

    pub(crate) fn has_work(&self) -> bool {
        !self.arriving.is_empty() || !self.ended.is_empty()
    }
}
