//! `TaskService.Submit`.

use mainspring_proto::v1;
use tonic::Request;

use super::super::time::timestamp;
use super::{body, status_number};
use crate::edge::Edge;
use crate::operation::{self, Accepted};
use crate::problem::Problem;
use crate::wire::Keys;

pub(super) async fn submit(
    edge: &Edge,
    request: &Request<v1::SubmitRequest>,
) -> Result<v1::SubmitResponse, Problem> {
    let none = v1::TaskSpec::default();
    let spec = request.get_ref().task.as_ref().unwrap_or(&none);
    let keys = Keys::of(request.metadata().as_ref())?;
    let submit = operation::prepare(edge, &body::task(spec)?, keys)?;
    Ok(response(&operation::submit(edge, submit, keys).await?))
}

pub(super) fn response(accepted: &Accepted) -> v1::SubmitResponse {
    v1::SubmitResponse {
        task_id: accepted.id.to_string(),
        state: status_number(accepted.status),
        created_at: Some(timestamp(accepted.created)),
        duplicate: accepted.duplicate,
        warnings: accepted.warning.clone().into_iter().collect(),
    }
}
