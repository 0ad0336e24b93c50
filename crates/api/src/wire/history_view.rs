//! The life of a task: each change of state that its record tells of, with its time, its cause, and who did it.
//! - HV-1 nothing is guessed: what the record does not have (attempts that were dropped, when it was queued between two of
//!   them) is left out

use mainspring_core::run::Run;
use mainspring_core::task::{AttemptRecord, Status, Task, TaskNote, TaskState};
use mainspring_core::values::{Wall, WorkerId};
use serde::Serialize;

use super::attempt_view::started;
use super::state::as_word;
use super::task_view::ErrorView;
use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TaskHistory<'a> {
    pub task_id: String,
    /// Oldest first
    #[cfg_attr(test, schemars(length(max = 176)))]
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
const CAUSES: [&str; 17] = [
    "submitted",
    "released",
    "window",
    "assigned",
    "started",
    "attempt_failed",
    "attempt_succeeded",
    "cancelled",
    "approved",
    "rejected",
    "forced",
    "requeued",
    "discarded",
    "amended",
    "run_now",
    "waits",
    "ended",
];

impl<'a> TaskHistory<'a> {
    /// `run`: the one that it belongs to, which knows who cancelled it and who approved what.
    pub(crate) fn of(task: &'a Task, run: Option<&'a Run>) -> Self {
        let mut changes = vec![first(task)];
        for attempt in task.failures() {
            changes.extend(begun(task, attempt));
            changes.push(failed(attempt));
        }
        let last_failed = task.failures().last().map_or(0, |attempt| attempt.number);
        if task.attempts > last_failed {
            changes.push(assigned(task.started, task.attempts, task.worker));
            changes.extend(newest_started(task));
        }
        let told = changes.last().map_or(Status::Pending, |change| change.state);
        let notes = task.extra.as_ref().map_or(&[][..], |extra| &extra.notes);
        let is_noted = notes.iter().any(|note| note.at == task.changed && note.status == task.status());
        changes.extend(now(task, told).filter(|_| !is_noted));
        if let Some(run) = run {
            say_who(&mut changes, task, run);
        }
        Self {
            task_id: task.id.to_string(),
            changes: with_notes(changes, notes),
            attempts_dropped: task.extra.as_ref().map_or(0, |extra| extra.attempts_dropped),
        }
    }
}

/// In the order of their times. What somebody did comes before the attempt that followed at once; of a task whose attempt was
/// live then, before the end of that.
fn with_notes<'a>(changes: Vec<ChangeView<'a>>, notes: &'a [TaskNote]) -> Vec<ChangeView<'a>> {
    let mut all = Vec::with_capacity(changes.len() + notes.len());
    let mut notes = notes.iter().peekable();
    for change in changes {
        let is_grant = change.cause == "assigned";
        let is_before = |note: &&TaskNote| {
            note.at < change.at.0 || note.at == change.at.0 && is_grant != note.status.is_leased()
        };
        while let Some(note) = notes.next_if(is_before) {
            all.push(noted(note));
        }
        all.push(change);
    }
    all.extend(notes.map(noted));
    all
}

/// What was done to its run and not to the task alone: who cancelled the run, who decided about an approval.
fn say_who<'a>(changes: &mut [ChangeView<'a>], task: &Task, run: &'a Run) {
    let Some(last) = changes.last_mut() else { return };
    let place = task.in_run.as_deref().map(|within| within.place);
    let decision = place
        .filter(|place| run.place(place.node, place.index) == *place)
        .and_then(|place| run.decision(place.node, place.index));
    let note = run.notes.iter().rev().find(|note| &*note.what == "cancelled");
    let (cause, over) = match (last.state, decision, note) {
        (state, Some(decision), _) if state.is_ended() => {
            (if decision.approved { "approved" } else { "rejected" }, &decision.over)
        }
        (Status::Cancelled, None, Some(note)) if note.at <= last.at.0 => ("cancelled", &note.over),
        _ => return,
    };
    last.cause = cause;
    last.actor = Some(over.actor.as_str());
    last.reason = Some(over.reason.as_str()).filter(|reason| !reason.is_empty());
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

/// How an attempt began that did not succeed. What never saw a worker only waited.
fn begun<'a>(task: &Task, attempt: &AttemptRecord) -> Vec<ChangeView<'a>> {
    if attempt.number == 0 {
        let waited = attempt.assigned > task.submitted;
        return waited.then(|| change(attempt.assigned, Status::Deferred, "waits")).into_iter().collect();
    }
    let grant = assigned(attempt.assigned, attempt.number, attempt.worker);
    let details = attempt.details.as_deref();
    let start = started(attempt.assigned, attempt.ended, details).map(|at| running(at, attempt.number));
    std::iter::once(grant).chain(start).collect()
}

/// Of the attempt that succeeded or was cut short without a record of its own.
fn newest_started<'a>(task: &Task) -> Option<ChangeView<'a>> {
    let details = task.extra.as_ref()?.details.as_deref();
    let at = started(task.started, task.changed, details).filter(|_| task.status().is_ended())?;
    Some(running(at, task.attempts))
}

fn running(at: Wall, number: u32) -> ChangeView<'static> {
    ChangeView { attempt: Some(number), ..change(at, Status::Running, "started") }
}

/// The state in which a failure left the task.
fn failed(attempt: &AttemptRecord) -> ChangeView<'_> {
    let cause = if attempt.left == Status::Cancelled { "cancelled" } else { "attempt_failed" };
    let number = Some(attempt.number).filter(|number| *number > 0);
    ChangeView {
        attempt: number,
        error: Some(ErrorView::of(attempt)),
        ..change(attempt.ended, attempt.left, cause)
    }
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
