//! Where a run stands and why it has not ended, as callers read it.

use mainspring_core::engine::question::{
    Items, JobWait, NodeDiagnosis, NodeStanding, RunDiagnosis, RunStanding,
};
use mainspring_core::job::NodeWork;
use mainspring_core::run::{NodeStatus, Run};
use mainspring_core::values::{Failure, Millis, NodeInstance, RunStatus, TaskId};
use serde::Serialize;

use super::approval_view::until_and_command;
use super::diagnosis_view::DiagnosisView;
use super::run_view::ItemsView;
use super::time::{Moment, written};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RunDiagnosis"))]
pub(crate) struct RunDiagnosisView {
    pub run_id: String,
    pub tenant: String,
    pub job: String,
    #[cfg_attr(test, schemars(schema_with = "super::schema::run_state"))]
    pub state: &'static str,
    /// A word for programs.
    #[cfg_attr(test, schemars(schema_with = "super::schema::run_reason"))]
    pub reason: &'static str,
    pub message: String,
    pub advice: String,
    /// When it began, came or ended.
    pub since: Moment,
    /// What the watchdog has to say
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::marks"))]
    pub marks: Vec<&'static str>,
    /// Runs that have the places it waits for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(length(max = 10)))]
    pub held_by: Vec<String>,
    /// Tasks that have not ended, the most telling first; of an ended run the one that failed first
    #[cfg_attr(test, schemars(length(max = 100)))]
    pub tasks: Vec<NodeDiagnosisView>,
    /// Tasks that have not ended and are not among them
    pub tasks_more: u32,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RunTaskDiagnosis"))]
pub(crate) struct NodeDiagnosisView {
    pub name: String,
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_state"))]
    pub state: &'static str,
    /// `waits_for_upstream`, `waits_for_jobs`, `run_paused`, `max_running_tasks`, `release_rate`,
    /// `about_to_be_released`, `waits_for_run`, `released`, `about_to_be_decided`, `lost`, `failed`, or
    /// what the diagnosis of its task says
    pub reason: &'static str,
    pub message: String,
    pub advice: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(length(max = 10)))]
    pub waits_for: Vec<UpstreamView>,
    /// Jobs without which it cannot begin and whose success is missing
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(length(max = 10)))]
    pub waits_for_jobs: Vec<JobNeedView>,
    pub trigger_rule: &'static str,
    /// Decides whether it runs, when it may
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<ItemsView>,
    /// Which item the rest is about
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<u32>,
    /// Of a loop, from 1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<DiagnosisView>,
    /// The run that it started
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::optional_run_state"))]
    pub run_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<LastErrorView>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Upstream"))]
pub(crate) struct UpstreamView {
    pub name: String,
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_state"))]
    pub state: &'static str,
}

/// A success of another job that is missing.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "JobNeed"))]
pub(crate) struct JobNeedView {
    pub job: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
    pub since: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<Moment>,
    pub exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_success_at: Option<Moment>,
}

impl From<&JobWait> for JobNeedView {
    fn from(wait: &JobWait) -> Self {
        Self {
            job: wait.job.to_string(),
            within_ms: wait.within.map(Millis::get),
            since: Moment(wait.since),
            fails_at: wait.fails.map(|(at, _)| Moment(at)),
            exists: wait.exists,
            last_success_at: wait.succeeded.map(Moment),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LastError"))]
pub(crate) struct LastErrorView {
    #[cfg_attr(test, schemars(schema_with = "super::schema::failure_class"))]
    pub class: &'static str,
    pub code: i32,
    pub message: String,
}

impl From<&Failure> for LastErrorView {
    fn from(failure: &Failure) -> Self {
        Self { class: failure.class.label(), code: failure.code, message: failure.message.to_string() }
    }
}

/// The node of an ended run that failed before any other, and its task if it had one.
pub(crate) struct FirstFailure {
    pub node: u32,
    pub task: Option<TaskId>,
}

impl RunDiagnosisView {
    pub(crate) fn of(diagnosis: &RunDiagnosis) -> Self {
        let standing = &diagnosis.standing;
        let held_by = match standing {
            RunStanding::WaitsForPlace { held_by, .. } => held_by.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        };
        Self {
            run_id: diagnosis.id.to_string(),
            tenant: diagnosis.job.tenant.to_string(),
            job: diagnosis.job.name.to_string(),
            state: diagnosis.status.label(),
            reason: standing.label(),
            message: standing.to_string(),
            advice: standing.advice(),
            since: Moment(diagnosis.since),
            marks: diagnosis.marks.clone(),
            held_by,
            tasks: diagnosis.nodes.iter().map(NodeDiagnosisView::of).collect(),
            tasks_more: diagnosis.more,
        }
    }

    /// Of a run that has ended: how and since when, and what failed first.
    pub(crate) fn ended(run: &Run, first: Option<NodeDiagnosisView>) -> Self {
        let word = run.status.label();
        let why = run.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        let failed =
            first.as_ref().map(|node| format!("; task `{}` failed first: {}", node.name, node.message));
        let message =
            format!("it has ended as {word} at {}{why}{}", written(run.ended), failed.unwrap_or_default());
        Self {
            run_id: run.id.to_string(),
            tenant: run.job.tenant.to_string(),
            job: run.job.name.to_string(),
            state: word,
            reason: RunStanding::Ended.label(),
            message,
            advice: match run.status {
                RunStatus::Succeeded => "read its output".to_owned(),
                _ => RunStanding::Ended.advice(),
            },
            since: Moment(run.ended),
            marks: run.marks().collect(),
            held_by: Vec::new(),
            tasks: first.into_iter().collect(),
            tasks_more: 0,
        }
    }
}

impl NodeDiagnosisView {
    fn of(node: &NodeDiagnosis) -> Self {
        let standing = &node.standing;
        let mut view = Self {
            name: node.name.to_string(),
            state: node.status.label(),
            reason: standing.label(),
            message: node.to_string(),
            advice: standing.advice(),
            waits_for: Vec::new(),
            waits_for_jobs: Vec::new(),
            trigger_rule: node.rule.label(),
            condition: node.condition.as_deref().map(str::to_owned),
            items: node.items.as_ref().map(items),
            item: None,
            round: node.round.map(|(round, _)| round),
            task: None,
            run_id: None,
            run_state: None,
            last_error: None,
        };
        match standing {
            NodeStanding::Upstream { waits_for, .. } => {
                let named = waits_for
                    .iter()
                    .map(|(name, status)| UpstreamView { name: name.to_string(), state: status.label() });
                view.waits_for = named.collect();
            }
            NodeStanding::Jobs { waits_for, .. } => {
                view.waits_for_jobs = waits_for.iter().map(Into::into).collect();
            }
            NodeStanding::Task { item, diagnosis } => {
                (view.item, view.task) = (*item, Some(DiagnosisView::of(diagnosis)));
                if let Some((until, command)) = until_and_command(diagnosis) {
                    view.message.push_str(&until);
                    view.advice = command;
                }
            }
            NodeStanding::Undo { diagnosis } => view.task = Some(DiagnosisView::of(diagnosis)),
            NodeStanding::Child { item, run, status, .. } => {
                view.item = *item;
                (view.run_id, view.run_state) = (Some(run.to_string()), Some(status.label()));
            }
            NodeStanding::Lost { item } => view.item = *item,
            NodeStanding::Out { .. } | NodeStanding::Release(_) | NodeStanding::AboutToBeDecided => {}
        }
        view
    }

    /// A node that failed, of a run that has ended.
    pub(crate) fn failed(run: &Run, first: &FirstFailure, error: Option<&Failure>) -> Self {
        let spec = run.plan.node(first.node);
        let is_run = matches!(spec.work, NodeWork::Run { .. });
        let item = failed_item(run, first.node);
        let child = is_run.then(|| run.id.child(run.place(first.node, item.unwrap_or(NodeInstance::WHOLE))));
        let why = run.whys.get(&first.node).map(ToString::to_string);
        let message = match (&child, error) {
            (_, Some(failure)) => failure.message.to_string(),
            (_, None) if why.is_some() => why.unwrap_or_default(),
            (Some(child), None) => format!("run `{child}` did not succeed"),
            (None, None) => "nothing more is known of it".to_owned(),
        };
        let advice = match child {
            Some(_) => "diagnose that run",
            None => "repair what failed, then clear the task in the run, or run it again",
        };
        Self {
            name: spec.name.to_string(),
            state: run.node(first.node).status.state(None).label(),
            reason: "failed",
            message,
            advice: advice.to_owned(),
            waits_for: Vec::new(),
            waits_for_jobs: Vec::new(),
            trigger_rule: spec.rule.label(),
            condition: None,
            items: run.groups.get(&first.node).map(Into::into),
            item,
            round: None,
            task: None,
            run_id: child.map(|child| child.to_string()),
            run_state: None,
            last_error: error.map(Into::into),
        }
    }
}

impl FirstFailure {
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let failed = (0..run.plan.len()).filter(|node| run.node(*node).status == NodeStatus::Failed);
        let node = failed.min_by_key(|node| (run.node(*node).ended, *node))?;
        let is_task = matches!(run.plan.node(node).work, NodeWork::Task(_));
        let index = failed_item(run, node).unwrap_or(NodeInstance::WHOLE);
        Some(Self { node, task: is_task.then(|| run.task_at(node, index)) })
    }
}

fn failed_item(run: &Run, node: u32) -> Option<u32> {
    let items = &run.groups.get(&node)?.items;
    items.iter().position(|item| *item == NodeStatus::Failed).map(|index| index as u32)
}

fn items(items: &Items) -> ItemsView {
    let Items { count, released, live, succeeded, failed, cancelled, skipped, .. } = *items;
    ItemsView { count, released, live, succeeded, failed, cancelled, skipped }
}
