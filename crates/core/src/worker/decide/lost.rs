//! What becomes of an attempt that is lost: its worker is silent, came back without it, or never got it.

use crate::decision::{Out, View};
use crate::event::{AfterFailure, Event};
use crate::task::decide::force::forced_end;
use crate::task::decide::report::stop_class;
use crate::task::{CODE_BLAMED, Lease};
use crate::values::{Band, Failure, FailureClass, Millis, TaskIndex};

/// Mass losses come back at about this pace in each band below P0.
const RETURN_PER_MS: u64 = 2;
const RETURN_SPREAD_MAX: Millis = Millis::from_secs(30);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Loss {
    WorkerSilent {
        blamed: bool,
    },
    WorkerRestarted,
    NotAccepted,
    /// The process that the start was sent to says that it never came.
    NeverReceived,
}

/// `mass`: how many were lost together, if they were many. True if it goes back to its queue as if it had never been
/// given out.
pub(crate) fn decide(
    view: &View<'_>,
    index: TaskIndex,
    (loss, mass): (Loss, Option<usize>),
    out: &mut Out<'_>,
) -> bool {
    let now = view.state.now;
    let Some(task) = view.state.tasks.get(index) else { return false };
    let Some(lease) = task.lease() else { return false };
    let (id, fence) = (task.id, lease.fence);
    if loss == Loss::NeverReceived && lease.stop.is_none() {
        out.push(Event::TaskUnassigned { id, fence, reported: true });
        return true;
    }
    if let Some(event) = forced_end(task, lease, false) {
        out.push(event);
        return false;
    }
    let failure = stop_class(lease, &describe(loss, lease));
    let known = loss == Loss::NeverReceived;
    let mut then = out.retry.after_failure(task, lease, &failure, known, now);
    if let (AfterFailure::Requeue, Some(count)) = (then, mass)
        && task.priority.band != Band::P0
    {
        let spread = Millis::new(count as u64 / RETURN_PER_MS).min(RETURN_SPREAD_MAX);
        let due = now.elapsed + Millis::new(out.retry.chance().below(spread.get() + 1));
        then = AfterFailure::Retry { due, spend: false, memory_bytes: None, delayed_by: None };
    }
    // Should the worker come back, it must not go on with what was given to another.
    out.push(Event::AttemptFailed { id, fence, failure, then, reported: false });
    false
}

fn describe(loss: Loss, lease: &Lease) -> Failure {
    let (code, message) = match loss {
        // Never taken, as far as anyone knows: it cannot have brought its worker down.
        Loss::WorkerSilent { blamed } if blamed && lease.soft.accepted.is_some() => {
            (CODE_BLAMED, "the worker was not heard of for a whole lease")
        }
        Loss::WorkerSilent { .. } => (0, "the worker was not heard of for a whole lease"),
        Loss::WorkerRestarted => (CODE_BLAMED, "the worker restarted and no longer has the attempt"),
        Loss::NotAccepted => (0, "the worker did not say that it took the attempt"),
        Loss::NeverReceived => (0, "stopped before it began"),
    };
    Failure::new(FailureClass::WorkerLost, code, message)
}
