//! `POST /v1/events`: `CloudEvents` from outside, structured, binary or batched; and `POST /v1/webhooks/{name}`.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, header};
use mainspring_core::values::{CloudEvent, DATA_BYTES_MAX};

use super::{body, json};
use crate::edge::Edge;
use crate::operation::{Caller, events as operation};
use crate::problem::{EventProblem, Problem};
use crate::wire::{self, EVENT_BATCH_MAX, Keys, PublishedPage, TENANT_DEFAULT, name};

/// Attributes and all else around the data.
const AROUND_BYTES_MAX: usize = 16 << 10;

pub(super) async fn events(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant"])?;
    let (parts, content) = request.into_parts();
    let form = Form::of(&parts.headers)?;
    let keys = Keys::of(&parts.headers)?;
    let tenant = query.get("tenant").map(String::as_str).or(keys.tenant).unwrap_or(TENANT_DEFAULT);
    let tenant = name("tenant", tenant)?;
    let most = if form == Form::Batch { EVENT_BATCH_MAX } else { 1 };
    let most = (DATA_BYTES_MAX + AROUND_BYTES_MAX).saturating_mul(most).min(edge.config.batch_bytes_max);
    let bytes = body::read(content, most).await?;
    let notices = form.read(&parts.headers, &bytes)?;
    let caller = Caller {
        keys: Keys { tenant: Some(&tenant), ..keys },
        request: [parts.uri.query().unwrap_or_default().as_bytes(), &bytes],
        seen: None,
    };
    let results = operation::publish_batch(&edge, &tenant, notices, &caller).await?;
    Ok(json(StatusCode::ACCEPTED, &PublishedPage { results }))
}

/// How events are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Structured,
    Batch,
    Binary,
}

impl Form {
    fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        match kind.as_deref() {
            Some("application/cloudevents+json") => Ok(Self::Structured),
            Some("application/cloudevents-batch+json") => Ok(Self::Batch),
            _ if wire::is_binary_event(headers) => Ok(Self::Binary),
            Some("application/json") => Ok(Self::Structured),
            // A browser may send a body without a type to any server.
            None => Err(EventProblem::MediaType { found: String::new() }.into()),
            Some(found) => Err(EventProblem::MediaType { found: found.chars().take(100).collect() }.into()),
        }
    }

    fn read(self, headers: &HeaderMap, bytes: &[u8]) -> Result<Vec<CloudEvent>, Problem> {
        match self {
            Self::Structured => wire::structured_event(bytes).map(|notice| vec![notice]),
            Self::Batch => wire::event_batch(bytes),
            Self::Binary => wire::binary_event(headers, bytes).map(|notice| vec![notice]),
        }
    }
}

pub(super) async fn webhook(
    State(edge): State<Arc<Edge>>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, content) = request.into_parts();
    let bytes = body::read(content, DATA_BYTES_MAX).await?;
    let result = operation::receive(&edge, &name, &parts.headers, &bytes).await?;
    Ok(json(StatusCode::ACCEPTED, &PublishedPage { results: vec![result] }))
}
