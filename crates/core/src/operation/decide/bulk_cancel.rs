//! Cancel everything that matches, a step at a time.

use super::cancel_runs;
use crate::event::Event;
use crate::operation::{Cursor, OperationKind, STEP_EVENTS_MAX, STEP_SLOTS_MAX, Selector};
use crate::state::State;
use crate::task::Task;
use crate::task::decide::cancel::event_for;
use crate::values::{OperationId, TaskId, TaskIndex};

/// The next step. `parked`: tasks just brought into memory, in order of id; `more`: the store has others.
pub fn advance(state: &State, id: OperationId, parked: &[TaskId], more: bool) -> Vec<Event> {
    let Some(operation) = state.operations.bulk(id) else { return Vec::new() };
    match (&operation.work, operation.cursor) {
        (OperationKind::CancelRuns { selector, before, over }, Cursor::Memory(from)) => {
            cancel_runs::advance(state, id, from, (selector, *before, over.as_ref()))
        }
        (OperationKind::CancelRuns { .. }, _) => vec![Event::OperationEnded { id }],
        (_, Cursor::Listed(_)) => unreachable!("OS-3: only an announcement has a list"),
        (work, Cursor::Memory(from)) => in_memory(state, id, work, from),
        (work, Cursor::Parked(after)) => among_parked(state, id, work, after, parked, more),
    }
}

fn in_memory(state: &State, id: OperationId, work: &OperationKind, from: u32) -> Vec<Event> {
    let mut events = Vec::new();
    let end = from.saturating_add(STEP_SLOTS_MAX).min(state.tasks().end());
    let mut next = from;
    while next < end && events.len() < STEP_EVENTS_MAX {
        events.extend(state.tasks().get(TaskIndex(next)).and_then(|task| cancel(task, work)));
        next += 1;
    }
    let done = next >= state.tasks().end();
    let cursor = if done { Cursor::Parked(TaskId::from_bits(0)) } else { Cursor::Memory(next) };
    let handled = events.len() as u32;
    events.push(Event::OperationAdvanced { id, cursor, handled });
    events
}

fn among_parked(
    state: &State,
    id: OperationId,
    work: &OperationKind,
    after: TaskId,
    parked: &[TaskId],
    more: bool,
) -> Vec<Event> {
    let mut events: Vec<Event> = parked
        .iter()
        .filter_map(|id| state.tasks().by_id(*id))
        .filter_map(|task| cancel(task, work))
        .collect();
    let handled = events.len() as u32;
    let last = parked.last().copied().unwrap_or(after);
    events.push(Event::OperationAdvanced { id, cursor: Cursor::Parked(last), handled });
    if !more {
        events.push(Event::OperationEnded { id });
    }
    events
}

fn cancel(task: &Task, work: &OperationKind) -> Option<Event> {
    let OperationKind::BulkCancel { selector, before, stop_running } = work else { return None };
    if task.submitted > *before || !matches(selector, task) {
        return None;
    }
    event_for(task, *stop_running).ok().flatten()
}

pub fn matches(selector: &Selector, task: &Task) -> bool {
    let named = |wanted: &str, have: &str| wanted.is_empty() || wanted == have;
    named(&selector.tenant, &task.profile.tenant)
        && named(&selector.job, &task.profile.job)
        && named(&selector.pool, &task.profile.requirements.pool)
        && named(&selector.executor, &task.profile.executor)
        && (selector.statuses.is_empty() || selector.statuses.contains(&task.status()))
        && selector.labels.iter().all(|label| task.labels().contains(label))
}
