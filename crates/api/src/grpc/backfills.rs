//! `BackfillService`.

use std::sync::Arc;

use mainspring_core::backfill::BackfillStatus;
use mainspring_core::values::BackfillId;
use mainspring_proto::v1;
use mainspring_proto::v1::backfill_service_server::BackfillService;
use mainspring_proto::v1::create_backfill_response::Outcome;
use prost_types::Timestamp;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::status::{answer, request_id};
use super::tasks::body;
use super::time::{instant_field, moment};
use crate::edge::Edge;
use crate::operation::backfills::{self as operation, BackfillFilter, Made, backfill_id};
use crate::problem::Problem;
use crate::wire::{BackfillBody, BackfillView, OverrideBody, PlanView, TimeBody};

pub(super) struct Backfills(pub(super) Arc<Edge>);

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl BackfillService for Backfills {
    async fn create(
        &self,
        request: Request<v1::CreateBackfillRequest>,
    ) -> Answer<v1::CreateBackfillResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, create(&self.0, &Call::of(request)).await)
    }

    async fn get(&self, request: Request<v1::GetBackfillRequest>) -> Answer<v1::Backfill> {
        let id = request_id(&request);
        answer(&self.0, &id, get(&self.0, &request.get_ref().backfill_id).await)
    }

    async fn list(&self, request: Request<v1::ListBackfillsRequest>) -> Answer<v1::ListBackfillsResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, list(&self.0, request.get_ref()).await)
    }

    async fn pause(&self, request: Request<v1::PauseBackfillRequest>) -> Answer<v1::BackfillChange> {
        let id = request_id(&request);
        answer(&self.0, &id, pause(&self.0, &Call::of(request)).await)
    }

    async fn resume(&self, request: Request<v1::ResumeBackfillRequest>) -> Answer<v1::BackfillChange> {
        let id = request_id(&request);
        answer(&self.0, &id, resume(&self.0, &Call::of(request)).await)
    }

    async fn cancel(&self, request: Request<v1::CancelBackfillRequest>) -> Answer<v1::BackfillChange> {
        let id = request_id(&request);
        answer(&self.0, &id, cancel(&self.0, &Call::of(request)).await)
    }
}

async fn create(
    edge: &Edge,
    call: &Call<v1::CreateBackfillRequest>,
) -> Result<v1::CreateBackfillResponse, Problem> {
    let message = &call.message;
    let body = BackfillBody {
        tenant: message.tenant.clone(),
        job: message.job.clone(),
        schedule: message.schedule.clone(),
        from: needed("from", message.from.as_ref())?,
        to: needed("to", message.to.as_ref())?,
        only: message.only.clone(),
        order: message.order.clone(),
        max_active: message.max_active,
        version: message.version,
        parameters: body::payload(message.parameters_json.as_deref())?.map(ToOwned::to_owned),
        dry_run: message.dry_run,
        actor: message.actor.clone(),
        reason: message.reason.clone(),
    };
    let outcome = match operation::create_backfill(edge, &body, &call.caller()?).await? {
        Made::Backfill(id) => {
            Outcome::Backfill(shown(&BackfillView::of(&*operation::backfill(edge, id).await?)))
        }
        Made::Plan(plan) => Outcome::Plan(planned(&plan.view())),
    };
    Ok(v1::CreateBackfillResponse { outcome: Some(outcome) })
}

fn needed(field: &'static str, at: Option<&Timestamp>) -> Result<TimeBody, Problem> {
    instant_field(field, at)?.ok_or_else(|| Problem::field(field, "it is missing"))
}

fn planned(view: &PlanView<'_>) -> v1::BackfillPlan {
    v1::BackfillPlan {
        tenant: view.tenant.to_owned(),
        job: view.job.to_owned(),
        schedule: view.schedule.to_owned(),
        from: Some(moment(view.from)),
        to: Some(moment(view.to)),
        only: view.only.to_owned(),
        order: view.order.to_owned(),
        version: view.version,
        in_range: view.in_range as u64,
        ran: view.ran as u64,
        failed: view.failed.map(|failed| failed as u64),
        forgotten: view.forgotten as u64,
        windows: view.windows as u64,
        oldest: view.oldest.map(moment),
        newest: view.newest.map(moment),
    }
}

fn shown(view: &BackfillView<'_>) -> v1::Backfill {
    v1::Backfill {
        backfill_id: view.backfill_id.clone(),
        tenant: view.tenant.to_owned(),
        job: view.job.to_owned(),
        schedule: view.schedule.to_owned(),
        state: view.state.to_owned(),
        from: Some(moment(view.from)),
        to: Some(moment(view.to)),
        only: view.only.to_owned(),
        order: view.order.to_owned(),
        max_active: view.max_active,
        version: view.version,
        windows: view.windows,
        started: view.started,
        active: view.active as u32,
        succeeded: view.succeeded,
        failed: view.failed,
        oldest: Some(moment(view.oldest)),
        newest: Some(moment(view.newest)),
        next: view.next.map(moment),
        created_at: Some(moment(view.created_at)),
        updated_at: Some(moment(view.updated_at)),
        ended_at: view.ended_at.map(moment),
    }
}

async fn get(edge: &Edge, text: &str) -> Result<v1::Backfill, Problem> {
    let backfill = operation::backfill(edge, backfill_id(text)?).await?;
    Ok(shown(&BackfillView::of(&backfill)))
}

async fn list(edge: &Edge, request: &v1::ListBackfillsRequest) -> Result<v1::ListBackfillsResponse, Problem> {
    let (tenant, job) = (request.tenant.as_deref(), request.job.as_deref());
    let wanted = BackfillFilter { tenant, job, state: request.state.as_deref() };
    let limit = request.limit.map(|limit| limit as usize);
    let (found, next) = operation::backfills(edge, wanted, request.cursor.as_deref(), limit).await?;
    let backfills = found.iter().map(|backfill| shown(&BackfillView::of(backfill))).collect();
    Ok(v1::ListBackfillsResponse { backfills, next_cursor: next.map(|next| next.to_string()) })
}

async fn pause(edge: &Edge, call: &Call<v1::PauseBackfillRequest>) -> Result<v1::BackfillChange, Problem> {
    let v1::PauseBackfillRequest { backfill_id: text, actor, reason } = call.message.clone();
    let (id, over) = (backfill_id(&text)?, OverrideBody { actor, reason });
    Ok(changed(id, operation::pause_backfill(edge, id, true, &over, &call.caller()?).await?))
}

async fn resume(edge: &Edge, call: &Call<v1::ResumeBackfillRequest>) -> Result<v1::BackfillChange, Problem> {
    let v1::ResumeBackfillRequest { backfill_id: text, actor, reason } = call.message.clone();
    let (id, over) = (backfill_id(&text)?, OverrideBody { actor, reason });
    Ok(changed(id, operation::pause_backfill(edge, id, false, &over, &call.caller()?).await?))
}

async fn cancel(edge: &Edge, call: &Call<v1::CancelBackfillRequest>) -> Result<v1::BackfillChange, Problem> {
    let v1::CancelBackfillRequest { backfill_id: text, actor, reason } = call.message.clone();
    let (id, over) = (backfill_id(&text)?, OverrideBody { actor, reason });
    Ok(changed(id, operation::cancel_backfill(edge, id, &over, &call.caller()?).await?))
}

fn changed(id: BackfillId, status: BackfillStatus) -> v1::BackfillChange {
    v1::BackfillChange { backfill_id: id.to_string(), state: status.label().to_owned() }
}
