//! `OperationService`.

use std::sync::Arc;

use mainspring_proto::v1;
use mainspring_proto::v1::operation_service_server::OperationService;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::status::{answer, request_id};
use super::time::{instant_field, moment};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{BulkBody, OperationView, OverrideBody, PriorityBody};

pub(super) struct Operations(pub(super) Arc<Edge>);

#[tonic::async_trait]
impl OperationService for Operations {
    async fn begin(
        &self,
        request: Request<v1::BeginOperationRequest>,
    ) -> Result<Response<v1::Operation>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, begin(&self.0, &Call::of(request)).await)
    }

    async fn list(
        &self,
        request: Request<v1::ListOperationsRequest>,
    ) -> Result<Response<v1::ListOperationsResponse>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, list(&self.0, request.get_ref()).await)
    }

    async fn get(
        &self,
        request: Request<v1::GetOperationRequest>,
    ) -> Result<Response<v1::Operation>, Status> {
        let id = request_id(&request);
        let number = request.get_ref().operation_id.to_string();
        answer(&self.0, &id, operation::operation(&self.0, &number).await.map(message))
    }

    async fn cancel(
        &self,
        request: Request<v1::CancelOperationRequest>,
    ) -> Result<Response<v1::Operation>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, cancel(&self.0, &Call::of(request)).await)
    }
}

async fn begin(edge: &Edge, call: &Call<v1::BeginOperationRequest>) -> Result<v1::Operation, Problem> {
    let wish = call.message.clone();
    let priority = || PriorityBody::parse(wish.priority.as_deref(), wish.level);
    let has_priority = wish.priority.is_some() || wish.level.is_some();
    let wanted = BulkBody {
        verb: wish.verb.clone(),
        priority: has_priority.then(priority).transpose().map_err(|what| Problem::field("priority", what))?,
        since: instant_field("since", wish.since.as_ref())?,
        until: instant_field("until", wish.until.as_ref())?,
        tenant: wish.tenant,
        job: wish.job,
        pool: wish.pool,
        task_type: wish.task_type,
        labels: wish.labels.into_iter().collect(),
        state: wish.states,
        fingerprint: wish.fingerprint,
        trigger: wish.trigger,
        tag: wish.tag,
        owner: wish.owner,
        name_prefix: wish.name_prefix,
        all: wish.all,
        force: wish.force,
        dry_run: wish.dry_run,
        actor: wish.actor,
        reason: wish.reason,
    };
    Ok(message(operation::bulk(edge, &wanted, &call.caller()?).await?))
}

async fn list(
    edge: &Edge,
    request: &v1::ListOperationsRequest,
) -> Result<v1::ListOperationsResponse, Problem> {
    let limit = request.limit.map(|limit| limit as usize);
    let (operations, next_cursor) = operation::operations(edge, request.cursor.as_deref(), limit).await?;
    Ok(v1::ListOperationsResponse { operations: operations.into_iter().map(message).collect(), next_cursor })
}

async fn cancel(edge: &Edge, call: &Call<v1::CancelOperationRequest>) -> Result<v1::Operation, Problem> {
    let v1::CancelOperationRequest { operation_id, actor, reason } = call.message.clone();
    let over = OverrideBody { actor, reason };
    let view = operation::cancel_operation(edge, &operation_id.to_string(), &over, &call.caller()?).await?;
    Ok(message(view))
}

pub(super) fn message(view: OperationView) -> v1::Operation {
    v1::Operation {
        operation_id: view.operation_id,
        running: view.state == "running",
        handled: Some(view.handled),
        state: view.state.to_owned(),
        verb: view.verb.to_owned(),
        selector: view.selector.map(|selector| selector.get().to_owned()).unwrap_or_default(),
        actor: view.actor.unwrap_or_default(),
        reason: view.reason.unwrap_or_default(),
        started_at: view.started_at.map(moment),
        ended_at: view.ended_at.map(moment),
        total: view.total,
        more: view.more,
        looked_at: view.looked_at,
        refused: view.refused,
        last_refusal: view.last_refusal.unwrap_or_default(),
        cancelled_by: view.cancelled_by.unwrap_or_default(),
        cancel_reason: view.cancel_reason.unwrap_or_default(),
        examples: view.examples,
    }
}
