//! Tasks of one run, in the order of its plan: found by their ids, which follow from their places.
//! - OT-1 a page reads no more than [`READS_MAX`] tasks; one that is short says where the next goes on

use std::sync::Arc;

use mainspring_core::job::NodeWork;
use mainspring_core::run::{NodeStatus, Run};
use mainspring_core::task::Task;
use mainspring_core::values::{NodeInstance, RunId, TaskId};
use mainspring_definition::{masked_run, masked_task};

use super::filter::page_length;
use super::items::ItemFilter;
use super::{run, whole_run};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

/// Tasks read for one page.
const READS_MAX: usize = 2_000;

pub(crate) struct TasksOfRun {
    pub run: Arc<Run>,
    pub tasks: Vec<Task>,
    pub next_cursor: Option<String>,
}

/// The run that a task belongs to, if it is still there.
pub(crate) async fn run_of(edge: &Edge, task: &Task) -> Option<Arc<Run>> {
    run(edge, task.in_run.as_ref()?.run).await.ok()
}

pub(crate) async fn tasks_of_run(
    edge: &Edge,
    id: RunId,
    filter: &ItemFilter<'_>,
) -> Result<TasksOfRun, Problem> {
    let limit = page_length(filter.limit)?;
    let from = filter.cursor.map(str::parse).transpose();
    let from: usize = from.map_err(|_| Problem::query("cursor", "not one that an answer gave"))?.unwrap_or(0);
    let run = whole_run(edge, id).await?;
    let (mut tasks, mut next_cursor) = (Vec::new(), None);
    for (reads, (at, task)) in places(&run).enumerate().skip(from).enumerate() {
        if tasks.len() >= limit || reads >= READS_MAX {
            next_cursor = Some(at.to_string());
            break;
        }
        let Some(mut task) = operation::find_whole(edge, task).await? else { continue };
        masked_task(&mut task, Some(&run));
        if filter.states.is_empty() || filter.states.contains(&task.status()) {
            tasks.push(*task);
        }
    }
    Ok(TasksOfRun { run: masked_run(run), tasks, next_cursor })
}

/// The ids that tasks of the run have, as far as they were released; a place that was given up before has none. Runs that
/// it started are no tasks, and what it took over from an earlier run is listed with that one.
fn places(run: &Run) -> impl Iterator<Item = TaskId> + '_ {
    (0..run.plan.len()).flat_map(move |node| {
        let (status, group) = (run.node(node).status, run.groups.get(&node));
        let is_task = matches!(run.plan.node(node).work, NodeWork::Task(_));
        let own = is_task && run.reused.binary_search(&node).is_err();
        let items = group.filter(|_| own).map_or(0..0, |group| 0..group.released);
        let again = group.filter(|_| is_task && !own).map(|group| group.turns.keys().copied());
        let begun = !matches!(status, NodeStatus::Waiting | NodeStatus::Skipped | NodeStatus::UpstreamFailed);
        let whole = (own && begun && group.is_none()).then_some(NodeInstance::WHOLE);
        items
            .chain(again.into_iter().flatten())
            .chain(whole)
            .map(move |index| run.task_at(node, index))
            .chain(run.undo_task(node))
    })
}
