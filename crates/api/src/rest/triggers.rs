//! `/v1/triggers`: what begins runs when something is told, and what each has made of it.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;

use super::flows::limit;
use super::{body, json};
use crate::edge::Edge;
use crate::operation::events as operation;
use crate::problem::Problem;
use crate::wire::{Keys, TriggerPage, TriggerView};

pub(super) async fn list(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant", "job", "limit", "cursor"])?;
    let text = |key: &str| query.get(key).map(String::as_str);
    let wanted = (text("tenant"), text("job"));
    let (found, next) = operation::triggers(&edge, wanted, text("cursor"), limit(&query)?).await?;
    let triggers = found.iter().map(TriggerView::of).collect();
    Ok(json(StatusCode::OK, &TriggerPage { triggers, next_cursor: next }))
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path((job, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant"])?;
    let (tenant, keys) = (query.get("tenant").map(String::as_str), Keys::of(request.headers())?);
    let hook = operation::trigger(&edge, operation::named_trigger(tenant, keys, &job, &name)?).await?;
    Ok(json(StatusCode::OK, &TriggerView::of(&hook)))
}
