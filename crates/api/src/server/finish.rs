//! What is done to every answer: the request's id, and problems in their one shape.

use axum::body::Body;
use http::{HeaderValue, Response, header};
use mainspring_core::values::Millis;

use super::request_id::{HEADER, RequestId};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::rest::json;

pub(super) fn finish(mut response: Response<Body>, id: &RequestId, edge: &Edge) -> Response<Body> {
    let metrics = &edge.metrics;
    metrics.requests.inc();
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = render(&problem, &response, id, edge.base());
        metrics.note_refused(problem.code());
        if problem.status().is_server_error() {
            tracing::warn!(code = problem.code(), request = id.as_str(), what = %problem, "a request failed");
        }
    }
    response.headers_mut().insert(HEADER, id.value());
    response
}

/// Keeps the headers that came with it, such as `Allow`.
fn render(problem: &Problem, response: &Response<Body>, id: &RequestId, base: &str) -> Response<Body> {
    let mut body = problem.body(id.as_str());
    body.docs.insert_str(0, base);
    let mut rendered = json(problem.status(), &body);
    for (name, value) in response.headers() {
        if name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE {
            rendered.headers_mut().append(name, value.clone());
        }
    }
    if let Some(after) = problem.retry_after().map(Millis::get) {
        let seconds = HeaderValue::from(after.div_ceil(1000).max(1));
        rendered.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    rendered
}
