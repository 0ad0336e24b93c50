//! `PoolService`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mainspring_core::values::Millis;
use mainspring_proto::v1;
use mainspring_proto::v1::pool_service_server::PoolService;
use tonic::{Request, Response, Status};

use super::status::{answer, request_id};
use super::time::{duration, timestamp};
use crate::edge::Edge;
use crate::operation;
use crate::wire::{LimitKeyView, LimitPage, LimitView, PoolView, QueueView, WaitingPage, WaitingView};

pub(super) struct Pools(pub(super) Arc<Edge>);

#[tonic::async_trait]
impl PoolService for Pools {
    async fn list(
        &self,
        request: Request<v1::ListPoolsRequest>,
    ) -> Result<Response<v1::ListPoolsResponse>, Status> {
        let id = request_id(&request);
        let pools = operation::pools(&self.0).await;
        let listed = |pools: BTreeMap<String, PoolView>| v1::ListPoolsResponse {
            pools: pools.into_values().map(message).collect(),
        };
        answer(&self.0, &id, pools.map(listed))
    }

    async fn get(&self, request: Request<v1::GetPoolRequest>) -> Result<Response<v1::Pool>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, operation::pool(&self.0, &request.get_ref().pool).await.map(message))
    }

    async fn list_limits(
        &self,
        request: Request<v1::ListLimitsRequest>,
    ) -> Result<Response<v1::ListLimitsResponse>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, operation::limits(&self.0).await.map(limits))
    }

    async fn list_waiting(
        &self,
        request: Request<v1::ListWaitingRequest>,
    ) -> Result<Response<v1::ListWaitingResponse>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, operation::waiting(&self.0).await.map(waiting))
    }
}

fn waiting(page: WaitingPage) -> v1::ListWaitingResponse {
    let group = |view: WaitingView| v1::WaitingGroup {
        reason: view.reason.to_owned(),
        limit: view.limit,
        pool: view.pool,
        band: view.band.to_owned(),
        tenant: view.tenant,
        queued: view.queued,
        oldest_since: Some(timestamp(view.oldest_since.0)),
        example: view.example,
        message: view.message,
        advice: view.advice,
    };
    let queue = |view: QueueView| v1::Queue {
        pool: view.pool,
        band: view.band.to_owned(),
        tenant: view.tenant,
        queued: view.queued,
        running: view.running,
        oldest_since: view.oldest_since.map(|since| timestamp(since.0)),
        started_per_minute: view.started_per_minute,
        drained_in: view.drained_in_ms.map(|span| duration(Millis::new(span))),
    };
    v1::ListWaitingResponse {
        waiting: page.waiting.into_iter().map(group).collect(),
        queues: page.queues.into_iter().map(queue).collect(),
        more: page.more,
    }
}

fn message(pool: PoolView) -> v1::Pool {
    v1::Pool {
        pool: pool.pool,
        workers: pool.workers,
        workers_away: pool.workers_away,
        slots: pool.slots,
        used: pool.used,
        utilisation_percent: pool.utilisation_percent,
        queued: pool.queued,
        queued_by_band: by_band(&pool.queued_by_band),
        running_by_band: by_band(&pool.running_by_band),
        tenants: pool.tenants,
        running_max: pool.running_max,
        queued_max: pool.queued_max,
    }
}

fn by_band(counts: &BTreeMap<&'static str, u64>) -> HashMap<String, u64> {
    counts.iter().map(|(band, count)| ((*band).to_owned(), *count)).collect()
}

fn limits(page: LimitPage) -> v1::ListLimitsResponse {
    v1::ListLimitsResponse { limits: page.limits.into_iter().map(limit).collect(), more: page.more }
}

fn limit(view: LimitView) -> v1::NamedLimit {
    let key =
        |key: LimitKeyView| v1::LimitKey { key: key.key, max: key.max, used: key.used, queued: key.queued };
    v1::NamedLimit {
        limit: view.limit,
        tenant: view.tenant,
        max: view.max,
        configured: view.configured,
        keys: view.keys,
        full: view.full,
        used: view.used,
        queued: view.queued,
        holders: view.holders,
        busiest: view.busiest.into_iter().map(key).collect(),
    }
}
