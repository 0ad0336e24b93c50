//! `GET /v1/tasks/{id}/logs`: what an attempt wrote, in pieces, as a file, or live with `follow=true`; and
//! `/logs/search`.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use mainspring_core::values::TaskId;
use mainspring_proto::streams::LogStream;

use super::super::{body, json};
use crate::edge::Edge;
use crate::logs::Piece;
use crate::operation::{self, LogSearchBody, LogsBody};
use crate::problem::Problem;
use crate::wire::LogHits;

const ATTEMPT: HeaderName = HeaderName::from_static("mainspring-log-attempt");
const OFFSET: HeaderName = HeaderName::from_static("mainspring-log-offset");
const NEXT: HeaderName = HeaderName::from_static("mainspring-log-next");
const LINE: HeaderName = HeaderName::from_static("mainspring-log-line");
const SIZE: HeaderName = HeaderName::from_static("mainspring-log-size");
const LINES: HeaderName = HeaderName::from_static("mainspring-log-lines");
const COMPLETE: HeaderName = HeaderName::from_static("mainspring-log-complete");

type Query = BTreeMap<String, String>;

fn number<T: FromStr>(query: &Query, name: &str, what: &str) -> Result<Option<T>, Problem> {
    let parse = |text: &String| text.parse::<T>().map_err(|_| Problem::query(name, what));
    query.get(name).map(parse).transpose()
}

fn flag(query: &Query, name: &str) -> Result<bool, Problem> {
    match query.get(name).map(String::as_str) {
        None | Some("false" | "0") => Ok(false),
        Some("true" | "1" | "") => Ok(true),
        Some(_) => Err(Problem::query(name, "it is `true` or `false`")),
    }
}

/// `65536`, `64KiB` or `1MiB`.
fn bytes(query: &Query, name: &str) -> Result<Option<u64>, Problem> {
    let parse = |text: &String| {
        let units = [("KiB", 10), ("MiB", 20)];
        let unit = units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
        let (digits, shift) = unit.unwrap_or((text.as_str(), 0));
        digits.parse::<u64>().ok().and_then(|count| count.checked_mul(1 << shift))
    };
    let what = "it is a number of bytes, as `65536`, `64KiB` or `1MiB`";
    query.get(name).map(|text| parse(text).ok_or_else(|| Problem::query(name, what))).transpose()
}

fn stream(query: &Query) -> Result<LogStream, Problem> {
    let Some(word) = query.get("stream") else { return Ok(LogStream::All) };
    LogStream::parse(word)
        .ok_or_else(|| Problem::query("stream", "it is `all`, `stdout`, `stderr` or `marked`"))
}

const WHOLE: &str = "it is a whole number, not below 0";

fn asked(query: &Query) -> Result<LogsBody, Problem> {
    Ok(LogsBody {
        attempt: number(query, "attempt", "it is the number of an attempt, from 1")?,
        offset: number(query, "offset", WHOLE)?.unwrap_or(0),
        limit: number(query, "limit", WHOLE)?,
        tail: bytes(query, "tail")?,
        line: number(query, "line", "it is a whole number; below 0 it counts from the end")?,
        follow: flag(query, "follow")?,
        stream: stream(query)?,
    })
}

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let id = operation::task_id(&text)?;
    let known = ["attempt", "offset", "limit", "tail", "line", "follow", "download", "stream"];
    let query = body::query(request.uri(), &known)?;
    let asked = asked(&query)?;
    match (flag(&query, "download")?, asked.follow) {
        (true, _) => download(&edge, id, &asked).await,
        (false, true) => follow(&edge, id, &asked).await,
        (false, false) => page(&edge, id, &asked).await,
    }
}

pub(in crate::rest) async fn search(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    uri: Uri,
) -> Result<Response, Problem> {
    let id = operation::task_id(&text)?;
    let query = body::query(&uri, &["q", "attempt", "from", "limit", "ignore_case"])?;
    let asked = LogSearchBody {
        attempt: number(&query, "attempt", "it is the number of an attempt, from 1")?,
        text: query.get("q").map_or("", String::as_str),
        from: number(&query, "from", WHOLE)?.unwrap_or(0),
        limit: number(&query, "limit", WHOLE)?,
        ignore_case: flag(&query, "ignore_case")?,
    };
    let (attempt, found) = operation::search_log(&edge, id, &asked).await?;
    Ok(json(StatusCode::OK, &LogHits::of(attempt, asked.from, &found)))
}

async fn page(edge: &Edge, id: TaskId, asked: &LogsBody) -> Result<Response, Problem> {
    let read = operation::read_log(edge, id, asked).await?;
    let mut response = plain(read.piece.bytes.into());
    let headers = response.headers_mut();
    note(headers, read.attempt, read.piece.offset);
    headers.insert(NEXT, HeaderValue::from(read.piece.next));
    headers.insert(COMPLETE, HeaderValue::from_static(if read.complete { "true" } else { "false" }));
    if read.line > 0 {
        headers.insert(LINE, HeaderValue::from(read.line));
    }
    if let Some((size, lines)) = read.extent {
        headers.insert(SIZE, HeaderValue::from(size));
        headers.insert(LINES, HeaderValue::from(lines));
    }
    Ok(response)
}

async fn download(edge: &Arc<Edge>, id: TaskId, asked: &LogsBody) -> Result<Response, Problem> {
    let (attempt, pieces) = operation::download_log(edge, id, asked).await?;
    let mut response = plain(Body::from_stream(pieces));
    let headers = response.headers_mut();
    note(headers, Some(attempt), asked.offset);
    let file = format!("attachment; filename=\"{id}-{attempt}.log\"");
    let file = HeaderValue::try_from(file).map_err(|_| Problem::BodyUnreadable)?;
    headers.insert(header::CONTENT_DISPOSITION, file);
    Ok(response)
}

async fn follow(edge: &Arc<Edge>, id: TaskId, asked: &LogsBody) -> Result<Response, Problem> {
    let (attempt, mut filter, following) = operation::follow_log(edge, id, asked).await?;
    let mut text = Text::default();
    let pieces = following.stream().map(move |piece| {
        piece.map(|piece| {
            let bytes = filter.take(piece.bytes.clone());
            text.with_heading(Piece { bytes, ..piece })
        })
    });
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
