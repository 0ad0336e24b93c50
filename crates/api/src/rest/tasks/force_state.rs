//! `POST /v1/tasks/{id}:force-state`: an operator says how a task ended. Who and why is stored with it.

use axum::extract::Request;
use axum::response::Response;
use serde::Deserialize;

use super::super::body;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{OverrideBody, parse_status};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForceBody {
    state: String,
    actor: Option<String>,
    reason: Option<String>,
}

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, request: Request) -> Result<Response, Problem> {
    let id = operation::task_id(text)?;
    let bytes = body::read(request.into_body(), edge.config.body_bytes_max).await?;
    let ForceBody { state, actor, reason } = body::parse(&bytes)?;
    let status = parse_status(&state)
        .ok_or_else(|| Problem::field("state", format!("there is no state `{}`", short(&state))))?;
    let changed = operation::force_state(edge, id, status, &OverrideBody { actor, reason }).await?;
    Ok(super::changed(id, changed, "the state was forced"))
}

fn short(text: &str) -> String {
    text.chars().take(50).collect()
}
