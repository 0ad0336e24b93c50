//! `StatsService`.

use std::sync::Arc;

use mainspring_proto::v1;
use mainspring_proto::v1::stats_service_server::StatsService;
use tonic::{Request, Response, Status};

use super::status::{answer, request_id};
use super::time::moment;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{AttentionView, DepthView, FindingView, StatsView};

pub(super) struct Figures(pub(super) Arc<Edge>);

#[tonic::async_trait]
impl StatsService for Figures {
    async fn get(&self, request: Request<v1::GetStatsRequest>) -> Result<Response<v1::Stats>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, stats(&self.0).await)
    }

    async fn attention(
        &self,
        request: Request<v1::GetAttentionRequest>,
    ) -> Result<Response<v1::Attention>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, operation::attention(&self.0).await.map(attention))
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

fn attention(view: AttentionView) -> v1::Attention {
    let AttentionView { record, at, findings, figures } = view;
    v1::Attention {
        record,
        at: Some(moment(at)),
        findings: findings.into_iter().map(finding).collect(),
        figures: Some(v1::Glance {
            runs_active: figures.runs_active,
            runs_active_more: figures.runs_active_more,
            runs_failed: figures.runs_failed,
            runs_failed_more: figures.runs_failed_more,
            tasks_running: figures.tasks_running,
            tasks_queued: figures.tasks_queued,
            workers: figures.workers,
            slots: figures.slots,
        }),
    }
}

fn finding(view: FindingView) -> v1::Finding {
    v1::Finding {
        kind: view.kind.to_owned(),
        harm: view.harm.into(),
        message: view.message,
        advice: view.advice,
        count: view.count,
        more: view.more,
        since: view.since.map(moment),
        tenant: view.tenant,
        job: view.job,
        schedule: view.schedule,
        pool: view.pool,
        example: view.example.map(|example| v1::FindingExample { id: example.id, text: example.text }),
        action: view.action.map(|action| v1::AdvisedAction {
            title: action.title.to_owned(),
            effect: action.effect,
            method: action.method.to_owned(),
            path: action.path,
            body_json: action.body.to_string(),
            command: action.command,
        }),
    }
}
