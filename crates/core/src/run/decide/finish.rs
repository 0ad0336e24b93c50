//! The end of a run: what must be undone is undone, then it ends as its nodes did.

use super::advance::render;
use crate::event::Event;
use crate::job::NodeWork;
use crate::run::{Evaluate, Run, RunEnded, RunEvent, RunStop, Scope, UNDO_SKIPPED};
use crate::values::{NodeInstance, RunStatus};

/// Every node has ended, and nothing is out.
pub(crate) fn finish(run: &Run, evaluate: &dyn Evaluate) -> Event {
    let has_failed = match run.forced {
        Some(forced) => forced != RunStatus::Succeeded,
        None => run.failed > 0 && run.plan.policy.fails_run() || run.stop.is_some(),
    };
    let left = run.undo.len() - run.undone as usize;
    if has_failed && left > 0 {
        return undo(run, run.undo[left - 1], evaluate);
    }
    let mut ended = RunEnded {
        id: run.id,
        status: match (run.forced, run.stop) {
            (Some(forced), _) => forced,
            (None, Some(RunStop::Cancel)) => RunStatus::Cancelled,
            (None, _) if has_failed => RunStatus::Failed,
            (None, _) => RunStatus::Succeeded,
        },
        output: None,
        why: None,
    };
    if run.stop == Some(RunStop::Timeout) {
        ended.why = Some("it took longer than its timeout".into());
    }
    if ended.status == RunStatus::Succeeded
        && let Some(outputs) = &run.plan.outputs
    {
        match evaluate.value(outputs, &Scope::of_run(run)) {
            Ok(output) => ended.output = Some(output),
            Err(why) => {
                ended.status = RunStatus::Failed;
                ended.why = Some(format!("outputs: {why}").into());
            }
        }
    }
    Event::Run(RunEvent::RunEnded(Box::new(ended)))
}

fn undo(run: &Run, node: u32, evaluate: &dyn Evaluate) -> Event {
    let skipped = |why: String| {
        Event::Run(RunEvent::UndoSkipped { run: run.id, node, why: format!("{UNDO_SKIPPED}{why}").into() })
    };
    let Some(NodeWork::Task(work)) = &run.plan.node(node).undo else {
        return skipped("only a task can undo".to_owned());
    };
    let scope = || Scope::of_node(run, node);
    match render(work.templated, &work.payload, &work.profile.executor, evaluate, scope) {
        Ok(payload) => {
            let place = run.place(node, NodeInstance::UNDO);
            Event::TaskSpawned { run: run.id, place, due: None, payload, permits: None }
        }
        Err(why) => skipped(why),
    }
}
