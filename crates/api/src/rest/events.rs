//! `GET /v1/events`: news of tasks and runs as they happen, one `CloudEvent` a line.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::stream;
use http::{HeaderValue, header};
use mainspring_core::values::Millis;

use super::body;
use crate::edge::Edge;
use crate::operation::events::{ListenBody, listen};
use crate::problem::Problem;
use crate::wire::parse_span;

pub(super) async fn handle(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query =
        body::query(request.uri(), &["kind", "tenant", "job", "run_id", "for_ms", "after", "digest"])?;
    let text = |key: &str| query.get(key).map(String::as_str);
    // What is no number is none of those that are allowed.
    let for_ms = text("for_ms").map(|text| text.parse().unwrap_or(0));
    let digest = text("digest").map(parse_span).transpose();
    let wanted = ListenBody {
        kind: text("kind"),
        tenant: text("tenant"),
        job: text("job"),
        run_id: text("run_id"),
        for_ms,
        after: text("after"),
        digest: digest.map_err(|what| Problem::query("digest", what))?.map(Millis::get),
    };
    let listening = listen(&edge, &wanted).await?;
    let lines = stream::unfold(listening, |mut listening| async move {
        let line = listening.next().await?;
        Some((Ok::<_, std::convert::Infallible>(line), listening))
    });
    let mut response = Response::new(Body::from_stream(lines));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
