//! `/v1/cron:preview`: what an expression means and when it fires.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use super::call::Call;
use super::{body, json};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

pub(super) async fn preview(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let call = Call::read(&edge, request).await?;
    let preview = operation::preview_cron(body::parse_optional(&call.bytes)?)?;
    Ok(json(StatusCode::OK, &preview))
}
