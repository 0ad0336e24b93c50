//! Stopping what a run has out, in bounded steps.

use super::advance::ended;
use crate::decision::Out;
use crate::event::Event;
use crate::job::NodeWork;
use crate::run::{NodeStatus, Run, RunEnded, RunEvent, RunLists, RunStop};
use crate::state::State;
use crate::task::decide::cancel::event_for;
use crate::values::{NodeInstance, RunStatus};

/// Places looked at in one step.
const STEP_PLACES_MAX: u32 = 500;

/// The next part of the walk over a run that must stop; may be empty although the walk goes on.
pub(crate) fn stop_step(state: &State, run: &Run, lists: &mut RunLists, out: &mut Out<'_>) {
    let (mut node, mut item) = lists.stop_cursor.unwrap_or_default();
    let mut relist = Vec::new();
    for _ in 0..STEP_PLACES_MAX {
        if node >= run.plan.len() {
            break;
        }
        match run.node(node).status {
            NodeStatus::Waiting if run.stop == Some(RunStop::Failed) => relist.push(node),
            // Its work is done, and nothing is added any more.
            NodeStatus::Judged if run.plan.node(node).spawns.is_some() => relist.push(node),
            NodeStatus::Waiting | NodeStatus::Judged => {
                out.push(ended(run, node, NodeStatus::Cancelled, None));
            }
            // It may have stood in the list that was dropped when the run began to stop.
            NodeStatus::Out if spared(run, node) => relist.push(node),
            NodeStatus::Out => match run.groups.get(&node) {
                None => out.extend(stop_place(state, run, node, NodeInstance::WHOLE)),
                Some(group) => {
                    if item == 0 && group.has_unreleased() {
                        out.push(Event::Run(RunEvent::MapCut { run: run.id, node, why: None }));
                    }
                    if group.items.get(item as usize) == Some(&NodeStatus::Out) {
                        out.extend(stop_place(state, run, node, item));
                    }
                    if item + 1 < group.released {
                        item += 1;
                        continue;
                    }
                }
            },
            NodeStatus::Succeeded
            | NodeStatus::Failed
            | NodeStatus::UpstreamFailed
            | NodeStatus::Skipped
            | NodeStatus::Cancelled => {}
        }
        (node, item) = (node + 1, 0);
    }
    lists.stop_cursor = (node < run.plan.len()).then_some((node, item));
    for node in relist.into_iter().filter(|node| run.wants_look(*node)) {
        lists.list(node);
    }
}

/// `None`: it has ended, or is being stopped already.
pub(crate) fn cancel_event(run: &Run) -> Option<RunEvent> {
    let id = run.id;
    match run.status {
        RunStatus::Queued => Some(RunEvent::RunEnded(Box::new(RunEnded {
            id,
            status: RunStatus::Cancelled,
            output: None,
            why: None,
        }))),
        RunStatus::Running => {
            let asked = matches!(run.stop, Some(RunStop::Cancel));
            (!asked).then_some(RunEvent::RunStopping { id, stop: RunStop::Cancel })
        }
        RunStatus::Succeeded | RunStatus::Failed | RunStatus::Cancelled => None,
    }
}

/// Work that answers to a failure goes on in a run that has failed.
fn spared(run: &Run, node: u32) -> bool {
    run.stop == Some(RunStop::Failed) && run.plan.node(node).rule.answers_failure()
}

fn stop_place(state: &State, run: &Run, node: u32, index: u32) -> Option<Event> {
    match &run.plan.node(node).work {
        NodeWork::Task(_) => {
            let task = state.tasks.by_id(run.task_at(node, index))?;
            event_for(task, true).ok().flatten()
        }
        NodeWork::Run { .. } => {
            let child = state.job_runs.run(run.id.child(run.place(node, index)))?;
            cancel_event(child).map(Event::Run)
        }
    }
}
