//! `POST /v1/tasks/{id}:force-state`: an operator says how a task ended. Who and why is stored with it.

use axum::extract::Request;
use axum::response::Response;
use mainspring_core::command::Command;
use serde::Deserialize;

use super::super::body;
use super::OverrideBody;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::parse_status;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForceBody {
    state: String,
    actor: Option<String>,
    reason: Option<String>,
}

pub(in crate::rest) async fn verb(edge: &Edge, text: &str, request: Request) -> Result<Response, Problem> {
    let id = super::id(text)?;
    let bytes = body::read(request.into_body(), edge.config.body_bytes_max).await?;
    let ForceBody { state, actor, reason } = body::parse(&bytes)?;
    let status = parse_status(&state)
        .ok_or_else(|| Problem::field("state", format!("there is no state `{}`", short(&state))))?;
    let over = OverrideBody { actor, reason }.checked()?;
    super::change(edge, id, Command::Force { id, status, over }, "the state was forced").await
}

fn short(text: &str) -> String {
    text.chars().take(50).collect()
}
