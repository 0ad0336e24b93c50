//! Clearing: nodes of a run, or items of them, and everything that follows from them run again; all other results stay.

use super::RunAnswer;
use super::stop::cancel_event;
use super::trigger::check_room;
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::job::{NodeWork, Plan};
use crate::run::{Added, ItemsCleared, NodeStatus, Run, RunCleared, RunEvent, RunRefusal};
use crate::task::decide::cancel::event_for;
use crate::values::{Actor, Name, NodeInstance, RunId, RunStatus, Wall};

#[derive(Clone, PartialEq, Debug)]
pub struct Clear {
    pub id: RunId,
    /// Empty: everything that failed.
    pub nodes: Vec<Name>,
    pub items: ClearItems,
    pub over: Actor,
    /// The run as history has it, when it had left memory.
    pub fact: Option<Box<Run>>,
}

/// Which items of mapped nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ClearItems {
    /// The whole node: its list is made anew.
    #[default]
    All,
    /// Those that did not end well, of nodes that were named or failed. Nodes without items: if they failed.
    Failed,
    /// Of the one node that was named.
    Named(Vec<u32>),
}

pub(crate) fn decide(view: &View<'_>, clear: Clear, out: &mut Out<'_>) -> Result<RunAnswer, Rejection> {
    let in_memory = view.state.job_runs().run(clear.id);
    let run = in_memory.or(clear.fact.as_deref());
    let run = run.ok_or(RunRefusal::RunNotFound { id: clear.id })?;
    // One that was opened again, and has no place yet, can be cleared further.
    if run.status == RunStatus::Queued && run.started == Wall::ZERO {
        return Err(RunRefusal::RunNotEnded { id: run.id, status: run.status }.into());
    }
    check_parent(view, run)?;
    if in_memory.is_none() {
        check_room(view)?;
    }
    let (nodes, items) = close(run, roots(run, &clear)?);
    for node in &nodes {
        stop_node(view, run, *node, out);
    }
    for items in items.iter().filter(|_| !view.breaks.cleared_item_goes_on) {
        stop_undo(view, run, items.node, out);
        items.items.iter().for_each(|item| stop_place(view, run, items.node, *item, out));
    }
    let (id, over) = (clear.id, clear.over);
    // An ended run may leave memory any time, and rows of ended runs are not loaded: the event speaks for it.
    let ended = run.status.is_ended().then(|| Box::new(run.clone()));
    let status = if ended.is_some() { RunStatus::Queued } else { run.status };
    out.push(Event::Run(RunEvent::RunCleared(Box::new(RunCleared { id, nodes, items, over, ended }))));
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

/// What was asked for: whole nodes, and items of others.
type Roots = (Vec<u32>, Vec<ItemsCleared>);

fn roots(run: &Run, clear: &Clear) -> Result<Roots, Rejection> {
    let find = |name: &Name| {
        run.find(name).ok_or_else(|| RunRefusal::NoSuchNode { run: run.id, name: name.clone() }.into())
    };
    let named = clear.nodes.iter().map(find).collect::<Result<Vec<u32>, Rejection>>()?;
    match &clear.items {
        ClearItems::All if named.is_empty() => match failed(run) {
            none if none.is_empty() => Err(RunRefusal::NothingFailed { run: run.id }.into()),
            nodes => Ok((nodes, Vec::new())),
        },
        ClearItems::All => Ok((named, Vec::new())),
        ClearItems::Failed => {
            let (whole, items) = failed_of(run, if named.is_empty() { failed(run) } else { named });
            if whole.is_empty() && items.is_empty() {
                return Err(RunRefusal::NothingFailed { run: run.id }.into());
            }
            Ok((whole, items))
        }
        ClearItems::Named(items) => {
            let mut found = Vec::with_capacity(named.len());
            for node in named {
                found.push(named_items(run, node, items.clone())?);
            }
            Ok((Vec::new(), found))
        }
    }
}

/// Of each of these nodes, what failed.
fn failed_of(run: &Run, mut nodes: Vec<u32>) -> Roots {
    nodes.sort_unstable();
    nodes.dedup();
    let (mut whole, mut found) = (Vec::new(), Vec::new());
    for node in nodes {
        match run.groups.get(&node) {
            None if is_bad(run.node(node).status) => whole.push(node),
            None => {}
            Some(group) => {
                let items = group.bad();
                found.extend((!items.is_empty()).then_some(ItemsCleared { node, items }));
            }
        }
    }
    (whole, found)
}

fn named_items(run: &Run, node: u32, mut items: Vec<u32>) -> Result<ItemsCleared, Rejection> {
    let name = || run.plan.node(node).name.clone();
    let group = run.groups.get(&node).filter(|_| !items.is_empty());
    let group = group.ok_or_else(|| RunRefusal::NoItems { run: run.id, name: name() })?;
    let count = group.count();
    if let Some(item) = items.iter().copied().find(|item| *item >= count) {
        return Err(RunRefusal::NoSuchItem { run: run.id, name: name(), item, count }.into());
    }
    items.sort_unstable();
    items.dedup();
    Ok(ItemsCleared { node, items })
}

/// With all that follows. Items of a node that runs again as a whole do so with it.
fn close(run: &Run, (mut whole, mut items): Roots) -> Roots {
    // What was undone, or is being undone, cannot be built upon.
    if run.undone > 0 || run.unfinished == 0 && !run.status.is_ended() {
        whole.extend(&run.undo);
    }
    whole.extend(items.iter().flat_map(|items| run.plan.children(items.node)));
    let nodes = followers(&run.plan, run.additions(), &whole);
    items.retain(|items| nodes.binary_search(&items.node).is_err());
    (nodes, items)
}

/// Nodes that did not end well by themselves.
pub(crate) fn failed(run: &Run) -> Vec<u32> {
    (0..run.plan.len()).filter(|node| is_bad(run.node(*node).status)).collect()
}

fn is_bad(status: NodeStatus) -> bool {
    matches!(status, NodeStatus::Failed | NodeStatus::UpstreamFailed | NodeStatus::Cancelled)
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
    stop_undo(view, run, node, out);
    if run.node(node).status != NodeStatus::Out {
        return;
    }
    let items = run.groups.get(&node).map_or(0..0, |group| 0..group.released);
    for index in items.chain([NodeInstance::WHOLE]) {
        stop_place(view, run, node, index, out);
    }
}

fn stop_undo(view: &View<'_>, run: &Run, node: u32, out: &mut Out<'_>) {
    let undo = view.state.tasks().by_id(run.task_at(node, NodeInstance::UNDO));
    out.extend(undo.and_then(|task| event_for(task, true).ok().flatten()));
}

fn stop_place(view: &View<'_>, run: &Run, node: u32, index: u32, out: &mut Out<'_>) {
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
