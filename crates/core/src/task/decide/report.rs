//! Reports: what a worker says about an attempt. Only the holder of the newest fence is believed.
//! A report that is stale or was heard before yields no event; the verdict tells the worker to let go of it.

use std::sync::Arc;

use super::force::forced_end;
use crate::decision::{Mark, Out, ReportVerdict, View};
use crate::event::Event;
use crate::task::{Lease, PendingCheckpoint, Task};
use crate::values::{AttemptDetails, Failure, FailureClass, Fence, Millis, Session, TaskId, WorkerId};

/// What a worker says about an attempt it holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    pub worker: WorkerId,
    pub session: Session,
    pub task: TaskId,
    pub fence: Fence,
    pub what: ReportKind,
    /// Of an attempt that it ends; counts for no other report.
    pub details: Option<Box<AttemptDetails>>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ReportKind {
    Accepted,
    /// It does not fit, or the worker is leaving: not begun.
    Refused,
    /// How far it says it is, at most [`PROGRESS_BYTES_MAX`](crate::values::PROGRESS_BYTES_MAX).
    Progress(Option<Box<str>>),
    Checkpoint(Arc<[u8]>),
    /// Asks for more time.
    Extend(Millis),
    Succeeded {
        output: Option<Arc<[u8]>>,
    },
    Failed(Failure),
    /// It failed, and nobody can say how far it came: a call whose answer was lost.
    Vanished(Failure),
    /// Wants to be started again after this long, without holding its place.
    Deferred {
        resume_after: Millis,
    },
}

impl ReportKind {
    /// Whether the attempt is over with it. Workers keep such a report until it is acknowledged.
    pub const fn ends_attempt(&self) -> bool {
        match self {
            Self::Succeeded { .. }
            | Self::Failed(_)
            | Self::Vanished(_)
            | Self::Deferred { .. }
            | Self::Refused => true,
            Self::Accepted | Self::Progress(_) | Self::Checkpoint(_) | Self::Extend(_) => false,
        }
    }
}

/// Wait before a task that its worker refused is offered again; keeps a confused worker from spinning.
const REFUSED_PAUSE: Millis = Millis::from_secs(1);

pub(crate) fn decide(view: &View<'_>, report: &Report, out: &mut Out<'_>) -> ReportVerdict {
    let Some(task) = view.state.tasks().by_id(report.task) else {
        return ReportVerdict::Stale;
    };
    match task.lease() {
        Some(lease) if lease.fence == report.fence || view.breaks.fence => {
            if let Some(details) = report.details.as_ref().filter(|_| report.what.ends_attempt()) {
                let (id, fence, details) = (task.id, lease.fence, details.clone());
                out.push(Event::DetailsReported { id, fence, details });
            }
            match forced_end(task, lease, true).filter(|_| report.what.ends_attempt()) {
                Some(event) => out.push(event),
                None => ended_or_amended(view, task, lease, &report.what, out),
            }
            ReportVerdict::Recorded
        }
        None if report.fence == task.fence => ReportVerdict::Duplicate,
        Some(_) | None => ReportVerdict::Stale,
    }
}

fn ended_or_amended(view: &View<'_>, task: &Task, lease: &Lease, what: &ReportKind, out: &mut Out<'_>) {
    let (id, fence, now) = (task.id, lease.fence, view.state.now);
    match what {
        // Soft: the engine notes these, the journal does not.
        ReportKind::Accepted | ReportKind::Progress(_) => {}
        ReportKind::Refused => {
            let failure = Failure::new(FailureClass::Preempted, 0, "the worker did not take it");
            let then = match lease.stop {
                Some(_) => out.retry.after_failure(task, lease, &failure, true, now),
                None => crate::event::AfterFailure::Retry {
                    due: now.elapsed + REFUSED_PAUSE,
                    spend: false,
                    memory_bytes: None,
                    delayed_by: None,
                },
            };
            out.push(Event::AttemptFailed { id, fence, failure, then, reported: true });
        }
        ReportKind::Checkpoint(bytes) => checkpoint(view, task, (lease, bytes), out),
        ReportKind::Extend(by) => out.push(Event::DeadlineExtended { id, fence, by: *by }),
        ReportKind::Succeeded { output }
            if output.as_ref().is_some_and(|o| o.len() > view.limits.output_bytes_max) =>
        {
            let message = "the output is larger than the limit: store it elsewhere and return a reference";
            let failure = Failure::new(FailureClass::Permanent, 0, message);
            let then = out.retry.after_failure(task, lease, &failure, true, now);
            out.push(Event::AttemptFailed { id, fence, failure, then, reported: true });
        }
        ReportKind::Succeeded { output: Some(output) } if !fits_in_run(view, task, output) => {
            let message =
                "the run keeps too many bytes of outputs: store them elsewhere and return references";
            let failure = Failure::new(FailureClass::Permanent, 0, message);
            let then = out.retry.after_failure(task, lease, &failure, true, now);
            out.push(Event::AttemptFailed { id, fence, failure, then, reported: true });
        }
        ReportKind::Succeeded { output } => {
            out.push(Event::TaskSucceeded { id, fence, output: output.clone() });
        }
        ReportKind::Failed(failure) | ReportKind::Vanished(failure) => {
            let known = matches!(what, ReportKind::Failed(_));
            let failure = stop_class(lease, failure);
            let then = out.retry.after_failure(task, lease, &failure, known, now);
            out.push(Event::AttemptFailed { id, fence, failure, then, reported: true });
        }
        ReportKind::Deferred { resume_after } => match lease.stop {
            Some(_) => {
                let failure =
                    stop_class(lease, &Failure::new(FailureClass::Transient, 0, "deferred while stopping"));
                let then = out.retry.after_failure(task, lease, &failure, true, now);
                out.push(Event::AttemptFailed { id, fence, failure, then, reported: true });
            }
            None => out.push(Event::TaskDeferred { id, fence, due: now.elapsed + *resume_after }),
        },
    }
}

/// One that comes too soon after the last is stored when the gap ends, or when the attempt does. If another one comes
/// before that, the newer one is stored.
fn checkpoint(view: &View<'_>, task: &Task, (lease, bytes): (&Lease, &Arc<[u8]>), out: &mut Out<'_>) {
    let (id, fence, now) = (task.id, lease.fence, view.state.now.elapsed);
    // A worker says its newest one again in every session.
    let stored = task.extra.as_ref().and_then(|extra| extra.checkpoint.as_ref());
    let is_known = lease.soft.pending_checkpoint.is_none() && stored == Some(bytes);
    if bytes.len() > view.limits.checkpoint_bytes_max || is_known {
        return;
    }
    let (bytes, gap) = (bytes.clone(), view.limits.checkpoint_gap);
    match lease.soft.checkpointed.filter(|last| now.since(*last) < gap) {
        Some(last) => {
            let checkpoint = PendingCheckpoint { bytes, due: last + gap };
            out.mark(Mark::CheckpointHeld { task: id, checkpoint });
        }
        None => out.push(Event::CheckpointSaved { id, fence, bytes }),
    }
}

/// What other tasks of a run may mention is kept while the run lives.
fn fits_in_run(view: &View<'_>, task: &Task, output: &[u8]) -> bool {
    let run =
        task.in_run.as_deref().and_then(|origin| Some((origin, view.state.job_runs().run(origin.run)?)));
    run.is_none_or(|(origin, run)| {
        let spec = run.plan.node(origin.place.node);
        let kept = spec.output_kept || spec.is_judged();
        !kept || run.output_bytes + output.len() as u64 <= view.limits.run_output_bytes_max
    })
}

/// An attempt that we asked to stop failed for our reason, whatever its exit code says.
pub(crate) fn stop_class(lease: &Lease, failure: &Failure) -> Failure {
    use crate::task::StopReason;
    let class = match lease.stop.map(|stop| stop.reason) {
        None => return failure.clone(),
        Some(StopReason::Cancel) => FailureClass::Cancelled,
        Some(StopReason::HardTimeout | StopReason::NoProgress) => FailureClass::Timeout,
        Some(StopReason::Preempt) => FailureClass::Preempted,
        // The task ends as the operator said, whatever became of the attempt.
        Some(StopReason::ForceSucceeded | StopReason::ForceFailed | StopReason::ForceSkipped) => {
            FailureClass::Cancelled
        }
    };
    Failure { class, ..failure.clone() }
}
