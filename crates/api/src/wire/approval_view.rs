//! Tasks of a run that wait for the approval of a person, and what was decided.

use mainspring_core::engine::question::{Diagnosis, OpenApproval, Part, Standing};
use mainspring_core::run::{ApprovalDecision, Run};
use mainspring_core::values::{NodeInstance, RunId};
use mainspring_core::wait::Awaited;
use serde::Serialize;

use super::time::{Moment, written};

/// A task that waits for approval, or for which somebody decided. Who an actor says they are is believed.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Approval"))]
pub(crate) struct ApprovalView<'a> {
    /// The name of the task in the run
    pub task: &'a str,
    /// Of a mapped task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<u32>,
    pub task_id: String,
    /// `open`, `approved` or `rejected`
    #[cfg_attr(test, schemars(schema_with = "super::schema::approval_state"))]
    pub state: &'static str,
    /// Who may decide, while it is open; nobody named: anybody
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    /// Then `on_timeout` decides
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::on_timeout"))]
    pub on_timeout: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Moment>,
    /// Who decided, as they said
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
}

impl<'a> ApprovalView<'a> {
    pub(crate) fn open(open: &'a OpenApproval) -> Self {
        Self {
            task: &open.task,
            item: open.item,
            task_id: open.id.to_string(),
            state: "open",
            by: open.approval.by.iter().map(|name| &**name).collect(),
            message: open.approval.message.as_deref(),
            since: Some(Moment(open.since)),
            until: Some(Moment(open.deadline)),
            on_timeout: Some(open.late.label()),
            decided_at: None,
            actor: None,
            reason: None,
        }
    }

    /// What was decided about tasks as they stand now.
    pub(crate) fn decided(run: &'a Run) -> impl Iterator<Item = Self> {
        let now = run.decisions.keys().filter_map(move |(node, index)| {
            let decision = run.decision(*node, *index)?;
            Some((*node, *index, decision))
        });
        now.map(move |(node, index, decision)| Self::of(run, (node, index), decision))
    }

    fn of(run: &'a Run, (node, index): (u32, u32), decision: &'a ApprovalDecision) -> Self {
        Self {
            task: &run.plan.node(node).name,
            item: (index != NodeInstance::WHOLE).then_some(index),
            task_id: run.task_at(node, index).to_string(),
            state: if decision.approved { "approved" } else { "rejected" },
            by: Vec::new(),
            message: None,
            since: None,
            until: None,
            on_timeout: None,
            decided_at: Some(Moment(decision.at)),
            actor: Some(&*decision.over.actor),
            reason: Some(&*decision.over.reason).filter(|reason| !reason.is_empty()),
        }
    }
}

/// Until when a task waits for approval, and the command that gives it; `None`: it waits for something else.
pub(super) fn until_and_command(diagnosis: &Diagnosis) -> Option<(String, String)> {
    let Standing::WaitsFor { what: Awaited::Approval(_), deadline } = &diagnosis.standing else {
        return None;
    };
    let part = diagnosis.part.as_ref()?;
    let task = part.node.as_deref()?;
    let command = approve_command(part.run, task, Part::item(part)).join(" ");
    Some((format!(" until {}", written(*deadline)), format!("approve it: `{command}`, or reject it")))
}

/// The words of the command line that approve a task.
pub(crate) fn approve_command(run: RunId, task: &str, item: Option<u32>) -> Vec<String> {
    let words = ["mainspring", "run", "approve"].map(str::to_owned).into_iter();
    let words = words.chain([run.to_string(), "--task".to_owned(), task.to_owned()]);
    words.chain(item.into_iter().flat_map(|item| ["--item".to_owned(), item.to_string()])).collect()
}
