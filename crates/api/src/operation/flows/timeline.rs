//! Where the time of a run went: for each task when it waited, for what, and when it ran.

use std::collections::BTreeMap;

use mainspring_core::task::Task;
use mainspring_core::values::{NodeInstance, RunId};

use super::runs::seen_run;
use crate::edge::Edge;
use crate::gateway::now;
use crate::operation;
use crate::problem::Problem;
use crate::timeline::{TASKS_MAX, Timeline};
use crate::wire::SeenRun;

pub(crate) struct TimelineOfRun {
    pub seen: SeenRun,
    pub timeline: Timeline,
}

pub(crate) async fn timeline(edge: &Edge, id: RunId) -> Result<TimelineOfRun, Problem> {
    let seen = seen_run(edge, id).await?;
    let chosen = Timeline::chosen(&seen, TASKS_MAX);
    let mut tasks: BTreeMap<u32, Task> = BTreeMap::new();
    for node in &chosen.nodes {
        if !Timeline::has_task(&seen.run, *node) {
            continue;
        }
        let task = seen.run.task_at(*node, NodeInstance::WHOLE);
        if let Some(task) = operation::find_whole(edge, task).await? {
            tasks.insert(*node, *task);
        }
    }
    let timeline = Timeline::of(&seen, chosen, &tasks, now());
    Ok(TimelineOfRun { seen, timeline })
}
