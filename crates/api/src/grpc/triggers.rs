//! `TriggerService`.

use std::sync::Arc;

use mainspring_proto::v1;
use mainspring_proto::v1::trigger_service_server::TriggerService;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::status::{answer, request_id};
use super::time::moment;
use crate::edge::Edge;
use crate::operation::events as operation;
use crate::problem::Problem;
use crate::wire::{LastView, TriggerView};

pub(super) struct Triggers(pub(super) Arc<Edge>);

#[tonic::async_trait]
impl TriggerService for Triggers {
    async fn list(
        &self,
        request: Request<v1::ListTriggersRequest>,
    ) -> Result<Response<v1::ListTriggersResponse>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, list(&self.0, request.get_ref()).await)
    }

    async fn get(&self, request: Request<v1::GetTriggerRequest>) -> Result<Response<v1::Trigger>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, get(&self.0, &Call::of(request)).await)
    }
}

async fn list(edge: &Edge, request: &v1::ListTriggersRequest) -> Result<v1::ListTriggersResponse, Problem> {
    let wanted = (request.tenant.as_deref(), request.job.as_deref());
    let limit = request.limit.map(|limit| limit as usize);
    let (found, next_cursor) = operation::triggers(edge, wanted, request.cursor.as_deref(), limit).await?;
    let triggers = found.iter().map(|trigger| message(TriggerView::of(trigger))).collect();
    Ok(v1::ListTriggersResponse { triggers, next_cursor })
}

async fn get(edge: &Edge, call: &Call<v1::GetTriggerRequest>) -> Result<v1::Trigger, Problem> {
    let v1::GetTriggerRequest { job, name, tenant } = &call.message;
    let key = operation::named_trigger(tenant.as_deref(), call.caller()?.keys, job, name)?;
    Ok(message(TriggerView::of(&operation::trigger(edge, key).await?)))
}

fn message(view: TriggerView<'_>) -> v1::Trigger {
    let outcome =
        |last: LastView<'_>| v1::TriggerOutcome { at: Some(moment(last.at)), what: last.what.to_owned() };
    v1::Trigger {
        tenant: view.tenant.to_owned(),
        job: view.job.to_owned(),
        name: view.name.to_owned(),
        event: view.event.map(|event| v1::EventPattern { r#type: event.r#type, source: event.source }),
        webhook: view.webhook.map(str::to_owned),
        after: view.after.into_iter().flatten().map(str::to_owned).collect(),
        condition: view.condition.map(str::to_owned),
        parameters_json: view.parameters.map(|parameters| parameters.get().to_owned()),
        max_active: view.max_active,
        active: view.active,
        fired: view.fired,
        skipped: view.skipped,
        errors: view.errors,
        windows_waiting: view.windows_waiting.map(|count| count as u64),
        last_fired: view.last_fired.map(|last| v1::LastFired {
            at: Some(moment(last.at)),
            event_id: last.event_id.to_owned(),
            source: last.source.to_owned(),
            run_id: last.run_id,
        }),
        last_skip: view.last_skip.map(outcome),
        last_error: view.last_error.map(outcome),
    }
}
