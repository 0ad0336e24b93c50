//! `GET /v1/store/quarantine` and `POST /v1/store/quarantine/{row}:release`: rows of the tables that cannot be read.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;

use super::call::Call;
use super::{body, json};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(super) async fn list(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    Ok(json(StatusCode::OK, &operation::quarantine(&edge).await?))
}

pub(super) async fn verb(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    match text.split_once(':') {
        Some((row, "release")) => {
            let call = Call::read(&edge, request).await?;
            let over = body::parse_optional(&call.bytes)?;
            Ok(json(StatusCode::OK, &operation::release(&edge, row, &over, &call.caller()?).await?))
        }
        Some(_) => Err(Problem::RouteNotFound { path: request.uri().path().chars().take(200).collect() }),
        None => Ok(super::no_method(request).await),
    }
}
