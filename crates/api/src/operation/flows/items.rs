//! Items of a mapped task: a page by state, each with its value and, if it failed, why.
//! - OI-1 a page looks at no more than [`LOOKS_MAX`] items; one that is short says where the next goes on

use mainspring_core::engine::question::{ItemRange, Question};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::NodeWork;
use mainspring_core::run::{Evaluate, MapItems, NodeStatus, Run, RunRefusal, Scope};
use mainspring_core::task::{Status, Task};
use mainspring_core::values::{Name, RunId};
use mainspring_definition::Evaluator;

use super::filter::page_length;
use super::{run, unexpected};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{ItemPage, ItemRow, LastErrorView, name};

/// Items looked at for one page, and how many of them are asked for at once.
const LOOKS_MAX: u32 = 20_000;
const AT_ONCE: u32 = 1_000;

/// Which items a list holds, as callers write it.
pub(crate) struct ItemFilter<'a> {
    /// None of them: all.
    pub states: Vec<Status>,
    pub limit: Option<usize>,
    pub cursor: Option<&'a str>,
}

pub(crate) async fn items(
    edge: &Edge,
    id: RunId,
    task: &str,
    filter: &ItemFilter<'_>,
) -> Result<ItemPage, Problem> {
    let task = name("task", task)?;
    let limit = page_length(filter.limit)?;
    let from = filter.cursor.map(str::parse).transpose();
    let from: u32 = from.map_err(|_| Problem::query("cursor", "not one that an answer gave"))?.unwrap_or(0);
    let run = run(edge, id).await?;
    let node = find(&run, &task)?;
    let Some(group) = run.groups.get(&node) else { return Ok(ItemPage::default()) };
    let found = chosen(edge, (&run, node), group, &filter.states, (from, limit)).await?;
    let evaluator = Evaluator::default();
    let count = group.count();
    let mut page = ItemPage {
        items: Vec::new(),
        count,
        looked_at: found.next.unwrap_or(count) - from.min(count),
        next_cursor: found.next.map(|next| next.to_string()),
    };
    for (index, state) in found.items {
        let mut row = row(&run, node, index, state, &evaluator);
        if matches!(state, Status::Failed | Status::Cancelled) {
            explain(edge, &mut row).await?;
        }
        page.items.push(row);
    }
    Ok(page)
}

fn find(run: &Run, task: &Name) -> Result<u32, Problem> {
    let refusal = || RunRefusal::NoSuchNode { run: run.id, name: task.clone() }.into();
    run.find(task).ok_or_else(|| Problem::Rejected(refusal()))
}

/// Items in wanted states, and where the next page begins.
struct Chosen {
    items: Vec<(u32, Status)>,
    next: Option<u32>,
}

async fn chosen(
    edge: &Edge,
    (run, node): (&Run, u32),
    group: &MapItems,
    states: &[Status],
    (from, limit): (u32, usize),
) -> Result<Chosen, Problem> {
    let (count, end) = (group.count(), from.saturating_add(LOOKS_MAX));
    let mut items = Vec::new();
    let mut at = from;
    while at < count.min(end) {
        let range = ItemRange { node, from: at, count: AT_ONCE };
        let question = Question::Released { run: run.id, items: Some(range) };
        let Answer::Released(out) = edge.gateway.ask(run.id, Command::Ask(question)).await? else {
            return Err(unexpected());
        };
        for index in at..at.saturating_add(AT_ONCE).min(count) {
            if items.len() >= limit {
                return Ok(Chosen { items, next: Some(index) });
            }
            let live = out.states.binary_search_by_key(&index, |(index, _)| *index).ok();
            let live = live.map(|found| out.states[found].1);
            let state = group.items[index as usize].state(live);
            if states.is_empty() || states.contains(&state) {
                items.push((index, state));
            }
        }
        at = at.saturating_add(AT_ONCE);
    }
    Ok(Chosen { items, next: (at < count).then_some(at) })
}

fn row(run: &Run, node: u32, index: u32, state: Status, evaluator: &Evaluator) -> ItemRow {
    let place = run.place(node, index);
    let released = run.groups[&node].items[index as usize] != NodeStatus::Waiting;
    let is_run = matches!(run.plan.node(node).work, NodeWork::Run { .. });
    let value = evaluator.value(&"item".into(), &Scope::of_item(run, node, index));
    ItemRow {
        index,
        state: state.label(),
        task_id: (released && !is_run).then(|| run.id.task(place).to_string()),
        run_id: (released && is_run).then(|| run.id.child(place).to_string()),
        // What the list was made of may be gone; the item is shown without its value.
        value: value.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()),
        error: None,
    }
}

/// Why it failed; an item that was given up before it began has no task.
async fn explain(edge: &Edge, row: &mut ItemRow) -> Result<(), Problem> {
    let Some(id) = row.task_id.as_deref().and_then(|text| operation::task_id(text).ok()) else {
        return Ok(());
    };
    match operation::find(edge, id).await? {
        Some(task) => row.error = last_error(&task),
        None => row.task_id = None,
    }
    Ok(())
}

fn last_error(task: &Task) -> Option<LastErrorView> {
    task.failures().last().map(|attempt| (&attempt.failure).into())
}
