//! `GET /v1/tasks/{id}/logs`: what an attempt wrote, in pieces, or live with `follow=true`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use mainspring_core::values::TaskId;

use super::super::body;
use crate::edge::Edge;
use crate::logs::Piece;
use crate::operation::{self, LogsBody};
use crate::problem::Problem;

const ATTEMPT: HeaderName = HeaderName::from_static("mainspring-log-attempt");
const OFFSET: HeaderName = HeaderName::from_static("mainspring-log-offset");
const NEXT: HeaderName = HeaderName::from_static("mainspring-log-next");
const COMPLETE: HeaderName = HeaderName::from_static("mainspring-log-complete");

fn asked(uri: &Uri) -> Result<LogsBody, Problem> {
    let query = body::query(uri, &["attempt", "offset", "limit", "follow"])?;
    let number = |name: &str| {
        let parse = |text: &String| {
            text.parse::<u64>().map_err(|_| Problem::query(name, "it is a whole number, not below 0"))
        };
        query.get(name).map(parse).transpose()
    };
    let follow = match query.get("follow").map(String::as_str) {
        None | Some("false" | "0") => false,
        Some("true" | "1" | "") => true,
        Some(_) => return Err(Problem::query("follow", "it is `true` or `false`")),
    };
    let attempt = number("attempt")?.map(u32::try_from).transpose();
    Ok(LogsBody {
        attempt: attempt.map_err(|_| Problem::query("attempt", "there are not so many"))?,
        offset: number("offset")?.unwrap_or(0),
        limit: number("limit")?,
        follow,
    })
}

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let id = operation::task_id(&text)?;
    let asked = asked(request.uri())?;
    if asked.follow { follow(&edge, id, &asked).await } else { page(&edge, id, &asked).await }
}

async fn page(edge: &Edge, id: TaskId, asked: &LogsBody) -> Result<Response, Problem> {
    let read = operation::read_log(edge, id, asked).await?;
    let mut response = plain(read.piece.bytes.into());
    let headers = response.headers_mut();
    note(headers, read.attempt, asked.offset);
    headers.insert(NEXT, HeaderValue::from(read.piece.next));
    headers.insert(COMPLETE, HeaderValue::from_static(if read.complete { "true" } else { "false" }));
    Ok(response)
}

async fn follow(edge: &Arc<Edge>, id: TaskId, asked: &LogsBody) -> Result<Response, Problem> {
    let (attempt, following) = operation::follow_log(edge, id, asked).await?;
    let mut text = Text::default();
    let pieces = following.stream().map(move |piece| piece.map(|piece| text.with_heading(piece)));
    let mut response = plain(Body::from_stream(pieces));
    note(response.headers_mut(), Some(attempt), asked.offset);
    Ok(response)
}

/// Pieces of several attempts in one text.
#[derive(Default)]
struct Text {
    /// The attempt of the piece before, and whether that one ended with a whole line.
    before: Option<(u32, bool)>,
}

impl Text {
    fn with_heading(&mut self, piece: Piece) -> Bytes {
        let Piece { attempt, bytes, .. } = piece;
        match self.before.replace((attempt, bytes.ends_with(b"\n"))) {
            Some((before, whole_line)) if before != attempt => {
                let line = if whole_line { "" } else { "\n" };
                let mut all = format!("{line}── attempt {attempt} ──\n").into_bytes();
                all.extend_from_slice(&bytes);
                all.into()
            }
            _ => bytes,
        }
    }
}

fn note(headers: &mut HeaderMap, attempt: Option<u32>, offset: u64) {
    if let Some(attempt) = attempt {
        headers.insert(ATTEMPT, HeaderValue::from(attempt));
    }
    headers.insert(OFFSET, HeaderValue::from(offset));
}

/// What a task wrote is text, whatever it looks like.
fn plain(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
