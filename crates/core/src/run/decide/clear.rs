//! Clearing: nodes of a run and everything that follows from them run again; all other results stay.

use super::RunAnswer;
use super::stop::cancel_event;
use super::trigger::check_room;
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::job::{NodeWork, Plan};
use crate::run::{Added, NodeStatus, Run, RunCleared, RunEvent, RunRefusal};
use crate::task::decide::cancel::event_for;
use crate::values::{Actor, Name, NodeInstance, RunId, RunStatus};

#[derive(Clone, PartialEq, Debug)]
pub struct Clear {
    pub id: RunId,
    /// Empty: everything that failed.
    pub nodes: Vec<Name>,
    pub over: Actor,
    /// The run as history has it, when it had left memory.
    pub fact: Option<Box<Run>>,
}

pub(crate) fn decide(view: &View<'_>, clear: Clear, out: &mut Out<'_>) -> Result<RunAnswer, Rejection> {
    let in_memory = view.state.job_runs().run(clear.id);
    let run = in_memory.or(clear.fact.as_deref());
    let run = run.ok_or(RunRefusal::RunNotFound { id: clear.id })?;
    if run.status == RunStatus::Queued {
        return Err(RunRefusal::RunNotEnded { id: run.id, status: run.status }.into());
    }
    check_parent(view, run)?;
    if in_memory.is_none() {
        check_room(view)?;
    }
    let mut roots = roots(run, &clear.nodes)?;
    // What was undone, or is being undone, cannot be built upon.
    if run.undone > 0 || run.unfinished == 0 && !run.status.is_ended() {
        roots.extend(&run.undo);
    }
    let nodes = followers(&run.plan, run.additions(), &roots);
    for node in &nodes {
        stop_node(view, run, *node, out);
    }
    let (id, over) = (clear.id, clear.over);
    // An ended run may leave memory any time, and rows of ended runs are not loaded: the event speaks for it.
    let ended = run.status.is_ended().then(|| Box::new(run.clone()));
    let status = if ended.is_some() { RunStatus::Queued } else { run.status };
    out.push(Event::Run(RunEvent::RunCleared(Box::new(RunCleared { id, nodes, over, ended }))));
    Ok(RunAnswer::Run { id, status })
}

/// A run that a node of another has started gave its result to that one, which may have built on it.
fn check_parent(view: &View<'_>, run: &Run) -> Result<(), Rejection> {
    let parent = run.origin.parent.filter(|_| run.status.is_ended());
    match parent.and_then(|origin| view.state.job_runs().run(origin.run)) {
        Some(parent) if !parent.status.is_ended() => {
            Err(RunRefusal::RunNotEnded { id: parent.id, status: parent.status }.into())
        }
        Some(_) | None => Ok(()),
    }
}

fn roots(run: &Run, names: &[Name]) -> Result<Vec<u32>, Rejection> {
    if names.is_empty() {
        return Ok(failed(run));
    }
    let find = |name: &Name| {
        run.find(name).ok_or_else(|| RunRefusal::NoSuchNode { run: run.id, name: name.clone() }.into())
    };
    names.iter().map(find).collect()
}

/// Nodes that did not end well by themselves.
pub(crate) fn failed(run: &Run) -> Vec<u32> {
    let bad =
        |status| matches!(status, NodeStatus::Failed | NodeStatus::UpstreamFailed | NodeStatus::Cancelled);
    (0..run.plan.len()).filter(|node| bad(run.node(*node).status)).collect()
}

/// These nodes, all that need them, near or far, and all that they have added; ascending.
pub(crate) fn followers(plan: &Plan, additions: &[Added], roots: &[u32]) -> Vec<u32> {
    let mut taken = vec![false; plan.len() as usize];
    let mut open: Vec<u32> = roots.to_vec();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut taken[node as usize], true) {
            open.extend_from_slice(plan.children(node));
            let of_node = additions.iter().filter(|added| added.by == node && !added.removed);
            open.extend(of_node.flat_map(Added::nodes));
        }
    }
    (0..plan.len()).filter(|node| taken[*node as usize]).collect()
}

/// What is out of a node that is cleared must not go on beside its successor.
fn stop_node(view: &View<'_>, run: &Run, node: u32, out: &mut Out<'_>) {
    let undo = view.state.tasks().by_id(run.task_at(node, NodeInstance::UNDO));
    out.extend(undo.and_then(|task| event_for(task, true).ok().flatten()));
    if run.node(node).status != NodeStatus::Out {
        return;
    }
    let items = run.groups.get(&node).map_or(0..0, |group| 0..group.released);
    for index in items.chain([NodeInstance::WHOLE]) {
        match &run.plan.node(node).work {
            NodeWork::Task(_) => {
                let task = view.state.tasks().by_id(run.task_at(node, index));
                out.extend(task.and_then(|task| event_for(task, true).ok().flatten()));
            }
            NodeWork::Run { .. } => {
                let child = view.state.job_runs().run(run.id.child(run.place(node, index)));
                out.extend(child.and_then(cancel_event).map(Event::Run));
            }
        }
    }
}
