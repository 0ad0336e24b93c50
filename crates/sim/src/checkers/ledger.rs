//! The effects ledger: every execution that a worker began, written down outside the store.
//! I13: an execution is granted once, and a second one of the same task has an explanation in the journal. A
//! grant that was withdrawn because its worker said it never came must never have been executed.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::event::Event;
use mainspring_core::task::Delivery;
use mainspring_core::values::{Epoch, Fence, TaskId, WorkerId};

use super::journal::{End, JournalFold};
use super::{Check, require};

/// How an execution ended in its worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// Its outcome is known and is told until someone acknowledges it.
    Known,
    /// It went down with its worker, or its worker could not see how it ended.
    Lost,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Execution {
    fence: Fence,
    over: Option<Over>,
    /// Revivals of the task that the journal had when it began.
    revivals: u32,
}

#[derive(Debug, Default)]
pub struct Ledger {
    executions: BTreeMap<TaskId, Vec<Execution>>,
    /// Withdrawn in memory on a worker's word: (owner, task, fence).
    disclaimed: BTreeSet<(Epoch, TaskId, Fence)>,
    /// The same, durable.
    never_began: BTreeSet<(TaskId, Fence)>,
    begun: u64,
}

impl Ledger {
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// A worker begins to execute.
    pub fn begin(&mut self, task: TaskId, fence: Fence, worker: WorkerId, journal: &JournalFold) -> Check {
        let facts = journal.facts(task);
        let grant = facts.and_then(|facts| facts.grants.get(&fence));
        require(grant.is_some_and(|grant| grant.worker == worker), "I13", || {
            format!("{worker} executes {task} under {fence:?}, which the journal never granted to it")
        })?;
        require(!self.never_began.contains(&(task, fence)), "I13", || {
            format!("{task} is executed under {fence:?}, which was withdrawn as never begun")
        })?;
        let revivals = facts.map_or(0, |facts| facts.revivals);
        let earlier = self.executions.entry(task).or_default();
        require(earlier.iter().all(|other| other.fence != fence), "I13", || {
            format!("{task} is executed a second time under {fence:?}")
        })?;
        let once = journal.task(task).is_some_and(|task| task.profile.delivery == Delivery::AtMostOnce);
        for other in earlier.iter() {
            let end = facts.and_then(|facts| facts.grants.get(&other.fence)).and_then(|grant| grant.end);
            require(other.fence > fence || end.is_some(), "I9", || {
                format!("{task} is executed under {fence:?} while {:?} is a live grant", other.fence)
            })?;
            let known = other.over == Some(Over::Known) && matches!(end, Some(End::Failed | End::Deferred));
            require(!once || known || other.revivals != revivals || other.fence > fence, "I13", || {
                format!(
                    "{task} may run once; {:?} had {:?}, {end:?}, and now {fence:?} begins",
                    other.fence, other.over
                )
            })?;
        }
        earlier.push(Execution { fence, over: None, revivals });
        self.begun += 1;
        Ok(())
    }

    pub fn end(&mut self, task: TaskId, fence: Fence, over: Over) {
        let executions = self.executions.get_mut(&task).into_iter().flatten();
        for execution in executions.filter(|execution| execution.fence == fence) {
            execution.over.get_or_insert(over);
        }
    }

    /// An owner withdrew a grant because the same worker process said that it never came.
    pub fn disclaimed(&mut self, epoch: Epoch, task: TaskId, fence: Fence) {
        self.disclaimed.insert((epoch, task, fence));
    }

    pub fn renewed(&mut self, old: Epoch, new: Epoch) {
        let same = self.disclaimed.iter().filter(|(epoch, ..)| *epoch == old);
        let same: Vec<_> = same.map(|(_, task, fence)| (new, *task, *fence)).collect();
        self.disclaimed.extend(same);
    }

    pub(super) fn committed(&mut self, epoch: Epoch, event: &Event) -> Check {
        let Event::TaskUnassigned { id, fence, .. } = event else { return Ok(()) };
        if !self.disclaimed.contains(&(epoch, *id, *fence)) {
            return Ok(());
        }
        self.never_began.insert((*id, *fence));
        let executed = self.executions.get(id).into_iter().flatten().any(|other| other.fence == *fence);
        require(!executed, "I13", || {
            format!("{id} was withdrawn as never begun; it was executed under {fence:?}")
        })
    }

    /// At the end: executions ≤ 1 + explanations, and none of a task that was cancelled before any grant.
    pub fn check_explained(&self, journal: &JournalFold) -> Check {
        for (task, executions) in &self.executions {
            let Some(facts) = journal.facts(*task) else { continue };
            let explanations = facts
                .grants
                .values()
                .filter(|grant| grant.end.is_some_and(|end| end != End::Succeeded))
                .count();
            require(executions.len() <= 1 + explanations, "I13", || {
                format!("{task} was executed {} times with {explanations} explanations", executions.len())
            })?;
            let granted = facts.grants.len();
            require(executions.len() <= granted, "I13", || {
                format!("{task} was executed {} times, granted {granted} times", executions.len())
            })?;
        }
        Ok(())
    }
}
