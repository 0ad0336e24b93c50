//! `RunService`.

mod diagnosis;
mod items;
mod list;
mod timeline;
mod view;

use std::sync::Arc;

use mainspring_core::values::{Millis, RunId, RunStatus};
use mainspring_proto::v1;
use mainspring_proto::v1::run_service_server::RunService;
use tonic::{Request, Response, Status};

pub(super) use self::view::{note, run_state};
use super::call::Call;
use super::operations::message;
use super::status::{answer, request_id};
use super::tasks::body;
use super::time::span_field;
use crate::edge::Edge;
use crate::operation::{self, flows};
use crate::problem::Problem;
use crate::wire::{ApproveBody, ClearBody, OverrideBody, RerunBody, RunSelectorBody, RunView};

pub(super) struct Runs(pub(super) Arc<Edge>);

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl RunService for Runs {
    async fn get(&self, request: Request<v1::GetRunRequest>) -> Answer<v1::Run> {
        let id = request_id(&request);
        answer(&self.0, &id, get(&self.0, request.get_ref()).await)
    }

    async fn list(&self, request: Request<v1::ListRunsRequest>) -> Answer<v1::ListRunsResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, list::list(&self.0, request.get_ref()).await)
    }

    async fn list_items(&self, request: Request<v1::ListItemsRequest>) -> Answer<v1::ListItemsResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, items::list(&self.0, request.get_ref()).await)
    }

    async fn cancel(&self, request: Request<v1::CancelRunRequest>) -> Answer<v1::RunChange> {
        let id = request_id(&request);
        answer(&self.0, &id, cancel(&self.0, &Call::of(request)).await)
    }

    async fn cancel_many(&self, request: Request<v1::CancelRunsRequest>) -> Answer<v1::Operation> {
        let id = request_id(&request);
        answer(&self.0, &id, cancel_many(&self.0, &Call::of(request)).await)
    }

    async fn pause(&self, request: Request<v1::PauseRunRequest>) -> Answer<v1::RunChange> {
        let id = request_id(&request);
        answer(&self.0, &id, pause(&self.0, &Call::of(request)).await)
    }

    async fn resume(&self, request: Request<v1::ResumeRunRequest>) -> Answer<v1::RunChange> {
        let id = request_id(&request);
        answer(&self.0, &id, resume(&self.0, &Call::of(request)).await)
    }

    async fn rerun(&self, request: Request<v1::RerunRequest>) -> Answer<v1::RerunResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, rerun(&self.0, &Call::of(request)).await)
    }

    async fn clear(&self, request: Request<v1::ClearRunRequest>) -> Answer<v1::RunChange> {
        let id = request_id(&request);
        answer(&self.0, &id, clear(&self.0, &Call::of(request)).await)
    }

    async fn approve(&self, request: Request<v1::ApproveRunRequest>) -> Answer<v1::RunChange> {
        let id = request_id(&request);
        answer(&self.0, &id, approve(&self.0, &Call::of(request)).await)
    }

    async fn reject(&self, request: Request<v1::RejectRunRequest>) -> Answer<v1::RunChange> {
        let id = request_id(&request);
        answer(&self.0, &id, reject(&self.0, &Call::of(request)).await)
    }

    async fn force_state(&self, request: Request<v1::ForceRunStateRequest>) -> Answer<v1::RunChange> {
        let id = request_id(&request);
        answer(&self.0, &id, force_state(&self.0, &Call::of(request)).await)
    }

    async fn reevaluate(&self, request: Request<v1::ReevaluateRunRequest>) -> Answer<v1::RunChange> {
        let id = request_id(&request);
        answer(&self.0, &id, reevaluate(&self.0, &Call::of(request)).await)
    }

    async fn diagnose(&self, request: Request<v1::DiagnoseRunRequest>) -> Answer<v1::RunDiagnosis> {
        let id = request_id(&request);
        answer(&self.0, &id, diagnosis::diagnose(&self.0, request.get_ref()).await)
    }

    async fn timeline(&self, request: Request<v1::RunTimelineRequest>) -> Answer<v1::RunTimeline> {
        let id = request_id(&request);
        answer(&self.0, &id, timeline::timeline(&self.0, request.get_ref()).await)
    }
}

async fn get(edge: &Arc<Edge>, request: &v1::GetRunRequest) -> Result<v1::Run, Problem> {
    let limit = request.tasks_limit.map(|limit| limit as usize);
    let page = flows::task_page(Some(request.tasks_offset as usize), limit)?;
    let wait = operation::checked_wait(span_field("wait", request.wait.as_ref())?.map(Millis::new))?;
    let run = operation::run_ended(edge, flows::run_id(&request.run_id)?, wait).await?;
    let owner = flows::owner(edge, &run.run.job).await;
    Ok(view::run(RunView { owner, ..RunView::whole(&run, page) }))
}

async fn cancel(edge: &Edge, call: &Call<v1::CancelRunRequest>) -> Result<v1::RunChange, Problem> {
    let v1::CancelRunRequest { run_id, actor, reason } = call.message.clone();
    let id = flows::run_id(&run_id)?;
    let over = OverrideBody { actor, reason };
    Ok(changed(id, flows::cancel_run(edge, id, &over, &call.caller()?).await?))
}

async fn cancel_many(edge: &Edge, call: &Call<v1::CancelRunsRequest>) -> Result<v1::Operation, Problem> {
    let v1::CancelRunsRequest { tenant, job, label, actor, reason, dry_run } = call.message.clone();
    let selector = RunSelectorBody { tenant, job, label, dry_run, actor, reason };
    Ok(message(flows::cancel_runs(edge, &selector, &call.caller()?).await?))
}

async fn pause(edge: &Edge, call: &Call<v1::PauseRunRequest>) -> Result<v1::RunChange, Problem> {
    let v1::PauseRunRequest { run_id, actor, reason } = call.message.clone();
    let id = flows::run_id(&run_id)?;
    let over = OverrideBody { actor, reason };
    Ok(changed(id, flows::pause_run(edge, id, true, &over, &call.caller()?).await?))
}

async fn resume(edge: &Edge, call: &Call<v1::ResumeRunRequest>) -> Result<v1::RunChange, Problem> {
    let v1::ResumeRunRequest { run_id, actor, reason } = call.message.clone();
    let id = flows::run_id(&run_id)?;
    let over = OverrideBody { actor, reason };
    Ok(changed(id, flows::pause_run(edge, id, false, &over, &call.caller()?).await?))
}

async fn rerun(edge: &Edge, call: &Call<v1::RerunRequest>) -> Result<v1::RerunResponse, Problem> {
    let v1::RerunRequest { run_id, from, parameters_json, version, actor, reason } = call.message.clone();
    let of = flows::run_id(&run_id)?;
    let parameters = body::payload(parameters_json.as_deref())?.map(ToOwned::to_owned);
    let wanted = RerunBody { from, parameters, version, actor, reason };
    let new = flows::rerun(edge, of, &wanted, &call.caller()?).await?;
    let (run_id, rerun_of) = (new.id.to_string(), of.to_string());
    Ok(v1::RerunResponse { run_id, rerun_of, warnings: new.warnings })
}

async fn clear(edge: &Edge, call: &Call<v1::ClearRunRequest>) -> Result<v1::RunChange, Problem> {
    let v1::ClearRunRequest { run_id, tasks, actor, reason, items, only_failed } = call.message.clone();
    let id = flows::run_id(&run_id)?;
    let wanted = ClearBody { tasks, items, only_failed, actor, reason };
    Ok(changed(id, flows::clear_run(edge, id, &wanted, &call.caller()?).await?))
}

async fn approve(edge: &Edge, call: &Call<v1::ApproveRunRequest>) -> Result<v1::RunChange, Problem> {
    let v1::ApproveRunRequest { run_id, task, item, actor, reason } = call.message.clone();
    let id = flows::run_id(&run_id)?;
    let wanted = ApproveBody { task, item, actor, reason };
    Ok(changed(id, flows::approve_run(edge, id, true, &wanted, &call.caller()?).await?))
}

async fn reject(edge: &Edge, call: &Call<v1::RejectRunRequest>) -> Result<v1::RunChange, Problem> {
    let v1::RejectRunRequest { run_id, task, item, actor, reason } = call.message.clone();
    let id = flows::run_id(&run_id)?;
    let wanted = ApproveBody { task, item, actor, reason };
    Ok(changed(id, flows::approve_run(edge, id, false, &wanted, &call.caller()?).await?))
}

async fn force_state(edge: &Edge, call: &Call<v1::ForceRunStateRequest>) -> Result<v1::RunChange, Problem> {
    let v1::ForceRunStateRequest { run_id, state, actor, reason } = call.message.clone();
    let id = flows::run_id(&run_id)?;
    let status = parse_status(state).ok_or_else(|| Problem::field("state", "there is no such state"))?;
    let over = OverrideBody { actor, reason };
    Ok(changed(id, flows::force_run(edge, id, status, &over, &call.caller()?).await?))
}

async fn reevaluate(edge: &Edge, call: &Call<v1::ReevaluateRunRequest>) -> Result<v1::RunChange, Problem> {
    let v1::ReevaluateRunRequest { run_id, actor, reason } = call.message.clone();
    let id = flows::run_id(&run_id)?;
    let over = OverrideBody { actor, reason };
    Ok(changed(id, flows::reevaluate_run(edge, id, &over, &call.caller()?).await?))
}

fn changed(id: RunId, status: RunStatus) -> v1::RunChange {
    v1::RunChange { run_id: id.to_string(), state: run_state(status.label()) }
}

/// `None` also for those that are only shown.
fn parse_status(number: i32) -> Option<RunStatus> {
    RunStatus::ALL.into_iter().find(|status| run_state(status.label()) == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_its_number_and_only_stored_ones_are_read() {
        for (status, number) in RunStatus::ALL.into_iter().zip(1..) {
            assert_eq!(run_state(status.label()), number);
            assert_eq!(parse_status(number), Some(status));
        }
        for none in [-1, 0, 6] {
            assert_eq!(parse_status(none), None);
        }
    }
}
