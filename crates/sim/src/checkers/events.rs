//! Whether an event may follow what came before it: arrows, fences, keys, retries, time.

use std::sync::Arc;

use mainspring_core::event::{AfterFailure, Event, Submitted};
use mainspring_core::operation::EndWaits;
use mainspring_core::retry::{Jitter, delay};
use mainspring_core::run::{Run, RunEvent};
use mainspring_core::task::{Status, Task, TaskState, Transition, arrow_exists};
use mainspring_core::values::{AttemptDetails, Chance, Fence, OWN_PREFIX, RunStatus, TaskId, Wall};
use mainspring_core::wait::{Awaited, EventMask, Wait, WaitEnd};

use super::journal::JournalFold;
use super::{Broken, Check, journaled, leases, require, written};
use crate::client::EVENT_ID;
use crate::worker::details;

/// Which arrow an event takes; `None` if it changes no state.
pub(super) fn moves(event: &Event, now: Wall) -> Option<(Transition, Status)> {
    let begins =
        |due: Option<Wall>| if due.is_some_and(|due| due > now) { Status::Pending } else { Status::Queued };
    Some(match event {
        Event::TaskSubmitted(submitted) => (Transition::Submitted, begins(submitted.due)),
        Event::TaskSpawned { due, .. } => (Transition::Submitted, begins(*due)),
        Event::TaskDue { .. } => (Transition::Due, Status::Queued),
        Event::TaskAssigned { .. } => (Transition::Assigned, Status::Assigned),
        Event::TaskUnassigned { .. } => (Transition::Unassigned, Status::Queued),
        Event::TaskSucceeded { .. } => (Transition::Succeeded, Status::Succeeded),
        Event::AttemptFailed { then, .. } => (Transition::AttemptFailed, after(*then)),
        Event::TaskDeferred { .. } => (Transition::Deferred, Status::Deferred),
        Event::TaskWaits { .. } => (Transition::Waits, Status::Deferred),
        Event::WaitEnded { end, .. } => (
            Transition::WaitEnded,
            match end {
                WaitEnd::Met(_) => Status::Succeeded,
                WaitEnd::Failed(_) => Status::Failed,
                WaitEnd::Skipped => Status::Skipped,
            },
        ),
        Event::TaskCancelled { .. } => (Transition::Cancelled, Status::Cancelled),
        Event::TaskForced { status, .. } => (Transition::Forced, *status),
        Event::TaskRevived { .. } => (Transition::Revived, Status::Queued),
        Event::EpochStarted { .. }
        | Event::Run(_)
        | Event::Schedule(_)
        | Event::Backfill(_)
        | Event::Trigger(_)
        | Event::Cordon(_)
        | Event::StopRequested { .. }
        | Event::ForceRequested { .. }
        | Event::PollBegan { .. }
        | Event::TaskAmended { .. }
        | Event::TaskNoted { .. }
        | Event::CheckpointSaved { .. }
        | Event::DetailsReported { .. }
        | Event::DeadlineExtended { .. }
        | Event::KeyBound { .. }
        | Event::OperationStarted { .. }
        | Event::OperationAdvanced { .. }
        | Event::OperationEnded { .. } => return None,
    })
}

fn after(then: AfterFailure) -> Status {
    match then {
        AfterFailure::Retry { .. } => Status::RetryWait,
        AfterFailure::Requeue => Status::Queued,
        AfterFailure::Fail => Status::Failed,
        AfterFailure::Quarantine => Status::Quarantined,
        AfterFailure::Cancel => Status::Cancelled,
    }
}

/// The fence that an event claims to speak for.
fn claimed(event: &Event) -> Option<Fence> {
    match event {
        Event::TaskUnassigned { fence, .. }
        | Event::TaskSucceeded { fence, .. }
        | Event::AttemptFailed { fence, .. }
        | Event::TaskDeferred { fence, .. }
        | Event::StopRequested { fence, .. }
        | Event::ForceRequested { fence, .. }
        | Event::CheckpointSaved { fence, .. }
        | Event::DetailsReported { fence, .. }
        | Event::DeadlineExtended { fence, .. } => Some(*fence),
        _ => None,
    }
}

impl JournalFold {
    pub(super) fn check_event(&self, event: &Event) -> Check {
        if let Event::KeyBound { claim, entity } = event {
            return require(!self.keys.contains_key(&claim.scope), "I3", || {
                format!("{entity} was acted on twice under one key")
            });
        }
        if let Event::Run(flow) = event {
            return self.check_flow(flow);
        }
        let Some(id) = event.task() else { return Ok(()) };
        let task = self.task(id);
        if let Some((cause, to)) = moves(event, self.now.wall) {
            let from = task.map(Task::status);
            require(arrow_exists(from, cause, to), "I15", || {
                format!("{id} went from {from:?} to {to:?} by {cause:?}, which is no arrow")
            })?;
        }
        if let Event::TaskSubmitted(submitted) = event {
            return self.check_submitted(submitted);
        }
        if matches!(event, Event::TaskSpawned { .. }) {
            return Ok(());
        }
        let missing = || Broken {
            invariant: "I2",
            what: format!("{event:?} is about a task that was never submitted"),
        };
        let task = task.ok_or_else(missing)?;
        if let Some(fence) = claimed(event) {
            let held = task.lease().map(|lease| lease.fence);
            require(held == Some(fence), "I10", || {
                format!("{id}: {fence:?} was believed, the live grant is {held:?}: {event:?}")
            })?;
        }
        self.check_rules(task, event)
    }

    fn check_rules(&self, task: &Task, event: &Event) -> Check {
        match event {
            Event::TaskAssigned { fence, .. } => {
                require(*fence > task.fence && fence.epoch() == self.state.epoch, "I8", || {
                    format!("{}: fence {fence:?} was granted after {:?}", task.id, task.fence)
                })?;
                self.bounds.check_grant(self, task, event)
            }
            // A process may still be at work: its worker and its places stay taken until it has ended.
            Event::TaskForced { status, .. } => {
                let asked = task.lease().map(|lease| lease.stop.and_then(|stop| stop.reason.forced()));
                require(asked.is_none_or(|asked| asked == Some(*status)), "I21", || {
                    format!("{} was forced to {status:?} while its attempt held its places", task.id)
                })
            }
            Event::TaskDue { .. } => self.check_release(task),
            Event::WaitEnded { end, .. } => self.check_wait(task, end),
            Event::TaskSucceeded { id, fence, .. } => {
                let kept = task.extra.as_ref().and_then(|extra| extra.details.clone());
                let waited_for = kept.as_ref().and_then(|kept| kept.waited_for.clone());
                let reported = details((*id, *fence)).unwrap_or_default();
                let wanted = AttemptDetails { waited_for, ..*reported };
                require(*kept.clone().unwrap_or_default() == wanted, "I16", || {
                    format!("{id} succeeded with {kept:?}, its worker said something else")
                })
            }
            Event::AttemptFailed { failure, then, .. } => {
                if leases::is_expiry(failure) {
                    leases::check_epoch(self, task.id)?;
                }
                self.check_retry(task, failure, *then)
            }
            Event::TaskRevived { ended, .. } => require(journaled(ended) == journaled(task), "I16", || {
                format!("{} was revived from an older state of itself", task.id)
            }),
            _ => Ok(()),
        }
    }

    fn check_submitted(&self, submitted: &Submitted) -> Check {
        let Some(claim) = submitted.key else { return Ok(()) };
        match self.keys.get(&claim.scope) {
            Some(first) => Err(Broken {
                invariant: "I3",
                what: format!("{} was made under the key of {first}", submitted.id),
            }),
            None => Ok(()),
        }
    }

    fn check_flow(&self, event: &RunEvent) -> Check {
        match event {
            RunEvent::RunCreated(created) => {
                let first = created.key.and_then(|claim| self.keys.get(&claim.scope));
                require(first.is_none(), "I3", || {
                    format!("{} was begun under the key of {first:?}", created.id)
                })
            }
            RunEvent::RunCleared(cleared) => {
                let Some(ended) = &cleared.ended else { return Ok(()) };
                let known = self.state.job_runs().run(cleared.id);
                require(known.is_some_and(|known| written(known) == written(ended)), "I16", || {
                    format!("{} was cleared from an older state of itself", cleared.id)
                })
            }
            RunEvent::ApprovalDecided(decided) => self.check_decided(decided),
            _ => Ok(()),
        }
    }

    fn check_release(&self, task: &Task) -> Check {
        let early = match task.state {
            TaskState::Pending { due } => due > self.now.wall,
            TaskState::RetryWait { due, .. } | TaskState::Deferred { due } => due > self.now.elapsed,
            _ => false,
        };
        require(!early || self.asked_now.contains(&task.id), "I14", || {
            format!("{} was released at {:?} before its time, {:?}", task.id, self.now, task.state)
        })
    }

    /// A wait ends when what was awaited has come, or cannot come any more, or with its deadline.
    fn check_wait(&self, task: &Task, end: &WaitEnd) -> Check {
        if let (TaskState::Queued, Some(deadline)) =
            (&task.state, task.extra.as_ref().and_then(|extra| extra.deadline))
        {
            return require(deadline <= self.now.wall, "I14", || {
                format!("{} gave up at {:?}, before {deadline:?}", task.id, self.now)
            });
        }
        let TaskState::Waiting(wait) = &task.state else {
            let refused = matches!(end, WaitEnd::Failed(_));
            return require(refused, "I14", || format!("{} had not begun to wait: {end:?}", task.id));
        };
        if let Awaited::Approval(_) = wait.what {
            return self.approval_ends(task, wait, end);
        }
        let over = wait.deadline <= self.now.wall;
        let right = match (&wait.what, end) {
            (_, WaitEnd::Met(_)) if self.asked_now.contains(&task.id) => true,
            (Awaited::Until(at), WaitEnd::Met(_)) => *at <= self.now.wall,
            (Awaited::Until(_) | Awaited::Event(_), WaitEnd::Failed(_)) => over,
            (Awaited::Event(mask), WaitEnd::Met(output)) => {
                self.check_event_wait(wait, mask, output.as_deref(), over)
            }
            // Runs of other tenants do not exist for it.
            (Awaited::Run(run), WaitEnd::Met(_)) => {
                let run = self.state.job_runs().run(*run).filter(|run| run.job.tenant == task.profile.tenant);
                run.is_some_and(|run| run.status == RunStatus::Succeeded)
            }
            (Awaited::Run(run), WaitEnd::Failed(_)) => {
                let run = self.state.job_runs().run(*run).filter(|run| run.job.tenant == task.profile.tenant);
                let failed = |run: &Run| run.status.is_ended() && run.status != RunStatus::Succeeded;
                over || run.is_none_or(failed)
            }
            (_, WaitEnd::Skipped) => over,
            (Awaited::Approval(_), _) => false,
        };
        require(right, "I14", || {
            format!("{} waited for {wait:?} and ended at {:?}: {end:?}", task.id, self.now)
        })
    }

    /// Which events came is not in the journal; whether one is of a caller is told by its id, which is the output.
    fn check_event_wait(&self, wait: &Wait, mask: &EventMask, output: Option<&[u8]>, over: bool) -> bool {
        let outside = output.is_some_and(|output| output.starts_with(EVENT_ID.as_bytes()));
        let asked_for_own = mask.kind.text.starts_with(OWN_PREFIX);
        // One that came in time may be delivered late.
        let came = |work: &Arc<EndWaits>| work.at < wait.deadline;
        outside != asked_for_own
            && (!over || self.state.operations().deliveries().any(|(_, work)| came(work)))
    }

    fn check_retry(
        &self,
        task: &Task,
        failure: &mainspring_core::values::Failure,
        then: AfterFailure,
    ) -> Check {
        let AfterFailure::Retry { due, spend: true, delayed_by, .. } = then else { return Ok(()) };
        let policy = &task.profile.retry;
        require(task.retries_spent + 1 < policy.attempts_max, "I14", || {
            format!(
                "{} is retried after {} of {} attempts",
                task.id,
                task.retries_spent + 1,
                policy.attempts_max
            )
        })?;
        if policy.jitter != Jitter::None {
            return Ok(());
        }
        let wait = delay(policy, task.retries_spent + 1, &mut Chance::new(0));
        require(due >= self.now.elapsed + wait, "I14", || {
            format!("{} waits until {due:?} after {failure:?}, its backoff is {wait}", task.id)
        })?;
        // A fixed wait is fixed, unless a budget says why it is longer.
        require(delayed_by.is_some() == (due > self.now.elapsed + wait), "I14", || {
            format!("{} waits until {due:?}, its backoff is {wait}, delayed by {delayed_by:?}", task.id)
        })
    }

    /// Whether the fence is the live grant of its task.
    pub fn is_live(&self, id: TaskId, fence: Fence) -> bool {
        self.task(id).and_then(Task::lease).is_some_and(|lease| lease.fence == fence)
    }
}
