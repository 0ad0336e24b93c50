//! The next instant at which something must happen to a task even if nobody says anything.
//! One timer a task: when it fires, the task is looked at again. This makes "what is owed" a pure
//! function of the state, so that recovery cannot forget a timer.

use super::Task;
use super::lease::Lease;
use super::profile::TimeLimits;
use super::state::TaskState;
use crate::values::{Elapsed, Millis, Wall};

/// On top of the grace, before the scheduler ends an attempt whose worker does not answer a stop.
pub const STOP_MARGIN: Millis = Millis::from_secs(5);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deadline {
    Wall(Wall),
    Elapsed(Elapsed),
}

pub fn next_deadline(task: &Task) -> Option<Deadline> {
    match &task.state {
        TaskState::Pending { due } => Some(Deadline::Wall(*due)),
        // Between two looks the task waits for the next one, and is queued then.
        TaskState::Queued => task.extra.as_ref().and_then(|extra| extra.deadline).map(Deadline::Wall),
        TaskState::Leased(lease) => lease_deadline(lease, &task.profile.limits).map(Deadline::Elapsed),
        TaskState::Waiting(wait) => Some(Deadline::Wall(wait.ends())),
        TaskState::RetryWait { due, .. } | TaskState::Deferred { due } => Some(Deadline::Elapsed(*due)),
        TaskState::Succeeded
        | TaskState::Failed
        | TaskState::Cancelled
        | TaskState::Skipped
        | TaskState::UpstreamFailed
        | TaskState::Quarantined => None,
    }
}

fn lease_deadline(lease: &Lease, limits: &TimeLimits) -> Option<Elapsed> {
    let checkpoint = lease.soft.pending_checkpoint.as_ref().map(|pending| pending.due);
    [checkpoint, limit(lease, limits)].into_iter().flatten().min()
}

/// The next instant at which a limit of the attempt is reached.
fn limit(lease: &Lease, limits: &TimeLimits) -> Option<Elapsed> {
    if let Some(stop) = lease.stop {
        return Some(stop.requested + limits.grace + STOP_MARGIN);
    }
    let Some(accepted) = lease.soft.accepted else {
        return Some(lease.assigned + limits.accept);
    };
    let soft = limits.soft.filter(|_| !lease.soft.soft_told).map(|span| accepted + span);
    let hard = limits.hard.map(|span| accepted + span.saturating_add(lease.extended));
    let progress = limits.progress.map(|span| lease.soft.progressed + span);
    [soft, hard, progress].into_iter().flatten().min()
}
