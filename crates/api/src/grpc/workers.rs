//! `WorkerAdminService`.

use std::collections::HashMap;
use std::sync::Arc;

use mainspring_core::values::Millis;
use mainspring_core::worker::Availability;
use mainspring_proto::v1;
use mainspring_proto::v1::worker_admin_service_server::WorkerAdminService;
use prost::Message;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::status::{answer, request_id};
use super::time::{duration, moment};
use crate::edge::Edge;
use crate::operation::{self, WorkerFilter};
use crate::problem::Problem;
use crate::wire::{CordonView, OverrideBody, WorkerBody};

pub(super) struct Workers(pub(super) Arc<Edge>);

#[tonic::async_trait]
impl WorkerAdminService for Workers {
    async fn list(
        &self,
        request: Request<v1::ListWorkersRequest>,
    ) -> Result<Response<v1::ListWorkersResponse>, Status> {
        let id = request_id(&request);
        let v1::ListWorkersRequest { pool, state } = request.get_ref();
        let wanted = WorkerFilter { pool: pool.as_deref(), state: state.as_deref() };
        let listed = operation::workers(&self.0, wanted, |workers| v1::ListWorkersResponse {
            workers: workers.into_iter().map(message).collect(),
        });
        answer(&self.0, &id, listed.await)
    }

    async fn get(&self, request: Request<v1::GetWorkerRequest>) -> Result<Response<v1::Worker>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, operation::worker(&self.0, &request.get_ref().worker_id, message).await)
    }

    async fn cordon(
        &self,
        request: Request<v1::CordonWorkerRequest>,
    ) -> Result<Response<v1::WorkerChange>, Status> {
        let id = request_id(&request);
        let to = Availability::Cordoned;
        let named = |request: &v1::CordonWorkerRequest| {
            (request.worker_id.clone(), over(request.actor.as_ref(), request.reason.as_ref()))
        };
        answer(&self.0, &id, cordon(&self.0, &Call::of(request), named, to).await)
    }

    async fn uncordon(
        &self,
        request: Request<v1::UncordonWorkerRequest>,
    ) -> Result<Response<v1::WorkerChange>, Status> {
        let id = request_id(&request);
        let to = Availability::Open;
        let named = |request: &v1::UncordonWorkerRequest| {
            (request.worker_id.clone(), over(request.actor.as_ref(), request.reason.as_ref()))
        };
        answer(&self.0, &id, cordon(&self.0, &Call::of(request), named, to).await)
    }

    async fn drain(
        &self,
        request: Request<v1::DrainWorkerRequest>,
    ) -> Result<Response<v1::WorkerChange>, Status> {
        let id = request_id(&request);
        let to = Availability::Draining;
        let named = |request: &v1::DrainWorkerRequest| {
            (request.worker_id.clone(), over(request.actor.as_ref(), request.reason.as_ref()))
        };
        answer(&self.0, &id, cordon(&self.0, &Call::of(request), named, to).await)
    }
}

async fn cordon<T: Message>(
    edge: &Edge,
    call: &Call<T>,
    named: impl FnOnce(&T) -> (String, OverrideBody),
    to: Availability,
) -> Result<v1::WorkerChange, Problem> {
    let (worker, over) = named(&call.message);
    operation::cordon(edge, (&worker, to), &over, &call.caller()?, |worker| v1::WorkerChange {
        worker_id: worker.worker_id,
        cordoned: worker.cordoned,
        cordon: worker.cordon.as_ref().map(cordon_message),
        state: worker.state.to_owned(),
        running: worker.running,
    })
    .await
}

fn over(actor: Option<&String>, reason: Option<&String>) -> OverrideBody {
    OverrideBody { actor: actor.cloned(), reason: reason.cloned() }
}

fn cordon_message(cordon: &CordonView<'_>) -> v1::Cordon {
    v1::Cordon {
        draining: cordon.draining,
        actor: cordon.actor.to_owned(),
        reason: cordon.reason.to_owned(),
        since: Some(moment(cordon.since)),
    }
}

fn message(worker: WorkerBody<'_>) -> v1::Worker {
    v1::Worker {
        worker_id: worker.worker_id,
        name: worker.name,
        version: worker.version,
        state: worker.state.to_owned(),
        pool: worker.pool.to_owned(),
        zone: worker.zone.to_owned(),
        slots: worker.slots,
        running: worker.running,
        utilisation_percent: worker.utilisation_percent,
        cordoned: worker.cordoned,
        cordon: worker.cordon.as_ref().map(cordon_message),
        connected: worker.connected,
        silent: Some(duration(Millis::new(worker.silent_ms))),
        labels: worker.labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        capacity: Some(v1::Resources {
            cpu_milli: worker.cpu_milli,
            memory_bytes: worker.memory_bytes,
            disk_bytes: worker.disk_bytes,
            gpus: worker.gpus,
            custom: HashMap::new(),
        }),
    }
}
