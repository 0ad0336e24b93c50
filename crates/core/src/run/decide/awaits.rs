//! Whether a node that needs other jobs may be released; see AW-1.

use crate::event::Event;
use crate::job::JobTable;
use crate::run::{Run, RunEvent};
use crate::values::Wall;

pub(crate) enum Needs {
    Met,
    /// From now on.
    Begin(Event),
    /// As before.
    Wait,
    /// For too long.
    Over(String),
}

/// What other jobs mean for a node that could run.
pub(crate) fn needs(jobs: &JobTable, run: &Run, node: u32, now: Wall) -> Needs {
    let mut unmet = run.unmet(node, jobs, now).peekable();
    if unmet.peek().is_none() {
        return Needs::Met;
    }
    let Some(since) = run.holds.get(&node) else {
        return Needs::Begin(Event::Run(RunEvent::JobAwaited { run: run.id, node }));
    };
    let over = unmet.find(|need| need.timeout.is_some_and(|timeout| now >= *since + timeout));
    over.map_or(Needs::Wait, |need| Needs::Over(format!("`{}` did not succeed in time", need.job)))
}
