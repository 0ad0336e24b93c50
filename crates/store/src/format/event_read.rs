//! Reads a record's body back into events.

use mainspring_core::event::{AfterFailure, Event, Submitted};
use mainspring_core::task::TaskSpec;
use mainspring_core::values::{Epoch, FiredWindow, InRun, Incarnation, OperationId};

use super::event::{given, kind, version};
use super::{
    FormatError, ProfileCache, Reader, backfill, cordon, operation, retry, schedule, task, trigger, wait,
    workflow,
};

/// Hands the `count` events of a record's body to `each`, in order, and stops at its first error.
pub fn read_events<E: From<FormatError>>(
    body: &[u8],
    count: u32,
    profiles: &mut ProfileCache,
    each: &mut dyn FnMut(Event) -> Result<(), E>,
) -> Result<(), E> {
    let mut r = Reader::new(body);
    for _ in 0..count {
        let mut fields = r.nested("event length")?;
        let event = read_event(&mut fields, profiles)?;
        fields.finish("event")?;
        each(event)?;
    }
    r.finish("record")?;
    Ok(())
}

fn read_event(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<Event, FormatError> {
    let at = r.at();
    let kind = r.byte("event type")?;
    if kind > kind::NEWEST {
        return Err(FormatError::newer("event type", at, kind, kind::NEWEST));
    }
    r.version("event version", version(kind))?;
    match kind {
        kind::EPOCH_STARTED => Ok(Event::EpochStarted { epoch: Epoch::new(r.varint("epoch")?) }),
        kind::TASK_REVIVED => {
            Ok(Event::TaskRevived { ended: Box::new(task::read(r, profiles)?), over: r.over()? })
        }
        kind::PROCESS_STARTED..=kind::PROCESS_ENDED => read_process_event(r, kind),
        kind::KEY_BOUND => Ok(Event::KeyBound { claim: r.key()?, entity: r.task_id()? }),
        kind::TASK_SPAWNED => read_spawned(r),
        kind::FLOW => workflow::read_event(r, profiles).map(Event::Run),
        kind::SCHEDULE => schedule::read_event(r, profiles).map(Event::Schedule),
        kind::BACKFILL => backfill::read_event(r, profiles).map(Event::Backfill),
        kind::TRIGGER => trigger::read_event(r).map(Event::Trigger),
        kind::CORDON => cordon::read_event(r).map(Box::new).map(Event::Cordon),
        kind::TASK_SUBMITTED => read_submitted(r, profiles),
        kind::TASK_RELEASED => Ok(Event::TaskDue { id: r.task_id()? }),
        kind::TASK_CANCELLED => Ok(Event::TaskCancelled { id: r.task_id()? }),
        kind::TASK_AMENDED => read_amended(r),
        kind::TASK_FORCED => Ok(Event::TaskForced {
            id: r.task_id()?,
            status: r.status()?,
            over: r.over()?,
            reported: r.bool("reported")?,
        }),
        kind::TASK_NOTED => {
            Ok(Event::TaskNoted { id: r.task_id()?, change: r.task_change()?, over: r.over()? })
        }
        kind::POLL_BEGAN => Ok(Event::PollBegan { id: r.task_id()?, deadline: r.wall("deadline")? }),
        kind::FORCE_REQUESTED => Ok(Event::ForceRequested {
            id: r.task_id()?,
            fence: r.fence()?,
            status: r.status()?,
            over: r.over()?,
        }),
        kind::TASK_WAITS => Ok(Event::TaskWaits { id: r.task_id()?, wait: Box::new(wait::read(r)?) }),
        kind::WAIT_ENDED => Ok(Event::WaitEnded { id: r.task_id()?, end: wait::read_end(r)? }),
        0 => Err(FormatError::bad("event type", at, "is 0, which was never written")),
        attempt => read_attempt_event(r, attempt),
    }
}

fn read_submitted(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<Event, FormatError> {
    let id = r.task_id()?;
    let profile = profiles.read(r)?;
    let payload = r.shared_bytes("payload")?;
    let priority = r.priority()?;
    let known = given::DUE | given::LABELS | given::KEY | given::PERMITS | given::WINDOW;
    let flags = r.flags("submission flags", known)?;
    let due = if flags & given::DUE == 0 { None } else { Some(r.wall("due")?) };
    let labels = if flags & given::LABELS == 0 { None } else { Some(r.labels()?) };
    let key = if flags & given::KEY == 0 { None } else { Some(r.key()?) };
    let permits = if flags & given::PERMITS == 0 { None } else { Some(r.permits()?) };
    let window = if flags & given::WINDOW == 0 { None } else { Some(Box::new(read_fired_window(r)?)) };
    let task = TaskSpec { profile, payload, priority, labels, permits };
    let submitted = Submitted { id, task, due, key, window };
    Ok(Event::TaskSubmitted(Box::new(submitted)))
}

fn read_fired_window(r: &mut Reader<'_>) -> Result<FiredWindow, FormatError> {
    let window = *schedule::read_window(r)?;
    Ok(FiredWindow { window, next: r.option("next window", |r| r.wall("next window"))? })
}

fn read_spawned(r: &mut Reader<'_>) -> Result<Event, FormatError> {
    let InRun { run, place } = workflow::read_in_run(r)?;
    Ok(Event::TaskSpawned {
        run,
        place,
        due: r.option("due", |r| r.wall("due"))?,
        payload: r.option("payload", |r| r.shared_bytes("payload"))?,
        permits: r.option("permits", Reader::permits)?,
    })
}

fn read_amended(r: &mut Reader<'_>) -> Result<Event, FormatError> {
    Ok(Event::TaskAmended {
        id: r.task_id()?,
        due: r.option("amended due", |r| r.wall("amended due"))?,
        priority: r.option("amended priority", Reader::priority)?,
        payload: r.option("amended payload", |r| r.shared_bytes("amended payload"))?,
    })
}

/// Events that carry a task's id and the fence of its attempt.
fn read_attempt_event(r: &mut Reader<'_>, kind: u8) -> Result<Event, FormatError> {
    let at = r.at();
    let id = r.task_id()?;
    let fence = r.fence()?;
    Ok(match kind {
        kind::TASK_ASSIGNED => Event::TaskAssigned {
            id,
            fence,
            worker: r.worker_id()?,
            incarnation: Incarnation::new(r.varint("incarnation")?),
        },
        kind::TASK_UNASSIGNED => Event::TaskUnassigned { id, fence, reported: r.bool("reported")? },
        kind::TASK_SUCCEEDED => {
            let output = r.option("output", |r| r.shared_bytes("output"))?;
            Event::TaskSucceeded { id, fence, output }
        }
        kind::ATTEMPT_FAILED => {
            let (failure, then) = (r.failure()?, read_then(r)?);
            Event::AttemptFailed { id, fence, failure, then, reported: r.bool("reported")? }
        }
        kind::TASK_DEFERRED => Event::TaskDeferred { id, fence, due: r.elapsed("due")? },
        kind::STOP_REQUESTED => Event::StopRequested { id, fence, reason: r.stop_reason()? },
        kind::CHECKPOINT_SAVED => Event::CheckpointSaved { id, fence, bytes: r.shared_bytes("checkpoint")? },
        kind::DETAILS_REPORTED => {
            Event::DetailsReported { id, fence, details: Box::new(task::read_details(r)?) }
        }
        kind::DEADLINE_EXTENDED => Event::DeadlineExtended { id, fence, by: r.millis("extension")? },
        _ => return Err(FormatError::bad("event type", at, "has no such value")),
    })
}

fn read_then(r: &mut Reader<'_>) -> Result<AfterFailure, FormatError> {
    let at = r.at();
    Ok(match r.byte("what follows")? {
        0 => AfterFailure::Retry {
            due: r.elapsed("retry due")?,
            spend: r.bool("retry spent")?,
            memory_bytes: r.option("retry memory", |r| r.varint("retry memory"))?,
            delayed_by: retry::read_delayed_by(r)?,
        },
        1 => AfterFailure::Requeue,
        2 => AfterFailure::Fail,
        3 => AfterFailure::Quarantine,
        4 => AfterFailure::Cancel,
        _ => return Err(FormatError::bad("what follows", at, "has no such value")),
    })
}

fn read_process_event(r: &mut Reader<'_>, kind: u8) -> Result<Event, FormatError> {
    let id = OperationId::new(r.varint("process id")?);
    Ok(match kind {
        kind::PROCESS_STARTED => Event::OperationStarted { id, work: operation::read_work(r)? },
        kind::PROCESS_ADVANCED => Event::OperationAdvanced {
            id,
            cursor: operation::read_cursor(r)?,
            counts: operation::read_counts(r)?,
            refusal: r.option("refusal", |r| r.text("refusal"))?.map(Into::into),
        },
        _ => Event::OperationEnded { id, cancelled: r.option("cancelled", Reader::over)?.map(Box::new) },
    })
}
