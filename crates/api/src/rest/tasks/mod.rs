//! Operations on tasks, one file each.

pub(super) mod amend;
pub(super) mod batch;
pub(super) mod cancel;
pub(super) mod cancel_many;
pub(super) mod diagnosis;
pub(super) mod force_state;
pub(super) mod get;
pub(super) mod list;
pub(super) mod logs;
mod prefix;
pub(super) mod retry;
pub(super) mod run_now;
pub(super) mod submit;

use axum::response::Response;
use http::StatusCode;
use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::TaskId;
use mainspring_core::name::Name;
use mainspring_core::task::{Override, Task};
use serde::Deserialize;
use serde_json::json;

use super::json;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{name, status_word};

/// What is no id names no task.
pub(super) fn id(text: &str) -> Result<TaskId, Problem> {
    text.parse().map_err(|_| Problem::NoSuchTask { id: text.chars().take(100).collect() })
}

async fn read(edge: &Edge, id: TaskId) -> Result<Box<Task>, Problem> {
    match edge.gateway.ask(id.slot(), Command::Read { id }).await? {
        Answer::Task(Some(task)) => Ok(task),
        _ => Err(Rejection::TaskNotFound { id }.into()),
    }
}

/// Sends a command that changes one task and answers with the state it has then.
async fn change(edge: &Edge, id: TaskId, command: Command, done: &str) -> Result<Response, Problem> {
    let status = match edge.gateway.ask(id.slot(), command).await? {
        Answer::Now { status, .. } => status_word(status),
        Answer::Stopping { .. } => "STOPPING",
        _ => return Err(Rejection::Internal { what: "a change was answered with something else" }.into()),
    };
    let body = json!({"task_id": id.to_string(), "status": status, "message": done});
    Ok(json(StatusCode::OK, &body))
}

/// Who overrides and why; stored with the task and in the journal.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OverrideBody {
    pub(super) actor: Option<String>,
    pub(super) reason: Option<String>,
}

impl OverrideBody {
    pub(super) fn checked(&self) -> Result<Override, Problem> {
        let actor =
            self.actor.as_deref().map_or_else(|| Ok(Name::fixed("api")), |text| name("actor", text))?;
        Ok(Override { actor, reason: name("reason", self.reason.as_deref().unwrap_or_default())? })
    }
}
