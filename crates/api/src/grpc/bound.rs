//! Reads the one message of a unary call within its bound, so that a larger one gets a named error and not the one of
//! the library, and a message that is none is told so.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tonic::{Code, Status};

use super::status;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::record;
use crate::server::{RequestId, read_body};

/// Before every message: a flag and its length.
const FRAME_BYTES: usize = 5;
/// Methods whose messages may be as long as the bodies of REST for many tasks or events, or for a file of jobs.
const LONG: [&str; 3] = [
    "/mainspring.v1.TaskService/SubmitBatch",
    "/mainspring.v1.JobService/Apply",
    "/mainspring.v1.EventService/Publish",
];

pub(super) async fn bounded(State(edge): State<Arc<Edge>>, request: Request, next: Next) -> Response {
    let (parts, content) = request.into_parts();
    let id = parts.extensions.get::<RequestId>().cloned().unwrap_or_default();
    let config = &edge.config;
    let max = if LONG.contains(&parts.uri.path()) { config.batch_bytes_max } else { config.body_bytes_max };
    let bytes = match read_body(content, max + FRAME_BYTES).await {
        Ok(bytes) => bytes,
        Err(problem) => {
            let problem = match problem {
                Problem::BodyTooLarge { .. } => Problem::BodyTooLarge { max },
                other => other,
            };
            return status::refuse(&edge, &id, &problem).into_http();
        }
    };
    if let Err(problem) = record::reach(&edge, &parts.headers).await {
        return status::refuse(&edge, &id, &problem).into_http();
    }
    let seen = edge.gateway.record();
    let mut response = next.run(Request::from_parts(parts, Body::from(bytes))).await;
    if is_undecoded(&response) {
        let problem = Problem::field("body", "it is not the message that this method takes");
        return status::refuse(&edge, &id, &problem).into_http();
    }
    record::stamp_seen(seen, response.headers_mut());
    response
}

/// Our own refusals have details; the library's have none.
fn is_undecoded(response: &Response) -> bool {
    response
        .extensions()
        .get::<Status>()
        .is_some_and(|status| status.details().is_empty() && status.code() == Code::Internal)
}
