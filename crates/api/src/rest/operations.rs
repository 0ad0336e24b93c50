//! `/v1/operations`: bulk work is begun, listed, followed and cancelled here.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;

use super::call::Call;
use super::flows::limit;
use super::{body, json};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{BulkBody, OperationPage, OperationView, OverrideBody};

/// 202: it goes on after the answer; 200 for what only counted.
pub(super) fn begun(view: &OperationView) -> Response {
    let status = if view.operation_id == 0 { StatusCode::OK } else { StatusCode::ACCEPTED };
    json(status, view)
}

pub(super) async fn begin(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let call = Call::read(&edge, request).await?;
    let wanted: BulkBody = body::parse(&call.bytes)?;
    Ok(begun(&operation::bulk(&edge, &wanted, &call.caller()?).await?))
}

pub(super) async fn list(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["limit", "cursor"])?;
    let cursor = query.get("cursor").map(String::as_str);
    let (operations, next_cursor) = operation::operations(&edge, cursor, limit(&query)?).await?;
    Ok(json(StatusCode::OK, &OperationPage { operations, next_cursor }))
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    if text.contains(':') {
        return Ok(super::no_method(request).await);
    }
    Ok(json(StatusCode::OK, &operation::operation(&edge, &text).await?))
}

/// `POST /v1/operations/{id}:cancel`.
pub(super) async fn verb(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let Some((id, verb)) = text.split_once(':') else {
        return Ok(super::no_method(request).await);
    };
    let call = Call::read(&edge, request).await?;
    if verb != "cancel" {
        return Err(Problem::RouteNotFound { path: call.uri.path().chars().take(200).collect() });
    }
    let over: OverrideBody = body::parse_optional(&call.bytes)?;
    let view = operation::cancel_operation(&edge, id, &over, &call.caller()?).await?;
    Ok(json(StatusCode::OK, &view))
}
