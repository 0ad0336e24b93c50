//! `TaskService`: one file a verb that is more than a line.

mod amend;
mod batch;
pub(super) mod body;
pub(super) mod cancel_many;
pub(super) mod list;
mod logs;
mod submit;
pub(super) mod view;

use std::sync::Arc;

use mainspring_core::task::Status as TaskState;
use mainspring_core::values::{Millis, TaskId};
use mainspring_proto::v1;
use mainspring_proto::v1::task_service_server::TaskService;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::status::{answer, request_id};
use super::time::span_field;
use crate::edge::Edge;
use crate::operation::{self, Cancelled, Changed, TimerId, flows, schedules, task_id};
use crate::problem::Problem;
use crate::wire::{OverrideBody, TaskHistory, TaskView};

pub(super) struct Tasks(pub(super) Arc<Edge>);

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl TaskService for Tasks {
    async fn submit(&self, request: Request<v1::SubmitRequest>) -> Answer<v1::SubmitResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, submit::submit(&self.0, request).await)
    }

    async fn submit_batch(
        &self,
        request: Request<v1::SubmitBatchRequest>,
    ) -> Answer<v1::SubmitBatchResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, batch::submit(&self.0, request).await)
    }

    async fn get(&self, request: Request<v1::GetTaskRequest>) -> Answer<v1::Task> {
        let id = request_id(&request);
        answer(&self.0, &id, get(&self.0, request.get_ref()).await)
    }

    async fn list(&self, request: Request<v1::ListTasksRequest>) -> Answer<v1::ListTasksResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, list::list(&self.0, request.get_ref()).await)
    }

    async fn cancel(&self, request: Request<v1::CancelTaskRequest>) -> Answer<v1::TaskChange> {
        let id = request_id(&request);
        answer(&self.0, &id, cancel(&self.0, &Call::of(request)).await)
    }

    async fn amend(&self, request: Request<v1::AmendTaskRequest>) -> Answer<v1::TaskChange> {
        let id = request_id(&request);
        answer(&self.0, &id, amend::amend(&self.0, &Call::of(request)).await)
    }

    async fn retry(&self, request: Request<v1::RetryTaskRequest>) -> Answer<v1::TaskChange> {
        let id = request_id(&request);
        answer(&self.0, &id, retry(&self.0, &Call::of(request)).await)
    }

    async fn run_now(&self, request: Request<v1::RunTaskNowRequest>) -> Answer<v1::TaskChange> {
        let id = request_id(&request);
        answer(&self.0, &id, run_now(&self.0, &Call::of(request)).await)
    }

    async fn force_state(&self, request: Request<v1::ForceTaskStateRequest>) -> Answer<v1::TaskChange> {
        let id = request_id(&request);
        answer(&self.0, &id, force_state(&self.0, &Call::of(request)).await)
    }

    async fn diagnose(&self, request: Request<v1::DiagnoseTaskRequest>) -> Answer<v1::Diagnosis> {
        let id = request_id(&request);
        answer(&self.0, &id, diagnose(&self.0, request.get_ref()).await)
    }

    async fn history(&self, request: Request<v1::TaskHistoryRequest>) -> Answer<v1::TaskHistory> {
        let id = request_id(&request);
        answer(&self.0, &id, history(&self.0, request.get_ref()).await)
    }

    async fn cancel_many(&self, request: Request<v1::CancelManyRequest>) -> Answer<v1::Operation> {
        let id = request_id(&request);
        answer(&self.0, &id, cancel_many::cancel_many(&self.0, &Call::of(request)).await)
    }

    type LogsStream = logs::Pieces;

    async fn logs(&self, request: Request<v1::TaskLogsRequest>) -> Answer<logs::Pieces> {
        let id = request_id(&request);
        answer(&self.0, &id, logs::logs(&self.0, id.clone(), request.get_ref()).await)
    }

    async fn search_logs(&self, request: Request<v1::SearchTaskLogsRequest>) -> Answer<v1::TaskLogHits> {
        let id = request_id(&request);
        answer(&self.0, &id, logs::search(&self.0, request.get_ref()).await)
    }
}

async fn get(edge: &Edge, request: &v1::GetTaskRequest) -> Result<v1::Task, Problem> {
    let id = match operation::timer_id(&request.task_id)? {
        TimerId::Task(id) => id,
        TimerId::Recurring(id) => {
            let schedule = schedules::recurring_task(edge, id).await?;
            let none = || Problem::NoSuchTask { id: request.task_id.clone() };
            return TaskView::recurring(&schedule).map(view::message).ok_or_else(none);
        }
    };
    let wait = operation::checked_wait(span_field("wait", request.wait.as_ref())?.map(Millis::new))?;
    let task = operation::read_ended(edge, id, wait).await?;
    let run = flows::run_of(edge, &task).await;
    Ok(view::task(&task, true, run.as_deref()))
}

async fn history(edge: &Edge, request: &v1::TaskHistoryRequest) -> Result<v1::TaskHistory, Problem> {
    let task = operation::read(edge, task_id(&request.task_id)?).await?;
    let run = flows::run_of(edge, &task).await;
    Ok(view::history(TaskHistory::of(&task, run.as_deref())))
}

async fn cancel(edge: &Edge, call: &Call<v1::CancelTaskRequest>) -> Result<v1::TaskChange, Problem> {
    let v1::CancelTaskRequest { task_id: text, force, actor, reason } = call.message.clone();
    let over = OverrideBody { actor, reason };
    let id = match operation::timer_id(&text)? {
        TimerId::Task(id) => id,
        TimerId::Recurring(id) => {
            schedules::cancel_recurring(edge, id, &over, &call.caller()?).await?;
            return Ok(v1::TaskChange {
                task_id: id.to_string(),
                state: status_number(TaskState::Cancelled),
                stopping: false,
            });
        }
    };
    let cancelled = operation::cancel(edge, id, force, &over, &call.caller()?).await?;
    Ok(changed(
        id,
        match cancelled {
            Cancelled::At(_) => Changed::Now(TaskState::Cancelled),
            Cancelled::Stopping => Changed::Stopping,
        },
    ))
}

async fn retry(edge: &Edge, call: &Call<v1::RetryTaskRequest>) -> Result<v1::TaskChange, Problem> {
    let v1::RetryTaskRequest { task_id: text, actor, reason } = call.message.clone();
    let id = task_id(&text)?;
    let over = OverrideBody { actor, reason };
    Ok(changed(id, operation::retry(edge, id, &over, &call.caller()?).await?))
}

async fn run_now(edge: &Edge, call: &Call<v1::RunTaskNowRequest>) -> Result<v1::TaskChange, Problem> {
    let v1::RunTaskNowRequest { task_id: text, actor, reason } = call.message.clone();
    let (id, over) = (task_id(&text)?, OverrideBody { actor, reason });
    Ok(changed(id, operation::run_now(edge, id, &over, &call.caller()?).await?))
}

async fn force_state(edge: &Edge, call: &Call<v1::ForceTaskStateRequest>) -> Result<v1::TaskChange, Problem> {
    let v1::ForceTaskStateRequest { task_id: text, state, actor, reason } = call.message.clone();
    let id = task_id(&text)?;
    let status =
        parse_status(state).ok_or_else(|| Problem::field("state", format!("there is no state {state}")))?;
    let over = OverrideBody { actor, reason };
    Ok(changed(id, operation::force_state(edge, id, status, &over, &call.caller()?).await?))
}

async fn diagnose(edge: &Edge, request: &v1::DiagnoseTaskRequest) -> Result<v1::Diagnosis, Problem> {
    Ok(view::diagnosis(operation::diagnose(edge, task_id(&request.task_id)?).await?))
}

pub(super) fn changed(id: TaskId, changed: Changed) -> v1::TaskChange {
    let (state, stopping) = match changed {
        Changed::Now(status) => (status_number(status), false),
        Changed::Stopping => (v1::TaskState::Unspecified.into(), true),
    };
    v1::TaskChange { task_id: id.to_string(), state, stopping }
}

/// The numbers are those of the core, after the one that stands for none.
fn status_number(status: TaskState) -> i32 {
    status.index() as i32 + 1
}

pub(in crate::grpc) fn parse_status(number: i32) -> Option<TaskState> {
    u8::try_from(number).ok()?.checked_sub(1).and_then(TaskState::from_index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_its_number_and_the_name_that_rest_gives() {
        for status in TaskState::ALL {
            let number = status_number(status);
            assert_eq!(parse_status(number), Some(status));
            let named = v1::TaskState::try_from(number).expect("a number of the enum");
            assert_eq!(named.as_str_name(), format!("TASK_STATE_{}", status.label().to_uppercase()));
        }
        for none in [-1, 0, 13, 256] {
            assert_eq!(parse_status(none), None);
        }
    }
}
