//! A run as callers see it, with a page of its tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::engine::question::Released;
use mainspring_core::job::NodeWork;
use mainspring_core::run::{MapItems, NodeState, NodeStatus, Pause, Run, RunStop};
use mainspring_core::task::Status;
use mainspring_core::values::{Actor, Millis, NodeInstance, Note, Wall};
use serde::Serialize;
use serde_json::value::RawValue;

use super::approval_view::ApprovalView;
use super::job_view::raw;
use super::time::Moment;
use super::trigger_view::CauseView;
use super::window_view::WindowView;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Run"))]
pub(crate) struct RunView<'a> {
    pub run_id: String,
    pub tenant: &'a str,
    pub job: &'a str,
    /// Of the job, by its newest definition; not in lists
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    pub version: u32,
    #[cfg_attr(test, schemars(schema_with = "super::schema::run_state"))]
    pub state: &'static str,
    #[cfg_attr(test, schemars(schema_with = "super::schema::started_by"))]
    pub trigger: &'static str,
    /// Of the schedule that began it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowView<'a>>,
    /// The instant for which it exists: that of its window, or the one that was given when it was triggered
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical_time: Option<Moment>,
    /// What began it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<CauseView<'a>>,
    pub created_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopping: Option<&'static str>,
    /// `approval`: a task of it waits for the word of a person; see `approvals`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::run_waits_for"))]
    pub waits_for: Option<&'static str>,
    /// What the watchdog has to say
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::marks"))]
    pub marks: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<&'a str, &'a str>,
    /// Tasks by state
    pub counts: BTreeMap<&'static str, u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::object"))]
    pub parameters: Option<&'a RawValue>,
    /// What the job's `outputs` gave
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::any"))]
    pub output: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteView<'a>>,
    /// Tasks that wait for approval, at most 200; of one run also what was decided
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<ApprovalView<'a>>,
    pub tasks_total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<NodeView<'a>>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Note"))]
pub(crate) struct NoteView<'a> {
    pub at: Moment,
    pub actor: &'a str,
    pub reason: &'a str,
    pub what: &'a str,
}

impl<'a> From<&'a Note> for NoteView<'a> {
    fn from(note: &'a Note) -> Self {
        let Actor { actor, reason } = &note.over;
        Self { at: Moment(note.at), actor, reason, what: &note.what }
    }
}

/// A task of the run; without a task id it has not been released.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RunTask"))]
pub(crate) struct NodeView<'a> {
    pub name: &'a str,
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_state"))]
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    pub needs: Vec<&'a str>,
    /// The task that gave it to the run
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_by: Option<&'a str>,
    /// Other jobs that it cannot begin without
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for_jobs: Vec<JobWaitView<'a>>,
    pub trigger_rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// How often it was cleared or repeated.
    #[serde(skip_serializing_if = "is_zero")]
    pub turn: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<ItemsView>,
    /// The task that undoes or undid it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo_task_id: Option<String>,
}

/// Another job that a task cannot begin without.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "JobWait"))]
pub(crate) struct JobWaitView<'a> {
    pub job: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
    pub since: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<Moment>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Items"))]
pub(crate) struct ItemsView {
    pub count: u32,
    pub released: u32,
    /// Released, and not ended
    pub live: u32,
    pub succeeded: u32,
    /// By their own work
    pub failed: u32,
    /// Stopped, or given up before they were released
    pub cancelled: u32,
    pub skipped: u32,
}

/// Which tasks a view holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskPage {
    pub offset: usize,
    pub limit: usize,
}

/// A run, and in which states the tasks and runs are that it has released.
#[derive(Clone)]
pub(crate) struct SeenRun {
    pub run: Arc<Run>,
    pub released: Released,
}

impl SeenRun {
    pub(crate) fn state(&self, node: u32) -> Status {
        let states = &self.released.states;
        let out = states.binary_search_by_key(&node, |(node, _)| *node);
        self.run.node(node).status.state(out.ok().map(|at| states[at].1))
    }

    /// Whether a node ever began, in milliseconds after the run was made.
    pub(crate) fn started(&self, node: u32) -> Option<u32> {
        let NodeState { status, started, .. } = *self.run.node(node);
        let begun =
            started > 0 || !matches!(status, NodeStatus::Waiting) && !self.run.whys.contains_key(&node);
        (begun && released(status)).then_some(started)
    }

    pub(crate) fn ended(&self, node: u32) -> Option<u32> {
        let NodeState { status, ended, .. } = *self.run.node(node);
        status.end().map(|_| ended)
    }

    fn counts(&self) -> BTreeMap<&'static str, u32> {
        let mut counts = BTreeMap::new();
        for node in 0..self.run.nodes.len() as u32 {
            *counts.entry(self.state(node).label()).or_default() += 1;
        }
        counts
    }
}

impl<'a> RunView<'a> {
    /// Without tasks and documents, for lists.
    pub(crate) fn brief(seen: &'a SeenRun) -> Self {
        let run = &*seen.run;
        let labels = run.labels.as_deref().unwrap_or_default();
        Self {
            run_id: run.id.to_string(),
            tenant: &run.job.tenant,
            job: &run.job.name,
            owner: None,
            version: run.version,
            state: run.status.label(),
            trigger: run.origin.started_by.label(),
            window: run.origin.window.as_deref().map(WindowView::of),
            logical_time: run.origin.logical_time().map(Moment),
            event: run.origin.cause.as_deref().map(|cause| CauseView::of(cause, false)),
            created_at: Moment(run.created),
            started_at: at(run.started),
            ended_at: at(run.ended),
            paused: run.pause.as_ref().map(|pause| paused(run, pause)),
            stopping: run.stop.filter(|_| !run.status.is_ended()).map(stopping),
            waits_for: (!seen.released.approvals.is_empty()).then_some("approval"),
            marks: run.marks().collect(),
            reason: run.why.as_deref(),
            parent_run_id: run.origin.parent.map(|origin| origin.run.to_string()),
            rerun_of: run.origin.rerun_of.map(|id| id.to_string()),
            labels: labels.iter().map(|(key, value)| (&**key, &**value)).collect(),
            counts: seen.counts(),
            parameters: None,
            output: None,
            notes: Vec::new(),
            approvals: seen.released.approvals.iter().map(ApprovalView::open).collect(),
            tasks_total: run.nodes.len(),
            tasks: None,
        }
    }

    pub(crate) fn whole(seen: &'a SeenRun, page: TaskPage) -> Self {
        let run = &*seen.run;
        let nodes = (0..run.plan.len()).skip(page.offset).take(page.limit);
        let open = seen.released.approvals.iter().map(ApprovalView::open);
        Self {
            event: run.origin.cause.as_deref().map(|cause| CauseView::of(cause, true)),
            parameters: raw(&run.parameters),
            output: run.output.as_deref().and_then(raw),
            notes: run.notes.iter().map(Into::into).collect(),
            tasks: Some(nodes.map(|node| NodeView::of(seen, node)).collect()),
            approvals: open.chain(ApprovalView::decided(run)).collect(),
            ..Self::brief(seen)
        }
    }
}

fn at(wall: Wall) -> Option<Moment> {
    (wall > Wall::ZERO).then_some(Moment(wall))
}

fn paused(run: &Run, pause: &Pause) -> String {
    match pause {
        Pause::ByHand => "by hand".to_owned(),
        Pause::FanOut { node, count, max } => {
            let name = &run.plan.node(*node).name;
            format!(
                "task `{name}` has {count} items, more than {max}; resume the run to allow them, or cancel it"
            )
        }
    }
}

const fn stopping(stop: RunStop) -> &'static str {
    match stop {
        RunStop::Failed => "a task failed",
        RunStop::Cancel => "cancelled",
        RunStop::Timeout => "it took too long",
    }
}

fn waits(run: &Run, node: u32) -> Vec<JobWaitView<'_>> {
    let Some(since) = run.holds.get(&node) else { return Vec::new() };
    let needs = run.plan.node(node).needs_jobs.iter();
    let view = needs.map(|need| JobWaitView {
        job: &need.job,
        within_ms: need.within.map(Millis::get),
        since: Moment(*since),
        fails_at: need.timeout.map(|span| Moment(*since + span)),
    });
    view.collect()
}

impl<'a> NodeView<'a> {
    fn of(seen: &'a SeenRun, node: u32) -> Self {
        let run = &*seen.run;
        let (spec, state) = (run.plan.node(node), run.node(node));
        let NodeState { status, turn, started, .. } = *state;
        let begun = started > 0 || !matches!(status, NodeStatus::Waiting) && !run.whys.contains_key(&node);
        let single = begun && !run.groups.contains_key(&node);
        let is_run = matches!(spec.work, NodeWork::Run { .. });
        let place = run.place(node, NodeInstance::WHOLE);
        let after = |ms: u32| Moment(run.created + Millis::new(ms.into()));
        Self {
            name: &spec.name,
            state: seen.state(node).label(),
            task_id: (single && !is_run && released(status)).then(|| run.id.task(place).to_string()),
            run_id: (single && is_run && released(status)).then(|| run.id.child(place).to_string()),
            needs: spec.needs.iter().map(|need| &*run.plan.node(*need).name).collect(),
            added_by: run.addition_of(node).map(|added| &*run.plan.node(added.by).name),
            waits_for_jobs: waits(run, node),
            trigger_rule: spec.rule.label(),
            started_at: seen.started(node).map(after),
            ended_at: seen.ended(node).map(after),
            turn,
            reason: run.whys.get(&node).map(|why| &**why),
            items: run.groups.get(&node).map(Into::into),
            undo_task_id: run.undo_task(node).map(|id| id.to_string()),
        }
    }
}

/// Whether the node ever had work of its own.
const fn released(status: NodeStatus) -> bool {
    match status {
        NodeStatus::Out
        | NodeStatus::Judged
        | NodeStatus::Succeeded
        | NodeStatus::Failed
        | NodeStatus::Cancelled => true,
        NodeStatus::Waiting | NodeStatus::UpstreamFailed | NodeStatus::Skipped => false,
    }
}

impl From<&MapItems> for ItemsView {
    fn from(group: &MapItems) -> Self {
        Self {
            count: group.count(),
            released: group.released,
            live: group.live,
            succeeded: group.succeeded,
            failed: group.count_of(NodeStatus::Failed) + group.count_of(NodeStatus::UpstreamFailed),
            cancelled: group.count_of(NodeStatus::Cancelled),
            skipped: group.count_of(NodeStatus::Skipped),
        }
    }
}
