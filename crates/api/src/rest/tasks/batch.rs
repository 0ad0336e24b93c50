//! `POST /v1/tasks:batch`: many tasks, each with its own result. One envelope, so one share of one record.

use std::io::Write;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use mainspring_core::decision::Rejection;
use mainspring_core::task::decide::Submit;
use serde_json::value::RawValue;

use super::super::{body, json_bytes};
use crate::edge::Edge;
use crate::operation::{self, Accepted, check_length, prepare_in_batch as one};
use crate::problem::Problem;
use crate::server::RequestId;
use crate::wire::{Keys, TaskBody};

/// Larger bodies are parsed on a thread that may take its time.
const INLINE_BYTES_MAX: usize = 64 * 1024;

type Parsed = Vec<Result<Submit, Problem>>;

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, content) = request.into_parts();
    let bytes = body::read(content, edge.config.batch_bytes_max).await?;
    let keys = Keys::of(&parts.headers)?;
    let parsed = if bytes.len() <= INLINE_BYTES_MAX {
        parse(&edge, &bytes, keys)?
    } else {
        parse_aside(Arc::clone(&edge), bytes, keys).await?
    };
    let request_id = parts.extensions.get::<RequestId>().cloned().unwrap_or_default();
    let mut results = Results::with_capacity(parsed.len(), request_id);
    operation::submit_all(&edge, parsed, keys, |result| results.push(result)).await?;
    Ok(results.answer())
}

async fn parse_aside(edge: Arc<Edge>, bytes: Bytes, keys: Keys<'_>) -> Result<Parsed, Problem> {
    let (tenant, key) = (keys.tenant.map(str::to_owned), keys.key.map(str::to_owned));
    let parsing = tokio::task::spawn_blocking(move || {
        let keys = Keys { tenant: tenant.as_deref(), key: key.as_deref(), ..Keys::default() };
        parse(&edge, &bytes, keys)
    });
    parsing.await.map_err(|_| Rejection::Internal { what: "a batch could not be parsed" })?
}

/// A JSON array, or one object a line.
fn parse(edge: &Edge, bytes: &[u8], keys: Keys<'_>) -> Result<Parsed, Problem> {
    let bytes = bytes.trim_ascii();
    if bytes.first() == Some(&b'[') { array(edge, bytes, keys) } else { lines(edge, bytes, keys) }
}

fn array(edge: &Edge, bytes: &[u8], keys: Keys<'_>) -> Result<Parsed, Problem> {
    // The usual case in one pass; if one task is wrong, each is read by itself to tell which.
    if let Ok(tasks) = serde_json::from_slice::<Vec<TaskBody<'_>>>(bytes) {
        check_length(edge, tasks.len())?;
        return Ok(tasks.iter().enumerate().map(|(place, task)| one(edge, task, keys, place)).collect());
    }
    let texts: Vec<&RawValue> = body::parse(bytes)?;
    check_length(edge, texts.len())?;
    let read = |(place, text): (usize, &&RawValue)| {
        let task: TaskBody<'_> = body::parse(text.get().as_bytes())?;
        one(edge, &task, keys, place)
    };
    Ok(texts.iter().enumerate().map(read).collect())
}

fn lines(edge: &Edge, bytes: &[u8], keys: Keys<'_>) -> Result<Parsed, Problem> {
    let lines = || bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    check_length(edge, lines().take(edge.config.batch_tasks_max + 1).count())?;
    let read = |(place, line)| {
        let task: TaskBody<'_> = body::parse(line)?;
        one(edge, &task, keys, place)
    };
    Ok(lines().enumerate().map(read).collect())
}

/// The answer, written as the results come.
struct Results {
    request_id: RequestId,
    text: Vec<u8>,
    accepted: u64,
    refused: u64,
    retry_after_ms: Option<u64>,
}

impl Results {
    fn with_capacity(count: usize, request_id: RequestId) -> Self {
        let text = Vec::with_capacity(count * 130 + 80);
        Self { request_id, text, accepted: 0, refused: 0, retry_after_ms: None }
    }

    fn push(&mut self, result: Result<Accepted, Problem>) {
        self.text.extend_from_slice(if self.text.is_empty() { b"[" } else { b"," });
        match result {
            Ok(accepted) => {
                self.accepted += 1;
                super::submit::write(&accepted, &mut self.text);
            }
            Err(problem) => {
                self.refused += 1;
                let after = problem.retry_after().map(mainspring_core::values::Millis::get);
                self.retry_after_ms = self.retry_after_ms.max(after);
                // Writing to memory cannot fail.
                let _ = serde_json::to_writer(&mut self.text, &problem.body(self.request_id.as_str()));
            }
        }
    }

    /// 207 tells that some were refused.
    fn answer(mut self) -> Response {
        let _ = write!(self.text, r#"],"accepted":{},"refused":{}}}"#, self.accepted, self.refused);
        let mut whole = Vec::with_capacity(self.text.len() + 12);
        whole.extend_from_slice(br#"{"results":"#);
        whole.append(&mut self.text);
        let status = if self.refused == 0 { StatusCode::ACCEPTED } else { StatusCode::MULTI_STATUS };
        let mut response = json_bytes(status, whole);
        if let Some(ms) = self.retry_after_ms {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(ms.div_ceil(1000)));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::task::Status;
    use mainspring_core::values::{TaskId, Wall};

    use super::*;
    use crate::wire::{AcceptedView, BatchItem, BatchView, Moment, timer_word};

    /// The document describes the types; the text is written by hand, for speed.
    #[tokio::test]
    async fn what_is_written_by_hand_is_what_the_types_say() {
        let id: TaskId = "task_019a88f04c007d3e8b5f6a7c8d9e0f10".parse().expect("an id");
        let warning = Some("no worker has `\"gpu\"`".to_owned());
        let created = Wall::from_millis(1_736_952_000_250);
        let (status, warned) = (Status::Queued, warning.clone());
        let accepted = Accepted { id, status, created, duplicate: false, warning: warned };
        let view = AcceptedView {
            task_id: id.to_string(),
            state: Status::Queued.label(),
            status: timer_word(Status::Queued),
            created_at: Moment(created),
            warnings: warning.into_iter().collect(),
        };
        let problem = Problem::field("pool", "it may not be empty");
        let refused = problem.body(RequestId::default().as_str());
        let mut results = Results::with_capacity(2, RequestId::default());
        results.push(Ok(accepted));
        results.push(Err(problem));
        let body = axum::body::to_bytes(results.answer().into_body(), 1 << 16).await.expect("a body");
        let batch = BatchView {
            results: vec![BatchItem::Accepted(view), BatchItem::Refused(refused)],
            accepted: 1,
            refused: 1,
        };
        assert_eq!(body, serde_json::to_vec(&batch).expect("JSON"));
    }
}
