//! Events that change what a task carries, but not its state.

use super::State;
use super::apply::Change;
use crate::event::Event;
use crate::task::{Status, Stop, StopReason, TaskNote, TaskState};

pub(crate) fn amend(state: &mut State, event: &Event) -> Change {
    let id = event.task().expect("EV-1: an amending event names its task");
    let now = state.now;
    let index = state.tasks.find(id).expect("EV-1: the task of an event is in memory");
    let task = state.tasks.get_mut(index).expect("EV-1: a found slot is taken");
    match event {
        Event::StopRequested { reason, .. } => {
            task.cancel_requested |= *reason == StopReason::Cancel;
            if let Some(lease) = task.state.lease_mut() {
                lease.stop = Some(Stop { reason: *reason, requested: now.elapsed });
            }
        }
        Event::ForceRequested { status, over, .. } => {
            task.extra_mut().forced = Some(over.clone());
            if let Some(lease) = task.state.lease_mut() {
                let requested = lease.stop.map_or(now.elapsed, |stop| stop.requested);
                lease.stop = Some(Stop { reason: StopReason::forcing(*status), requested });
            }
        }
        Event::TaskAmended { due, priority, payload, .. } => {
            if let (TaskState::Pending { due: old }, Some(new)) = (&mut task.state, due) {
                *old = *new;
                task.scheduled = *new;
            }
            task.priority = priority.unwrap_or(task.priority);
            if let Some(payload) = payload {
                // Another payload is another wait.
                if let Some(extra) = task.extra.as_mut() {
                    extra.deadline = None;
                }
                state.replace_payload(index, payload);
            }
        }
        Event::TaskNoted { change, over, .. } => {
            // Whether the worker has accepted is soft, and a note is not.
            let status = if task.lease().is_some() { Status::Assigned } else { task.status() };
            let note = TaskNote { at: now.wall, change: *change, status, over: over.clone() };
            task.extra_mut().note(note);
        }
        Event::PollBegan { deadline, .. } => task.extra_mut().deadline = Some(*deadline),
        Event::CheckpointSaved { bytes, .. } => {
            task.extra_mut().checkpoint = Some(bytes.clone());
            if let Some(lease) = task.state.lease_mut() {
                lease.soft.checkpointed = Some(now.elapsed);
                lease.soft.pending_checkpoint = None;
            }
        }
        Event::DetailsReported { details, .. } => {
            task.extra_mut().details.get_or_insert_default().add(details);
        }
        Event::DeadlineExtended { by, .. } => {
            if let Some(lease) = task.state.lease_mut() {
                lease.extended = lease.extended.saturating_add(*by);
            }
        }
        _ => unreachable!("not an amending event"),
    }
    let task = state.tasks.get_mut(index).expect("EV-1: a found slot is taken");
    let since = std::mem::replace(&mut task.changed, now.wall);
    let status = task.status();
    state.touch(index, status, status);
    Change { index, from: Some(status), to: status, since, ended: None }
}
