//! Pictures for screens: `/v1/jobs/{name}/versions/{version}/graph`, `/v1/jobs/{name}/grid`, `/v1/runs/{id}/graph`,
//! `/v1/runs/{id}/states`.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

use super::super::{body, json};
use super::jobs::key;
use crate::edge::Edge;
use crate::operation::flows::{self, Drawn};
use crate::problem::Problem;
use crate::wire::{GraphView, GridView, StatesView};

/// A version never changes.
const FOR_EVER: &str = "private, max-age=31536000, immutable";

pub(in crate::rest) async fn graph(
    State(edge): State<Arc<Edge>>,
    Path((text, number)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.uri(), request.headers(), &text, &["created"])?;
    let number = number.parse().map_err(|_| Problem::field("version", "not a number"))?;
    Ok(drawn(&flows::graph(&edge, key, number).await?))
}

pub(in crate::rest) async fn run_graph(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    Ok(drawn(&flows::run_graph(&edge, flows::run_id(&text)?).await?))
}

fn drawn(drawn: &Drawn) -> Response {
    let mut response = json(StatusCode::OK, &GraphView::of(&drawn.plan, &drawn.edges, &drawn.drawing));
    if drawn.is_final {
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(FOR_EVER));
    }
    response
}

pub(in crate::rest) async fn states(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let seen = flows::seen_run(&edge, flows::run_id(&text)?).await?;
    Ok(json(StatusCode::OK, &StatesView::of(&seen)))
}

pub(in crate::rest) async fn grid(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.uri(), request.headers(), &text, &["runs"])?;
    let query = body::query(request.uri(), &["tenant", "runs"])?;
    // What is no number is none of those that are allowed.
    let count = query.get("runs").map(|text| text.parse().unwrap_or(0));
    let grid = flows::grid(&edge, &key, count).await?;
    Ok(json(StatusCode::OK, &GridView::of(&grid.tasks, &grid.runs)))
}
