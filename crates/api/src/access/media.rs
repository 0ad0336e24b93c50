//! Types of bodies. The three that a browser sends to any server without asking it first (`text/plain`,
//! `application/x-www-form-urlencoded`, `multipart/form-data`), and a body without a type, are refused everywhere.

use axum::body::HttpBody;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, header};

use crate::problem::{AccessProblem, Problem};

const JSON: &[&str] = &["application/json"];
/// Tasks one a line.
const JSON_OR_LINES: &[&str] = &["application/json", "application/x-ndjson"];
/// The text of a job file.
const JSON_OR_YAML: &[&str] = &["application/json", "application/yaml"];

fn accepted(route: &str) -> &'static [&'static str] {
    match route {
        "/v1/tasks:batch" => JSON_OR_LINES,
        "/v1/jobs" => JSON_OR_YAML,
        _ => JSON,
    }
}

/// Before every route of REST but those that read events and signed calls.
pub(crate) async fn json_body(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let accepted = accepted(route);
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let found = media_type(request.headers());
    let fits = match &found {
        Found::None => request.body().is_end_stream(),
        Found::One(found) => accepted.contains(&found.as_str()),
        Found::Unreadable => false,
    };
    if fits { next.run(request).await } else { refuse(found, accepted) }
}

/// Before every method of gRPC: a body of another type would be decoded all the same.
pub(crate) async fn grpc_body(request: Request, next: Next) -> Response {
    let found = media_type(request.headers());
    match &found {
        Found::One(found) if found == "application/grpc" || found.starts_with("application/grpc+") => {
            next.run(request).await
        }
        _ => refuse(found, &["application/grpc"]),
    }
}

fn refuse(found: Found, accepted: &'static [&'static str]) -> Response {
    let found = match found {
        Found::None => String::new(),
        Found::One(found) => found.chars().take(100).collect(),
        Found::Unreadable => "?".to_owned(),
    };
    Problem::Access(AccessProblem::MediaType { found, accepted }).into_response()
}

enum Found {
    None,
    /// In lower case, without parameters.
    One(String),
    Unreadable,
}

fn media_type(headers: &HeaderMap) -> Found {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let Some(value) = values.next() else { return Found::None };
    match value.to_str() {
        Ok(text) if values.next().is_none() => {
            Found::One(text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
        }
        _ => Found::Unreadable,
    }
}
