//! Pictures of jobs and runs for a screen: columns instead of rows, so that ten thousand tasks are a short answer.

use mainspring_core::job::{NodeWork, Plan};
use mainspring_core::task::Status;
use serde::Serialize;

use super::run_view::SeenRun;
use super::time::Moment;
use crate::layout::Drawing;

/// The graph of a job or a run, with where each task is drawn
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Graph"))]
pub(crate) struct GraphView<'a> {
    /// Of each task; the other lists have the same order
    pub names: Vec<&'a str>,
    /// Pairs, one behind the other: the second task of a pair needs the first
    pub edges: Vec<u32>,
    /// The column of each task
    pub layer: Vec<u32>,
    /// Hundredths of a row from the top, of the middle of each task
    pub y: Vec<u32>,
    pub layers: u32,
    /// Hundredths of a row
    pub height: u32,
    /// For each edge the heights at which it passes the layers between its ends, edge by edge
    pub bends: Vec<u32>,
    /// There are too many edges for `bends`, which is empty then
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub straight: bool,
    /// Tasks with an item for each of a list
    pub mapped: Vec<u32>,
    /// Tasks that are runs of other jobs
    pub runs: Vec<u32>,
}

impl<'a> GraphView<'a> {
    pub(crate) fn of(plan: &'a Plan, edges: &[(u32, u32)], drawing: &Drawing) -> Self {
        let nodes = || (0..plan.len()).map(|node| plan.node(node));
        let hundredths = |rows: &f32| (rows * 100.0).round().max(0.0) as u32;
        let places = |wanted: &dyn Fn(u32) -> bool| (0..plan.len()).filter(|node| wanted(*node)).collect();
        Self {
            names: nodes().map(|node| node.name.as_str()).collect(),
            edges: edges.iter().flat_map(|(from, to)| [*from, *to]).collect(),
            layer: drawing.layer.clone(),
            y: drawing.y.iter().map(hundredths).collect(),
            layers: drawing.layers,
            height: hundredths(&drawing.rows),
            bends: drawing.bends.iter().map(hundredths).collect(),
            straight: drawing.straight,
            mapped: places(&|node| plan.node(node).each.is_some()),
            runs: places(&|node| matches!(plan.node(node).work, NodeWork::Run { .. })),
        }
    }
}

/// In which states the tasks of a run are, and since when
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RunStates"))]
pub(crate) struct StatesView {
    pub run_id: String,
    #[cfg_attr(test, schemars(schema_with = "super::schema::run_state"))]
    pub state: &'static str,
    pub created_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// A letter for each task, in the order of the graph: `p`ending, `q`ueued, `a`ssigned, `r`unning, retry `w`ait,
    /// `d`eferred, `s`ucceeded, `f`ailed, `c`ancelled, s`k`ipped, `u`pstream failed, `x` quarantined
    pub states: String,
    /// Milliseconds from the creation of the run to the start of each task; -1 if it has none
    pub started: Vec<i64>,
    /// The same for its end
    pub ended: Vec<i64>,
    pub items: Vec<ItemCountsView>,
}

/// Items of a mapped task
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ItemCounts"))]
pub(crate) struct ItemCountsView {
    /// Its place in the graph
    pub task: u32,
    pub count: u32,
    pub live: u32,
    pub succeeded: u32,
    pub failed: u32,
}

impl StatesView {
    pub(crate) fn of(seen: &SeenRun) -> Self {
        let run = &*seen.run;
        let after = |at: Option<u32>| at.map_or(-1, i64::from);
        Self {
            run_id: run.id.to_string(),
            state: run.status.label(),
            created_at: Moment(run.created),
            ended_at: run.status.is_ended().then_some(Moment(run.ended)),
            states: letters(seen),
            started: (0..run.plan.len()).map(|node| after(seen.started(node))).collect(),
            ended: (0..run.plan.len()).map(|node| after(seen.ended(node))).collect(),
            items: run
                .groups
                .iter()
                .map(|(task, group)| ItemCountsView {
                    task: *task,
                    count: group.count(),
                    live: group.live,
                    succeeded: group.succeeded,
                    failed: group.failed,
                })
                .collect(),
        }
    }
}

/// The newest runs of a job against its tasks
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Grid"))]
pub(crate) struct GridView<'a> {
    /// Of all these runs; those of the newest run first, in its order
    pub tasks: Vec<&'a str>,
    /// The oldest first
    pub runs: Vec<GridRunView>,
}

impl<'a> GridView<'a> {
    pub(crate) fn of(tasks: &'a [String], runs: &[(SeenRun, Vec<u32>)]) -> Self {
        Self {
            tasks: tasks.iter().map(String::as_str).collect(),
            runs: runs.iter().map(|(seen, places)| GridRunView::of(seen, places, tasks.len())).collect(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "GridRun"))]
pub(crate) struct GridRunView {
    pub run_id: String,
    pub version: u32,
    #[cfg_attr(test, schemars(schema_with = "super::schema::run_state"))]
    pub state: &'static str,
    pub created_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// A letter for each task, as in the states of a run; a dot for one that the run does not have
    pub states: String,
}

impl GridRunView {
    /// `places`: of each task of the run, in the list of all tasks, which has `count`.
    pub(crate) fn of(seen: &SeenRun, places: &[u32], count: usize) -> Self {
        let run = &*seen.run;
        let mut states = vec![b'.'; count];
        for (node, place) in places.iter().enumerate() {
            states[*place as usize] = letter(seen.state(node as u32));
        }
        let at = |wall| Some(Moment(wall)).filter(|moment| moment.0 > mainspring_core::values::Wall::ZERO);
        Self {
            run_id: run.id.to_string(),
            version: run.version,
            state: run.status.label(),
            created_at: Moment(run.created),
            started_at: at(run.started),
            ended_at: at(run.ended),
            states: states.into_iter().map(char::from).collect(),
        }
    }
}

fn letters(seen: &SeenRun) -> String {
    (0..seen.run.plan.len()).map(|node| char::from(letter(seen.state(node)))).collect()
}

const fn letter(status: Status) -> u8 {
    match status {
        Status::Pending => b'p',
        Status::Queued => b'q',
        Status::Assigned => b'a',
        Status::Running => b'r',
        Status::RetryWait => b'w',
        Status::Deferred => b'd',
        Status::Succeeded => b's',
        Status::Failed => b'f',
        Status::Cancelled => b'c',
        Status::Skipped => b'k',
        Status::UpstreamFailed => b'u',
        Status::Quarantined => b'x',
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_state_has_a_letter_of_its_own() {
        let letters: BTreeSet<u8> = Status::ALL.into_iter().map(letter).collect();
        assert_eq!(letters.len(), Status::ALL.len());
        assert!(!letters.contains(&b'.'));
    }
}
