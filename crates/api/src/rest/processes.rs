//! `GET /v1/processes/{id}`: how far big work has come.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::{ProcessId, Slot};
use mainspring_core::question::{Progress, Question};
use serde::Serialize;

use super::json;
use crate::edge::Edge;
use crate::problem::Problem;

#[derive(Serialize)]
pub(super) struct ProcessBody {
    process_id: u64,
    /// `RUNNING` or `ENDED`.
    status: &'static str,
    /// Tasks it has changed. Left out when it ended before the last restart.
    #[serde(skip_serializing_if = "Option::is_none")]
    handled: Option<u64>,
}

impl ProcessBody {
    pub(super) fn of(progress: Progress) -> Self {
        let status = if progress.running { "RUNNING" } else { "ENDED" };
        Self { process_id: progress.id.get(), status, handled: progress.handled }
    }
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let unknown = || Problem::ProcessNotFound { id: text.chars().take(50).collect() };
    let id = ProcessId::new(text.parse().map_err(|_| unknown())?);
    let progress = ask(&edge, id).await?.ok_or_else(unknown)?;
    Ok(json(StatusCode::OK, &ProcessBody::of(progress)))
}

pub(super) async fn ask(edge: &Edge, id: ProcessId) -> Result<Option<Progress>, Problem> {
    match edge.gateway.ask(Slot::from_hash(0), Command::Ask(Question::Process { id })).await? {
        Answer::Progress(progress) => Ok(progress),
        _ => Err(Rejection::Internal { what: "progress was answered with something else" }.into()),
    }
}
