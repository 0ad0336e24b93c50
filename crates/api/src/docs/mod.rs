//! What people read: the `OpenAPI` document, a page that shows it, and a page for every error. All embedded.

mod errors;
#[cfg(test)]
mod openapi;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header;

#[cfg(test)]
pub(crate) use self::openapi::error_code;
use crate::edge::Edge;
use crate::problem::Problem;

const OPENAPI: &str = include_str!("openapi.json");
const PAGE: &str = include_str!("page.html");

pub(crate) fn routes() -> Router<Arc<Edge>> {
    Router::new()
        .route("/openapi.json", get(openapi))
        .route("/schema/job.json", get(job_schema))
        .route("/docs", get(page))
        .route("/docs/errors/{code}", get(error_page))
}

async fn openapi(State(edge): State<Arc<Edge>>) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    match (edge.base(), OPENAPI.strip_prefix('{')) {
        ("", _) | (_, None) => (headers, OPENAPI).into_response(),
        (base, Some(rest)) => {
            (headers, format!(r#"{{"servers":[{{"url":"{base}"}}],{rest}"#)).into_response()
        }
    }
}

/// For editors: completion and checks while a job file is written.
async fn job_schema() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], mainspring_definition::SCHEMA).into_response()
}

async fn page() -> Response {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], PAGE).into_response()
}

async fn error_page(Path(code): Path<String>) -> Result<Response, Problem> {
    let text = errors::page(&code).ok_or_else(|| Problem::RouteNotFound {
        path: format!("/docs/errors/{}", code.chars().take(100).collect::<String>()),
    })?;
    Ok(([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response())
}
