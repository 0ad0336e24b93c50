//! `/v1/pools`: how much room each pool has and how much waits for it.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;

use super::json;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{PoolPage, PoolView};

pub(super) async fn list(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    let pools: Vec<PoolView> = operation::pools(&edge).await?.into_values().collect();
    Ok(json(StatusCode::OK, &PoolPage { pools }))
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    Ok(json(StatusCode::OK, &operation::pool(&edge, &name).await?))
}
