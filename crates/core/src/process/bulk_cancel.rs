//! Cancel everything that matches, a step at a time.

use super::{Cursor, STEP_EVENTS_MAX, STEP_SLOTS_MAX, Selector, Work, cancel_runs};
use crate::command::cancel::event_for;
use crate::event::Event;
use crate::id::{ProcessId, TaskId};
use crate::index::TaskSlot;
use crate::shard::ShardState;
use crate::task::Task;

/// The next step. `parked`: tasks just brought into memory, in order of id; `more`: the store has others.
pub fn advance(state: &ShardState, id: ProcessId, parked: &[TaskId], more: bool) -> Vec<Event> {
    let Some(process) = state.processes.get(&id) else { return Vec::new() };
    match (&process.work, process.cursor) {
        (Work::CancelRuns { selector, before, over }, Cursor::Memory(from)) => {
            cancel_runs::advance(state, id, from, (selector, *before, over.as_ref()))
        }
        (Work::CancelRuns { .. }, Cursor::Parked(_)) => vec![Event::ProcessEnded { id }],
        (work, Cursor::Memory(from)) => in_memory(state, id, work, from),
        (work, Cursor::Parked(after)) => among_parked(state, id, work, after, parked, more),
    }
}

fn in_memory(state: &ShardState, id: ProcessId, work: &Work, from: u32) -> Vec<Event> {
    let mut events = Vec::new();
    let end = from.saturating_add(STEP_SLOTS_MAX).min(state.tasks().slots_end());
    let mut next = from;
    while next < end && events.len() < STEP_EVENTS_MAX {
        events.extend(state.tasks().get(TaskSlot(next)).and_then(|task| cancel(task, work)));
        next += 1;
    }
    let done = next >= state.tasks().slots_end();
    let cursor = if done { Cursor::Parked(TaskId::from_bits(0)) } else { Cursor::Memory(next) };
    let handled = events.len() as u32;
    events.push(Event::ProcessAdvanced { id, cursor, handled });
    events
}

fn among_parked(
    state: &ShardState,
    id: ProcessId,
    work: &Work,
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
    events.push(Event::ProcessAdvanced { id, cursor: Cursor::Parked(last), handled });
    if !more {
        events.push(Event::ProcessEnded { id });
    }
    events
}

fn cancel(task: &Task, work: &Work) -> Option<Event> {
    let Work::BulkCancel { selector, before, stop_running } = work else { return None };
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
