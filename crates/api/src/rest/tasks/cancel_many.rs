//! `POST /v1/tasks:cancel`: cancel everything that matches and is there now. The work goes on in steps after the
//! answer; `GET /v1/operations/{id}` tells how far it is.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use super::super::call::Call;
use super::super::{body, operations::begun};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::SelectorBody;

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let call = Call::read(&edge, request).await?;
    let wanted: SelectorBody = body::parse_optional(&call.bytes)?;
    Ok(begun(&operation::cancel_many(&edge, &wanted, &call.caller()?).await?))
}
