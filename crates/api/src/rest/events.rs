//! `GET /v1/events`: news of tasks and runs as they happen, one `CloudEvent` a line.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::stream;
use http::{HeaderValue, header};

use super::body;
use crate::edge::Edge;
use crate::feed::{self, Kind, Wanted};
use crate::operation::flows::run_id;
use crate::problem::Problem;
use crate::wire::name;

const FOR_MS_MAX: u64 = 86_400_000;

pub(super) async fn handle(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["kind", "tenant", "job", "run_id", "for_ms"])?;
    let kind = match query.get("kind").map(String::as_str) {
        None => None,
        Some("task") => Some(Kind::Task),
        Some("run") => Some(Kind::Run),
        Some(_) => return Err(Problem::query("kind", "it is `task` or `run`")),
    };
    for field in ["tenant", "job"] {
        query.get(field).map(|text| name(field, text)).transpose()?;
    }
    let run = query.get("run_id").map(|text| run_id(text)).transpose()?.map(|id| id.to_string());
    let wanted = Wanted { kind, tenant: query.get("tenant").cloned(), job: query.get("job").cloned(), run };
    let for_at_most = query.get("for_ms").map(|text| match text.parse::<u64>() {
        Ok(ms @ 1..=FOR_MS_MAX) => Ok(Duration::from_millis(ms)),
        _ => Err(Problem::query("for_ms", format!("it is a number from 1 to {FOR_MS_MAX}"))),
    });
    let listening = feed::listen(&edge, wanted, for_at_most.transpose()?).await?;
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
