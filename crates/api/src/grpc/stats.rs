//! `StatsService`.

use std::sync::Arc;

use mainspring_proto::v1;
use mainspring_proto::v1::stats_service_server::StatsService;
use tonic::{Request, Response, Status};

use super::status::{answer, request_id};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{DepthView, StatsView};

pub(super) struct Figures(pub(super) Arc<Edge>);

#[tonic::async_trait]
impl StatsService for Figures {
    async fn get(&self, request: Request<v1::GetStatsRequest>) -> Result<Response<v1::Stats>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, stats(&self.0).await)
    }
}

async fn stats(edge: &Edge) -> Result<v1::Stats, Problem> {
    let stats = operation::stats(edge).await?;
    let view = StatsView::of(&stats, edge.sessions.live());
    let in_memory = view.tasks_in_memory.iter().map(|(status, count)| ((*status).to_owned(), *count));
    Ok(v1::Stats {
        depths: view.depths.iter().map(depth).collect(),
        tasks_in_memory: in_memory.collect(),
        queued: view.queued,
        running: view.running,
        workers: view.workers as u64,
        sessions: view.sessions as u64,
        stale_reports: view.stale_reports,
        workers_lost: view.workers_lost,
    })
}

fn depth(depth: &DepthView<'_>) -> v1::Depth {
    v1::Depth {
        pool: depth.pool.to_owned(),
        band: depth.band.to_owned(),
        tenant: depth.tenant.to_owned(),
        queued: depth.queued,
        running: depth.running,
    }
}
