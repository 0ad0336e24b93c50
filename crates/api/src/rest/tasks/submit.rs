//! `POST /v1/tasks`: accept one task. The answer leaves when the task is durable.

use std::io::Write;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderValue, StatusCode};
use mainspring_core::command::{Answer, Command, Rejection, StartTime};
use mainspring_core::id::TaskId;
use mainspring_core::task::Status;
use mainspring_core::time::Wall;

use super::super::{body, json_bytes};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{Submission, TaskBody, first_status, status_word, written};

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, content) = request.into_parts();
    let bytes = body::read(content, edge.config.body_bytes_max).await?;
    let submit = {
        let task: TaskBody<'_> = body::parse(&bytes)?;
        let keys = body::keys(&parts.headers)?;
        let submission = Submission::of(&task, keys, &edge.profiles, edge.config.key_life)?;
        Box::new(submission.command(&edge.gateway))
    };
    drop(bytes);
    let (id, start) = (submit.id, submit.start);
    let answer = edge.gateway.ask(id.slot(), Command::Submit(submit)).await;
    let accepted = Accepted::of(&answer.map_err(|problem| named(problem, id))?, start)?;
    if accepted.duplicate {
        edge.metrics.duplicates.inc();
    } else {
        edge.metrics.submitted.inc();
    }
    let mut text = Vec::with_capacity(160);
    accepted.write(&mut text);
    let mut response = json_bytes(StatusCode::ACCEPTED, text);
    if accepted.duplicate {
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// If no answer came the caller can look the task up.
pub(super) fn named(problem: Problem, id: TaskId) -> Problem {
    match problem {
        Problem::OutcomeUnknown { .. } => Problem::OutcomeUnknown { id: Some(id) },
        other => other,
    }
}

/// A task that is now the server's.
pub(super) struct Accepted {
    id: TaskId,
    status: Status,
    pub(super) duplicate: bool,
}

impl Accepted {
    /// A duplicate is answered like the first one was.
    pub(super) fn of(answer: &Answer, start: StartTime) -> Result<Self, Problem> {
        match *answer {
            Answer::Submitted { id, status } => Ok(Self { id, status, duplicate: false }),
            Answer::AlreadySubmitted { id } => {
                let status = first_status(start, Wall::from_millis(id.minted_ms()));
                Ok(Self { id, status, duplicate: true })
            }
            _ => Err(Rejection::Internal { what: "a submission was answered with something else" }.into()),
        }
    }

    /// By hand: nothing in it needs escaping.
    pub(super) fn write(&self, text: &mut Vec<u8>) {
        let (id, status) = (self.id, status_word(self.status));
        let created = written(Wall::from_millis(id.minted_ms()));
        // Writing to memory cannot fail.
        let _ = write!(text, r#"{{"task_id":"{id}","status":"{status}","created_at":"{created}"}}"#);
    }
}
