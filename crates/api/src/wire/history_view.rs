//! The life of a task: each change of state that its record tells of, with its time, its cause, and who did it.
//! - HV-1 nothing is guessed: what the record does not have (attempts that were dropped, when it was queued between two of
//!   them) is left out

use mainspring_core::task::{AttemptRecord, Status, Task, TaskNote, TaskState};
use mainspring_core::values::{FailureClass, Wall, WorkerId};
use serde::Serialize;

use super::state::as_word;
use super::task_view::ErrorView;
use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TaskHistory<'a> {
    pub task_id: String,
    /// Oldest first
    #[cfg_attr(test, schemars(length(max = 124)))]
    pub changes: Vec<ChangeView<'a>>,
    /// Attempts between the first and the newest ones that are not kept
    pub attempts_dropped: u32,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TaskHistoryChange"))]
pub(crate) struct ChangeView<'a> {
    pub at: Moment,
    /// From then on
    #[serde(serialize_with = "as_word")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_state"))]
    pub state: Status,
    #[cfg_attr(test, schemars(extend("enum" = CAUSES)))]
    pub cause: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorView<'a>>,
    /// Who did it, as they said; not verified
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
}

/// `submitted`: by a caller; `released`: by its run; `window`: by its schedule. A running task that somebody `cancelled` shows
/// its state until it has stopped.
#[cfg(test)]
const CAUSES: [&str; 14] = [
    "submitted",
    "released",
    "window",
    "assigned",
    "attempt_failed",
    "attempt_succeeded",
    "cancelled",
    "forced",
    "requeued",
    "discarded",
    "amended",
    "run_now",
    "waits",
    "ended",
];

impl<'a> TaskHistory<'a> {
    pub(crate) fn of(task: &'a Task) -> Self {
        let mut changes = vec![first(task)];
        let failures = task.failures();
        for (at, attempt) in failures.iter().enumerate() {
            changes.push(assigned(attempt.assigned, attempt.number, attempt.worker));
            let is_last = at + 1 == failures.len() && attempt.number == task.attempts;
            changes.push(failed(task, attempt, is_last));
        }
        let last_failed = failures.last().map_or(0, |attempt| attempt.number);
        if task.attempts > last_failed {
            changes.push(assigned(task.started, task.attempts, task.worker));
        }
        let told = changes.last().map_or(Status::Pending, |change| change.state);
        let notes = task.extra.as_ref().map_or(&[][..], |extra| &extra.notes);
        let is_noted = notes.iter().any(|note| note.at == task.changed && note.status == task.status());
        changes.extend(now(task, told).filter(|_| !is_noted));
        changes.extend(notes.iter().map(noted));
        changes.sort_by_key(|change| change.at.0);
        Self {
            task_id: task.id.to_string(),
            changes,
            attempts_dropped: task.extra.as_ref().map_or(0, |extra| extra.attempts_dropped),
        }
    }
}

fn change(at: Wall, state: Status, cause: &'static str) -> ChangeView<'static> {
    let (attempt, worker, error, actor, reason) = (None, None, None, None, None);
    ChangeView { at: Moment(at), state, cause, attempt, worker, error, actor, reason }
}

fn first(task: &Task) -> ChangeView<'static> {
    let waits = task.scheduled > task.submitted;
    let of_window = task.extra.as_ref().is_some_and(|extra| extra.window.is_some());
    let cause = match (&task.in_run, of_window) {
        (Some(_), _) => "released",
        (None, true) => "window",
        (None, false) => "submitted",
    };
    change(task.submitted, if waits { Status::Pending } else { Status::Queued }, cause)
}

fn assigned(at: Wall, number: u32, worker: WorkerId) -> ChangeView<'static> {
    let worker = (worker != WorkerId::NONE).then(|| worker.to_string());
    ChangeView { attempt: Some(number), worker, ..change(at, Status::Assigned, "assigned") }
}

/// What a failure led to: the end of the task, or another attempt, after a wait unless it was nobody's fault.
fn failed<'a>(task: &Task, attempt: &'a AttemptRecord, is_last: bool) -> ChangeView<'a> {
    let at_once = matches!(attempt.failure.class, FailureClass::WorkerLost | FailureClass::Preempted);
    let ended = is_last && task.status().is_ended() && task.changed == attempt.ended;
    let state = match (ended, at_once) {
        (true, _) => task.status(),
        (false, true) => Status::Queued,
        (false, false) => Status::RetryWait,
    };
    let error = Some(ErrorView::of(attempt));
    ChangeView { attempt: Some(attempt.number), error, ..change(attempt.ended, state, "attempt_failed") }
}

/// What somebody did who said who they are.
fn noted(note: &TaskNote) -> ChangeView<'_> {
    ChangeView {
        actor: Some(note.over.actor.as_str()),
        reason: Some(note.over.reason.as_str()).filter(|reason| !reason.is_empty()),
        ..change(note.at, note.status, note.change.label())
    }
}

/// How it is now, if nothing above says so.
fn now(task: &Task, told: Status) -> Option<ChangeView<'_>> {
    let status = task.status();
    let runs = matches!(task.state, TaskState::Leased(_));
    if status == told || runs {
        return None;
    }
    let forced = task.extra.as_ref().and_then(|extra| extra.forced.as_ref());
    let cause = match (status, forced) {
        (Status::Queued, Some(_)) => "requeued",
        (_, Some(_)) if status.is_ended() => "forced",
        (Status::Succeeded, None) => "attempt_succeeded",
        (Status::Cancelled, None) => "cancelled",
        (_, None) if status.is_ended() => "ended",
        _ => "waits",
    };
    let by = forced.filter(|_| matches!(cause, "forced" | "requeued"));
    Some(ChangeView {
        attempt: (cause == "attempt_succeeded" && task.attempts > 0).then_some(task.attempts),
        actor: by.map(|over| over.actor.as_str()),
        reason: by.map(|over| over.reason.as_str()),
        ..change(task.changed, status, cause)
    })
}
