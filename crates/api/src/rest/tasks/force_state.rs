//! `POST /v1/tasks/{id}:force-state`: an operator says how a task ended. Who and why is stored with it.

use axum::response::Response;

use super::super::body;
use super::super::call::Call;
use crate::edge::Edge;
use crate::operation::{self, Changed};
use crate::problem::Problem;
use crate::wire::{ForceTaskBody, OverrideBody, parse_status};

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, call: &Call) -> Result<Response, Problem> {
    let id = operation::task_id(text)?;
    let ForceTaskBody { state, actor, reason } = body::parse(&call.bytes)?;
    let status = parse_status(&state)
        .ok_or_else(|| Problem::field("state", format!("there is no state `{}`", short(&state))))?;
    let over = OverrideBody { actor, reason };
    let changed = operation::force_state(edge, id, status, &over, &call.caller()?).await?;
    let done = match changed {
        Changed::Now(_) => "the state was forced",
        Changed::Stopping => "its attempt is stopped first; then the task has that state",
    };
    Ok(super::changed(id, changed, done))
}

fn short(text: &str) -> String {
    text.chars().take(50).collect()
}
