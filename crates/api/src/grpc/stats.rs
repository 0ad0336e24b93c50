//! `StatsService`.

use std::sync::Arc;

use mainspring_core::values::Millis;
use mainspring_proto::v1;
use mainspring_proto::v1::stats_service_server::StatsService;
use tonic::{Request, Response, Status};

use super::status::{answer, request_id};
use super::time::{duration, moment};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{AttentionView, DepthView, DiskView, FindingView, SeriesView, StatsView, SystemView};

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

    async fn system(&self, request: Request<v1::GetSystemRequest>) -> Result<Response<v1::System>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, operation::system(&self.0).await.map(|view| system(&view)))
    }

    async fn series(&self, request: Request<v1::GetSeriesRequest>) -> Result<Response<v1::Series>, Status> {
        let id = request_id(&request);
        let v1::GetSeriesRequest { step, points } = request.get_ref();
        let found = operation::series(&self.0, step.as_deref(), points.map(|points| points as usize));
        answer(&self.0, &id, found.map(|stretch| series(SeriesView::of(&stretch))))
    }
}

fn system(view: &SystemView) -> v1::System {
    let settings = &view.settings;
    v1::System {
        version: view.version.to_owned(),
        started_at: Some(moment(view.started_at)),
        at: Some(moment(view.at)),
        epoch: view.epoch,
        records: view.records,
        tables_through: view.tables_through,
        events_behind: view.events_behind,
        bytes_behind: view.bytes_behind,
        journal_bytes: view.journal_bytes,
        tasks_in_memory: view.tasks_in_memory,
        keys_in_memory: view.keys_in_memory,
        schedules_armed: view.schedules_armed,
        workers: view.workers,
        sessions: view.sessions,
        listeners: view.listeners,
        reasons: view.reasons.iter().map(|reason| format!("{}: {}", reason.code, reason.detail)).collect(),
        settings: Some(v1::SystemSettings {
            lease: Some(duration(Millis::new(settings.lease_ms))),
            heartbeat: Some(duration(Millis::new(settings.heartbeat_ms))),
            key_life: Some(duration(Millis::new(settings.key_life_ms))),
            log_days: settings.log_days,
            history_days: settings.history_days,
            job_tasks_max: settings.job_tasks_max,
            body_bytes_max: settings.body_bytes_max,
            connections_max: settings.connections_max,
            insecure: settings.insecure,
        }),
        disk: view.disk.as_ref().map(disk),
    }
}

fn disk(view: &DiskView) -> v1::SystemDisk {
    v1::SystemDisk {
        journal_bytes: view.journal_bytes,
        tables_bytes: view.tables_bytes,
        logs_bytes: view.logs_bytes,
        logs_more: view.logs_more,
        free_bytes: view.free_bytes,
        size_bytes: view.size_bytes,
        measured_at: Some(moment(view.measured_at)),
    }
}

fn series(view: SeriesView) -> v1::Series {
    v1::Series {
        step: Some(duration(Millis::new(view.step_ms))),
        from: Some(moment(view.from)),
        queued: view.queued,
        running: view.running,
        submitted: view.submitted,
        started: view.started,
        succeeded: view.succeeded,
        failed: view.failed,
        retried: view.retried,
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
        owner: view.owner,
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
