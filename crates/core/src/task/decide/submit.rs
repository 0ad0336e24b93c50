//! Submit: accept a task, once.

use super::TaskAnswer;
use crate::decision::{Out, Rejection, View};
use crate::event::{Event, Submitted};
use crate::key::{KeyClaim, KeyFact, KeyHolder};
use crate::task::{Status, TaskSpec};
use crate::values::{Band, LABELS_MAX, Millis, PERMITS_MAX, Pressure, TaskId, Wall};

#[derive(Clone, PartialEq, Debug)]
pub struct Submit {
    pub id: TaskId,
    pub task: TaskSpec,
    pub start: StartTime,
    /// With what the tables knew of the key before the command came here.
    pub key: Option<(KeyClaim, KeyFact)>,
    /// Sent before without an answer. It may have been accepted, and its task may have ended and left memory since:
    /// the tables are asked first.
    pub resent: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartTime {
    Now,
    At(Wall),
    After(Millis),
}

/// How long a refused producer is asked to wait.
const RETRY_AFTER: Millis = Millis::from_secs(1);

pub(crate) fn decide(view: &View<'_>, submit: Submit, out: &mut Out<'_>) -> Result<TaskAnswer, Rejection> {
    // What is already accepted is answered whatever the pressure: the caller only wants to know.
    if let Some(known) = known(view, &submit)? {
        return Ok(TaskAnswer::AlreadySubmitted { id: known });
    }
    check_pressure(view.pressure, submit.task.priority.band)?;
    check_sizes(view, &submit.task)?;
    check_queue(view, &submit)?;
    let due = due(view, submit.start)?;
    let waits = due.is_some_and(|due| due > view.state.now.wall);
    let (id, status) = (submit.id, if waits { Status::Pending } else { Status::Queued });
    out.push(Event::TaskSubmitted(Box::new(Submitted {
        id,
        task: submit.task,
        due,
        key: submit.key.map(|(claim, _)| claim),
        window: None,
    })));
    Ok(TaskAnswer::Submitted { id, status, at: view.state.now.wall })
}

/// The task that this request made before, by its key or by its id (an edge sends again what it got no
/// answer to).
fn known(view: &View<'_>, submit: &Submit) -> Result<Option<TaskId>, Rejection> {
    if let Some((claim, fact)) = &submit.key
        && let Some(binding) = view.state.keys().known(claim.scope, *fact)
    {
        let same = binding.request == claim.request;
        return if same {
            Ok(Some(binding.task))
        } else {
            Err(Rejection::KeyReused { existing: KeyHolder::Task(binding.task) })
        };
    }
    Ok(view.state.tasks().find(submit.id).map(|_| submit.id))
}

pub(crate) fn check_pressure(pressure: Pressure, band: Band) -> Result<(), Rejection> {
    let refused = match (pressure, band) {
        (Pressure::None, _) => false,
        (Pressure::Unavailable, _) => return Err(Rejection::StoreUnavailable { retry_after: RETRY_AFTER }),
        (Pressure::ShedAll, _) => true,
        (Pressure::ShedP1, band) => band != Band::P0,
        (Pressure::ShedP2, band) => band >= Band::P2,
    };
    if refused { Err(Rejection::StoreBehind { retry_after: RETRY_AFTER }) } else { Ok(()) }
}

/// Also of a task that recurs: what its windows begin is not looked at again.
pub(crate) fn check_sizes(view: &View<'_>, task: &TaskSpec) -> Result<(), Rejection> {
    let (bytes, max) = (task.payload.len(), view.limits.payload_bytes_max);
    if bytes > max {
        return Err(Rejection::PayloadTooLarge { bytes, max });
    }
    let count = task.labels.as_ref().map_or(0, |labels| labels.len());
    if count > LABELS_MAX {
        return Err(Rejection::TooManyLabels { count, max: LABELS_MAX });
    }
    let count = task.permits.as_ref().map_or(0, |permits| permits.len());
    if count > PERMITS_MAX {
        return Err(Rejection::TooManyPermits { count, max: PERMITS_MAX });
    }
    Ok(())
}

fn check_queue(view: &View<'_>, submit: &Submit) -> Result<(), Rejection> {
    let (held, max) = (view.state.tasks().len() as u64, view.limits.tasks_max);
    if held >= max {
        return Err(Rejection::TooManyTasks { held, max });
    }
    let (held, max) = (view.state.payload_bytes(), view.limits.payload_bytes_held_max);
    if held >= max {
        return Err(Rejection::MemoryFull { held, max });
    }
    let pool = &submit.task.profile.requirements.pool;
    let max = view.dispatcher.pool_limit(pool).queued_max;
    if max != u64::MAX {
        let queued = view.dispatcher.queued_in_pool(pool);
        if queued >= max {
            let tenant = submit.task.profile.tenant.clone();
            return Err(Rejection::QueueFull { pool: pool.clone(), tenant, queued, max });
        }
    }
    Ok(())
}

/// `None` = at once; a time that has passed is at once too, and is kept.
fn due(view: &View<'_>, start: StartTime) -> Result<Option<Wall>, Rejection> {
    let now = view.state.now.wall;
    let due = match start {
        StartTime::Now => return Ok(None),
        StartTime::At(at) => at,
        // From the present, not from when the record was begun: never early, however slow the journal is.
        StartTime::After(delay) => now + view.late + delay,
    };
    if due.since(now) > view.limits.ahead_max {
        return Err(Rejection::TooFarAhead { max: view.limits.ahead_max });
    }
    Ok(Some(due))
}
