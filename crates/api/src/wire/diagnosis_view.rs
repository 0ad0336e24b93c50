//! Why a task is not running, as callers read it.

use mainspring_core::engine::question::{Diagnosis, Part, Standing};
use mainspring_core::task::Status;
use mainspring_core::values::{Millis, NodeInstance};
use serde::Serialize;

use super::approval_view::until_and_command;
use super::state::as_word;
use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Diagnosis"))]
pub(crate) struct DiagnosisView {
    pub task_id: String,
    #[serde(serialize_with = "as_word")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_state"))]
    pub state: Status,
    /// A word for programs.
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_reason"))]
    pub reason: &'static str,
    pub message: String,
    pub advice: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_in_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Tasks that hold what it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<String>,
    /// The run it belongs to, the name it has there, and which of its items it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The name it has there
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_task: Option<String>,
    /// Which item of a mapped task it is
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<u32>,
    /// It undoes that task.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undo: bool,
}

impl DiagnosisView {
    pub(crate) fn of(diagnosis: &Diagnosis) -> Self {
        let standing = &diagnosis.standing;
        let (due_at, due_in, worker) = match standing {
            Standing::WaitsForTime { due } => (Some(Moment(*due)), None, None),
            Standing::Backoff { left, due, .. } => (Some(Moment(*due)), Some(*left), None),
            Standing::Deferred { left } => (None, Some(*left), None),
            Standing::Held { worker, .. } => (None, None, Some(worker.to_string())),
            Standing::WaitsFor { deadline, .. } => (Some(Moment(*deadline)), None, None),
            Standing::Waits(_) | Standing::Ended => (None, None, None),
        };
        let part = diagnosis.part.as_ref();
        let (until, command) = until_and_command(diagnosis).unzip();
        Self {
            task_id: diagnosis.id.to_string(),
            state: diagnosis.status,
            reason: standing.label(),
            message: format!("{standing}{}", until.unwrap_or_default()),
            advice: command.unwrap_or_else(|| standing.advice()),
            due_at,
            due_in_ms: due_in.map(Millis::get),
            worker,
            holders: diagnosis.holders.iter().map(ToString::to_string).collect(),
            run_id: part.map(|part| part.run.to_string()),
            run_task: part.and_then(|part| part.node.as_ref()).map(ToString::to_string),
            item: part.and_then(Part::item),
            undo: part.is_some_and(|part| part.place.index == NodeInstance::UNDO),
        }
    }
}
