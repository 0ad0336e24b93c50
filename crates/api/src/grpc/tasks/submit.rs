//! `TaskService.Submit`.

use mainspring_core::task::Status;
use mainspring_proto::v1;
use tonic::Request;

use super::super::call::Call;
use super::super::time::timestamp;
use super::{body, status_number};
use crate::edge::Edge;
use crate::operation::schedules::{self, Recurring};
use crate::operation::{self, Accepted};
use crate::problem::Problem;
use crate::wire::Keys;

pub(super) async fn submit(
    edge: &Edge,
    request: Request<v1::SubmitRequest>,
) -> Result<v1::SubmitResponse, Problem> {
    let recurs = |task: &v1::TaskSpec| task.recurrence_json.is_some();
    if request.get_ref().task.as_ref().is_some_and(recurs) {
        return recurring(edge, &Call::of(request)).await;
    }
    let none = v1::TaskSpec::default();
    let spec = request.get_ref().task.as_ref().unwrap_or(&none);
    let keys = Keys::of(request.metadata().as_ref())?;
    let submit = operation::prepare(edge, &body::task(spec)?, keys)?;
    Ok(response(&operation::submit(edge, submit, keys).await?))
}

/// A schedule instead of a task: the tasks come with its windows.
async fn recurring(edge: &Edge, call: &Call<v1::SubmitRequest>) -> Result<v1::SubmitResponse, Problem> {
    let none = v1::TaskSpec::default();
    let task = body::task(call.message.task.as_ref().unwrap_or(&none))?;
    let Recurring { id, created, key, next } = schedules::recurring(edge, &task, &call.caller()?).await?;
    Ok(v1::SubmitResponse {
        task_id: id.to_string(),
        state: status_number(Status::Pending),
        created_at: Some(timestamp(created)),
        schedule: Some(format!("{}/{}", key.job, key.name)),
        next: next.map(timestamp),
        ..v1::SubmitResponse::default()
    })
}

pub(super) fn response(accepted: &Accepted) -> v1::SubmitResponse {
    v1::SubmitResponse {
        task_id: accepted.id.to_string(),
        state: status_number(accepted.status),
        created_at: Some(timestamp(accepted.created)),
        duplicate: accepted.duplicate,
        warnings: accepted.warning.clone().into_iter().collect(),
        ..v1::SubmitResponse::default()
    }
}
