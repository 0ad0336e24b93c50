//! Bulk work: everything that matched when it began, and can take the verb, was handled when it ended, and nothing twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::event::Event;
use mainspring_core::operation::{Bulk, BulkVerb, OperationKind, Selection};
use mainspring_core::run::{Run, RunEvent, RunStop};
use mainspring_core::task::{Status, Task};
use mainspring_core::values::{Actor, Name, OperationId, RunId, RunStatus, Seq, TaskId};

use super::journal::JournalFold;
use super::{Check, require};
use crate::client::BULK;

/// Of one operation.
#[derive(Debug)]
struct Found {
    bulk: Arc<Bulk>,
    /// With the version it had.
    tasks: BTreeMap<TaskId, u32>,
    /// With the record that had touched it last.
    runs: BTreeMap<RunId, Seq>,
}

#[derive(Debug, Default)]
pub(super) struct BulkFold {
    found: BTreeMap<OperationId, Found>,
    /// Operations begun in these words: a call that is sent again may begin another.
    begun: BTreeMap<Name, u32>,
    /// How often a thing was queued again in these words.
    revived: BTreeMap<(Name, u128), u32>,
}

fn is_meant(bulk: &Bulk, task: &Task) -> bool {
    let Selection::Tasks(selector) = &bulk.of else { return false };
    let dead = matches!(task.status(), Status::Failed | Status::Quarantined);
    let fits = match bulk.verb {
        BulkVerb::CancelTasks { .. } | BulkVerb::SetPriority(_) => {
            !task.status().is_ended() && task.lease().is_none()
        }
        BulkVerb::RunTasksNow => matches!(task.status(), Status::Pending | Status::RetryWait),
        // The run of a task may stand in the way: its parent goes on, or it was repaired.
        BulkVerb::RetryTasks => dead && task.in_run.is_none(),
        BulkVerb::DiscardTasks => dead && task.in_run.is_none(),
        _ => false,
    };
    fits && selector.matches(task)
}

fn is_run_meant(bulk: &Bulk, run: &Run) -> bool {
    let Selection::Runs(selector) = &bulk.of else { return false };
    let fits = match bulk.verb {
        BulkVerb::CancelRuns => !run.status.is_ended(),
        // The parent of another may stand in the way.
        BulkVerb::RetryRuns => run.status == RunStatus::Failed && run.origin.parent.is_none(),
        BulkVerb::ResumeRuns => !run.status.is_ended() && run.pause.is_some(),
        _ => false,
    };
    fits && selector.matches(run)
}

impl JournalFold {
    pub(super) fn check_bulk(&mut self, event: &Event) -> Check {
        match event {
            Event::OperationStarted { id, work: OperationKind::Bulk(bulk) } => self.note_start(*id, bulk),
            Event::OperationEnded { id, cancelled } => {
                if let Some(found) = self.bulk.found.remove(id).filter(|_| cancelled.is_none()) {
                    self.check_end(*id, &found)?;
                }
            }
            Event::TaskRevived { ended, over } => return self.check_once(over, ended.id.bits()),
            Event::Run(RunEvent::RunCleared(cleared)) if cleared.ended.is_some() => {
                return self.check_run_once(&cleared.over, cleared.id);
            }
            _ => {}
        }
        Ok(())
    }

    fn note_start(&mut self, id: OperationId, bulk: &Arc<Bulk>) {
        let tasks = self.state().tasks().iter().map(|(_, task)| task).filter(|task| is_meant(bulk, task));
        let tasks: BTreeMap<TaskId, u32> = tasks.map(|task| (task.id, task.version)).collect();
        let runs = self.state().job_runs().runs().iter().map(|(_, run)| run);
        let runs = runs.filter(|run| is_run_meant(bulk, run)).map(|run| (run.id, run.touched)).collect();
        if bulk.verb == BulkVerb::RunTasksNow {
            self.asked_now.extend(tasks.keys());
        }
        self.bulk.found.insert(id, Found { bulk: bulk.clone(), tasks, runs });
        if let Some(over) = bulk.over.as_ref().filter(|over| *over.actor == *BULK) {
            *self.bulk.begun.entry(over.reason.clone()).or_default() += 1;
        }
    }

    fn check_end(&self, id: OperationId, found: &Found) -> Check {
        let verb = found.bulk.verb;
        let refused = self.state().operations().asked_for(id).is_some_and(|operation| operation.refused > 0);
        for (run, touched) in &found.runs {
            let now = self.state().job_runs().run(*run);
            // One that was being cancelled already is left as it is.
            let cancelled = |now: &Run| now.status.is_ended() || now.stop == Some(RunStop::Cancel);
            let left = |now: &Run| now.touched == *touched && !cancelled(now);
            let passed = match verb {
                // Nothing of it can be cleared, or there is no room.
                BulkVerb::RetryRuns => refused || now.is_none_or(|now| now.touched != *touched),
                _ => !now.is_some_and(left),
            };
            require(passed, "I1", || format!("{} ended and passed over {run}", verb.label()))?;
        }
        for (task, version) in &found.tasks {
            let handled = self.task(*task).is_some_and(|now| match verb {
                BulkVerb::SetPriority(priority) => now.priority == priority || now.version != *version,
                _ => now.version != *version,
            });
            // Somebody may have set another priority since.
            let amended = matches!(verb, BulkVerb::SetPriority(_))
                && self.facts.get(task).is_some_and(|facts| facts.amended);
            require(handled || amended, "I1", || format!("{} ended and passed over {task}", verb.label()))?;
        }
        Ok(())
    }

    fn check_once(&mut self, over: &Actor, id: u128) -> Check {
        if *over.actor != *BULK {
            return Ok(());
        }
        let most = self.bulk.begun.get(&over.reason).copied().unwrap_or_default();
        let count = self.bulk.revived.entry((over.reason.clone(), id)).or_default();
        *count += 1;
        let count = *count;
        require(count <= most, "I1", || {
            format!(
                "bulk work {} queued {} again {count} times, and was begun {most} times",
                over.reason,
                TaskId::from_bits(id)
            )
        })
    }

    /// Several tasks of one run may be cleared one after the other, but an ended run is opened again once.
    fn check_run_once(&mut self, over: &Actor, id: RunId) -> Check {
        let by_run =
            self.bulk.found.values().any(|found| {
                found.bulk.verb == BulkVerb::RetryRuns && found.bulk.over.as_ref() == Some(over)
            });
        if by_run { self.check_once(over, id.bits()) } else { Ok(()) }
    }
}
