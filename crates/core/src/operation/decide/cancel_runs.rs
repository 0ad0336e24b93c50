//! Cancel every run that matches, a step at a time. Runs that have not ended are all in memory.

use crate::event::Event;
use crate::operation::{Cursor, RunSelector, STEP_EVENTS_MAX, STEP_SLOTS_MAX};
use crate::run::decide::stop::cancel_event;
use crate::run::{Noted, Run, RunEvent, Subject};
use crate::state::State;
use crate::values::{Actor, OperationId, RunIndex, Wall};

/// The next step from this slot on.
pub(crate) fn advance(
    state: &State,
    id: OperationId,
    from: u32,
    (selector, before, over): (&RunSelector, Wall, Option<&Actor>),
) -> Vec<Event> {
    let runs = state.job_runs().runs();
    let end = from.saturating_add(STEP_SLOTS_MAX).min(runs.end());
    let (mut events, mut handled, mut next) = (Vec::new(), 0, from);
    // Each run takes two events at most.
    while next < end && events.len() + 1 < STEP_EVENTS_MAX {
        let run = runs.get(RunIndex(next)).filter(|run| run.created <= before && matches(selector, run));
        next += 1;
        let Some((run, event)) = run.and_then(|run| Some((run, cancel_event(run)?))) else { continue };
        events.push(Event::Run(event));
        handled += 1;
        if let Some(over) = over {
            let noted = Noted { of: Subject::Run(run.id), over: over.clone(), what: "cancelled".into() };
            events.push(Event::Run(RunEvent::Noted(Box::new(noted))));
        }
    }
    events.push(Event::OperationAdvanced { id, cursor: Cursor::Memory(next), handled });
    if next >= runs.end() {
        events.push(Event::OperationEnded { id });
    }
    events
}

pub fn matches(selector: &RunSelector, run: &Run) -> bool {
    let named = |wanted: &str, have: &str| wanted.is_empty() || wanted == have;
    let labelled = |label| run.labels.as_deref().is_some_and(|labels| labels.contains(label));
    named(&selector.tenant, &run.job.tenant)
        && named(&selector.job, &run.job.name)
        && selector.label.as_ref().is_none_or(labelled)
}
