//! `GET /v1/tasks/{id}/logs`: what an attempt wrote, in pieces, or live with `follow=true`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use mainspring_core::task::Task;
use mainspring_store::{LogKey, LogPlace};

use super::super::body;
use crate::edge::Edge;
use crate::logs::{Following, Stand};
use crate::problem::Problem;

const LIMIT_DEFAULT: usize = 1 << 20;
const LIMIT_MAX: usize = 8 << 20;

const ATTEMPT: HeaderName = HeaderName::from_static("mainspring-log-attempt");
const OFFSET: HeaderName = HeaderName::from_static("mainspring-log-offset");
const NEXT: HeaderName = HeaderName::from_static("mainspring-log-next");
const COMPLETE: HeaderName = HeaderName::from_static("mainspring-log-complete");

struct Asked {
    attempt: Option<u32>,
    offset: u64,
    limit: usize,
    follow: bool,
}

impl Asked {
    fn read(uri: &Uri) -> Result<Self, Problem> {
        let query = body::query(uri, &["attempt", "offset", "limit", "follow"])?;
        let number = |name: &str, least: u64, most: u64, wrong: &str| {
            let text = query.get(name);
            let number = text.map(|text| text.parse().ok().filter(|n| (least..=most).contains(n)));
            number.map(|number| number.ok_or_else(|| Problem::query(name, wrong))).transpose()
        };
        let follow = match query.get("follow").map(String::as_str) {
            None | Some("false" | "0") => false,
            Some("true" | "1" | "") => true,
            Some(_) => return Err(Problem::query("follow", "it is `true` or `false`")),
        };
        let attempt = number("attempt", 1, u64::from(u32::MAX), "attempts count from 1")?;
        let limit = number("limit", 1, LIMIT_MAX as u64, "it is a number of bytes from 1 to 8388608")?;
        if follow && limit.is_some() {
            return Err(Problem::query("limit", "it does not go with `follow`"));
        }
        Ok(Self {
            attempt: attempt.map(|attempt| attempt as u32),
            offset: number("offset", 0, u64::MAX, "it is a number of bytes")?.unwrap_or(0),
            limit: limit.map_or(LIMIT_DEFAULT, |limit| limit as usize),
            follow,
        })
    }
}

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let id = super::id(&text)?;
    let asked = Asked::read(request.uri())?;
    let task = super::read(&edge, id).await?;
    if asked.follow { follow(edge, &task, &asked).await } else { page(&edge, &task, &asked).await }
}

async fn page(edge: &Edge, task: &Task, asked: &Asked) -> Result<Response, Problem> {
    let attempt = match asked.attempt {
        Some(attempt) => Some(attempt),
        None => edge.logs.newest(task.id, task.attempts).await?,
    };
    let key = LogKey { task: task.id, attempt: attempt.unwrap_or(task.attempts) };
    let (page, place) = edge.logs.read(key, LogPlace::at(asked.offset), asked.limit).await?;
    let is_late = Stand::of(task, key.attempt).may_grow().is_some_and(|left| left.is_zero());
    let at_end = page.bytes.len() < asked.limit;
    let complete = page.complete || at_end && (is_late || edge.logs.followers.was_silent(key));
    let mut response = plain(page.bytes.into());
    let headers = response.headers_mut();
    note(headers, attempt, asked.offset);
    headers.insert(NEXT, HeaderValue::from(place.offset));
    headers.insert(COMPLETE, HeaderValue::from_static(if complete { "true" } else { "false" }));
    Ok(response)
}

async fn follow(edge: Arc<Edge>, task: &Task, asked: &Asked) -> Result<Response, Problem> {
    let max = edge.config.log_followers_max;
    let follower = edge.logs.followers.enter(task.id, max).ok_or(Problem::TooManyFollowers { max })?;
    let newest = match asked.attempt {
        Some(attempt) => attempt,
        None => edge.logs.newest(task.id, task.attempts).await?.unwrap_or(task.attempts.max(1)),
    };
    let (attempt, offset) = ((newest, asked.attempt.is_some()), asked.offset);
    let following = Following::new(edge, task.id, attempt, offset, follower);
    let mut response = plain(Body::from_stream(following.stream()));
    note(response.headers_mut(), Some(newest), offset);
    Ok(response)
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
