//! `/v1/backfills`: run windows that lie behind, look how far that has come, pause and cancel it.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;

use super::call::Call;
use super::flows::limit;
use super::{body, json};
use crate::edge::Edge;
use crate::operation::backfills::{self as operation, BackfillFilter};
use crate::problem::Problem;
use crate::wire::{BackfillBody, BackfillChanged, BackfillPage, BackfillView};

/// 201 with the new one; 200 with what would be run if that was asked for, or if there is nothing to run.
pub(super) async fn create(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let call = Call::read(&edge, request).await?;
    let wish: BackfillBody = body::parse(&call.bytes)?;
    match operation::create_backfill(&edge, &wish, &call.caller()?).await? {
        operation::Made::Backfill(id) => {
            let backfill = operation::backfill(&edge, id).await?;
            Ok(json(StatusCode::CREATED, &BackfillView::of(&backfill)))
        }
        operation::Made::Plan(plan) => Ok(json(StatusCode::OK, &plan.view())),
    }
}

pub(super) async fn list(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant", "job", "state", "limit", "cursor"])?;
    let text = |key: &str| query.get(key).map(String::as_str);
    let wanted = BackfillFilter { tenant: text("tenant"), job: text("job"), state: text("state") };
    let (found, next) = operation::backfills(&edge, wanted, text("cursor"), limit(&query)?).await?;
    let backfills = found.iter().map(|backfill| BackfillView::of(backfill)).collect();
    let next_cursor = next.map(|next| next.to_string());
    Ok(json(StatusCode::OK, &BackfillPage { backfills, next_cursor }))
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    if text.contains(':') {
        return Ok(super::no_method(request).await);
    }
    let backfill = operation::backfill(&edge, operation::backfill_id(&text)?).await?;
    Ok(json(StatusCode::OK, &BackfillView::of(&backfill)))
}

/// `POST /v1/backfills/{id}:pause`, `:resume`, `:cancel`.
pub(super) async fn verb(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let Some((id, verb)) = text.split_once(':') else {
        return Ok(super::no_method(request).await);
    };
    let call = Call::read(&edge, request).await?;
    if !matches!(verb, "pause" | "resume" | "cancel") {
        return Err(Problem::RouteNotFound { path: call.uri.path().chars().take(200).collect() });
    }
    let id = operation::backfill_id(id)?;
    let over = body::parse_optional(&call.bytes)?;
    let caller = call.caller()?;
    let (status, message) = match verb {
        "pause" => {
            (operation::pause_backfill(&edge, id, true, &over, &caller).await?, "no further window begins")
        }
        "resume" => {
            (operation::pause_backfill(&edge, id, false, &over, &caller).await?, "the backfill goes on")
        }
        _ => {
            (operation::cancel_backfill(&edge, id, &over, &caller).await?, "what runs of it is asked to stop")
        }
    };
    let answer = BackfillChanged { backfill_id: id.to_string(), state: status.label(), message };
    Ok(json(StatusCode::OK, &answer))
}
