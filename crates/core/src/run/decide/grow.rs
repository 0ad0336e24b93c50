//! A node that has succeeded gives its run new tasks; see GR-2.

use super::advance::{ended, failed};
use crate::event::Event;
use crate::run::{ADDED_MAX, ADDITIONS_MAX, Evaluate, NodeStatus, Run, RunEvent, Scope, TasksAdded};
use crate::values::NodeInstance;

/// The work of a node is done that may give its run new tasks. Without an output it gives none: an operator has said
/// that it succeeded, or it had nothing to say.
pub(crate) fn add_tasks(run: &Run, node: u32, evaluate: &dyn Evaluate) -> Event {
    let source = run.plan.node(node).spawns.as_ref().filter(|_| run.stop.is_none());
    let (Some(source), true) = (source, run.outputs.contains_key(&(node, NodeInstance::WHOLE))) else {
        return ended(run, node, NodeStatus::Succeeded, None);
    };
    let held = run.plan.len() - run.base().len();
    match evaluate.tasks(source, &Scope::of_node(run, node)) {
        Err(why) => failed(run, node, "spawns", &why),
        Ok(nodes) if nodes.is_empty() => ended(run, node, NodeStatus::Succeeded, None),
        Ok(nodes) if nodes.len() as u64 + u64::from(held) > u64::from(ADDED_MAX) => {
            let why = format!(
                "{} tasks are more than a run may be given, {ADDED_MAX} in all; it has {held}",
                nodes.len()
            );
            failed(run, node, "spawns", &why)
        }
        Ok(_) if run.additions().len() >= ADDITIONS_MAX => {
            failed(run, node, "spawns", &format!("tasks were added to the run {ADDITIONS_MAX} times already"))
        }
        Ok(nodes) => Event::Run(RunEvent::TasksAdded(Box::new(TasksAdded { run: run.id, node, nodes }))),
    }
}
