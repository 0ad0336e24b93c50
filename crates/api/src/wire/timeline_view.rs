//! Where the time of a run went, as callers see it.

use mainspring_core::values::{NodeInstance, Wall};
use serde::Serialize;

use super::run_view::SeenRun;
use super::time::Moment;
use crate::timeline::{Span, SpentOn, TaskTimes, Timeline};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Timeline"))]
pub(crate) struct TimelineView<'a> {
    pub run_id: String,
    #[cfg_attr(test, schemars(schema_with = "super::schema::run_state"))]
    pub state: &'static str,
    /// What the times of spans count from
    pub created_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// When it was looked at: spans that go on end then
    pub at: Moment,
    /// Along the critical path, the longest first; how long a run waited to start is not in it
    pub totals: Vec<TimeSpent>,
    /// In the order in which they began
    pub tasks: Vec<TaskTimesView<'a>>,
    /// Other tasks have begun, too: the critical path and those that began first are here
    pub more: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TimeSpent {
    #[cfg_attr(test, schemars(extend("enum" = CAUSES)))]
    pub cause: &'static str,
    pub ms: u64,
}

/// A task of a run, when it waited and for what, and when it ran; a mapped task as a whole
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TaskTimes"))]
pub(crate) struct TaskTimesView<'a> {
    pub name: &'a str,
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_state"))]
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// It is on the chain of tasks that made the run take as long as it did
    pub critical: bool,
    /// They follow each other
    pub spans: Vec<SpanView<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TimeSpan"))]
pub(crate) struct SpanView<'a> {
    #[cfg_attr(test, schemars(extend("enum" = CAUSES)))]
    pub cause: &'static str,
    /// Milliseconds after the run was made
    pub from_ms: u64,
    pub to_ms: u64,
    /// The named limit that was full
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<&'a str>,
}

/// `upstream`: a task that it needs had not ended. `release`: it could have been released, but for the release rate, a pause or
/// another job. `queue`: no worker had room, or others went before. `limit`: a named limit was full. `retry_wait`: backoff.
/// `wait`: for a time, an event or an approval, or between attempts that are not kept.
#[cfg(test)]
const CAUSES: [&str; 7] = ["upstream", "release", "queue", "limit", "run", "retry_wait", "wait"];

impl<'a> TimelineView<'a> {
    pub(crate) fn of(seen: &'a SeenRun, timeline: &'a Timeline) -> Self {
        let run = &*seen.run;
        let at = |wall: Wall| (wall > Wall::ZERO).then_some(Moment(wall));
        let mut totals: Vec<TimeSpent> =
            timeline.totals.iter().map(|(on, ms)| spent(*on, ms.get())).collect();
        totals.sort_by_key(|spent| std::cmp::Reverse(spent.ms));
        Self {
            run_id: run.id.to_string(),
            state: run.status.label(),
            created_at: Moment(run.created),
            started_at: at(run.started),
            ended_at: at(run.ended),
            at: Moment(timeline.at),
            totals,
            tasks: timeline.tasks.iter().map(|times| of_task(seen, times)).collect(),
            more: timeline.more,
        }
    }
}

const fn spent(on: SpentOn, ms: u64) -> TimeSpent {
    TimeSpent { cause: on.label(), ms }
}

fn of_task<'a>(seen: &'a SeenRun, times: &'a TaskTimes) -> TaskTimesView<'a> {
    let run = &*seen.run;
    let after = |wall: Wall| wall.since(run.created).get();
    let span = |span: &'a Span| SpanView {
        cause: span.on.label(),
        from_ms: after(span.from),
        to_ms: after(span.to),
        limit: span.limit.as_deref(),
    };
    let has_task = Timeline::has_task(run, times.node);
    TaskTimesView {
        name: &run.plan.node(times.node).name,
        state: seen.state(times.node).label(),
        task_id: has_task.then(|| run.task_at(times.node, NodeInstance::WHOLE).to_string()),
        critical: times.is_critical,
        spans: times.spans.iter().map(span).collect(),
    }
}
