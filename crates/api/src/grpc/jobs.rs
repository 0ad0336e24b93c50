//! `JobService`.

use std::sync::Arc;

use mainspring_core::job::{JobKey, RECENT_MAX};
use mainspring_core::values::Revision;
use mainspring_proto::v1;
use mainspring_proto::v1::job_service_server::JobService;
use mainspring_store::VersionRow;
use prost::Message;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::runs::{note, run_state};
use super::status::{answer, request_id};
use super::tasks::body;
use super::time::{instant_field, moment, timestamp};
use crate::edge::Edge;
use crate::operation::flows::{self, Apply};
use crate::problem::Problem;
use crate::wire::{
    FiguresView, JobView, LastRunView, OverrideBody, RecentRunView, RecentView, TriggerBody, VersionFigures,
    raw,
};

pub(super) struct Jobs(pub(super) Arc<Edge>);

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl JobService for Jobs {
    async fn apply(&self, request: Request<v1::ApplyJobsRequest>) -> Answer<v1::ApplyJobsResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, apply(&self.0, &Call::of(request)).await)
    }

    async fn get(&self, request: Request<v1::GetJobRequest>) -> Answer<v1::Job> {
        let id = request_id(&request);
        answer(&self.0, &id, get(&self.0, &Call::of(request)).await)
    }

    async fn list(&self, request: Request<v1::ListJobsRequest>) -> Answer<v1::ListJobsResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, list(&self.0, request.get_ref()).await)
    }

    async fn history(&self, request: Request<v1::JobHistoryRequest>) -> Answer<v1::JobHistoryResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, history(&self.0, &Call::of(request)).await)
    }

    async fn get_version(&self, request: Request<v1::GetJobVersionRequest>) -> Answer<v1::JobVersion> {
        let id = request_id(&request);
        answer(&self.0, &id, get_version(&self.0, &Call::of(request)).await)
    }

    async fn stats(&self, request: Request<v1::JobStatsRequest>) -> Answer<v1::JobStats> {
        let id = request_id(&request);
        answer(&self.0, &id, stats(&self.0, &Call::of(request)).await)
    }

    async fn pause(&self, request: Request<v1::PauseJobRequest>) -> Answer<v1::JobChange> {
        let id = request_id(&request);
        answer(&self.0, &id, pause(&self.0, &Call::of(request)).await)
    }

    async fn resume(&self, request: Request<v1::ResumeJobRequest>) -> Answer<v1::JobChange> {
        let id = request_id(&request);
        answer(&self.0, &id, resume(&self.0, &Call::of(request)).await)
    }

    async fn delete(&self, request: Request<v1::DeleteJobRequest>) -> Answer<v1::JobChange> {
        let id = request_id(&request);
        answer(&self.0, &id, delete(&self.0, &Call::of(request)).await)
    }

    async fn trigger(&self, request: Request<v1::TriggerJobRequest>) -> Answer<v1::TriggerJobResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, trigger(&self.0, &Call::of(request)).await)
    }
}

fn over(actor: Option<&String>, reason: Option<&String>) -> OverrideBody {
    OverrideBody { actor: actor.cloned(), reason: reason.cloned() }
}

async fn apply(edge: &Edge, call: &Call<v1::ApplyJobsRequest>) -> Result<v1::ApplyJobsResponse, Problem> {
    let v1::ApplyJobsRequest { job_file, tenant, dry_run, actor, reason, if_revision } = &call.message;
    let caller = call.caller_of(*if_revision)?;
    let tenant = tenant.as_deref().or(caller.keys.tenant);
    let wanted = Apply {
        text: job_file.as_bytes(),
        tenant,
        dry_run: *dry_run,
        over: over(actor.as_ref(), reason.as_ref()),
    };
    let applied = flows::apply(edge, &wanted, &caller).await?;
    let jobs = applied.into_iter().map(|applied| v1::AppliedJob {
        tenant: applied.key.tenant.to_string(),
        job: applied.key.name.to_string(),
        version: applied.version,
        change: applied.change.word().to_owned(),
        revision: applied.revision.map(Revision::get),
        duplicate: applied.duplicate,
    });
    Ok(v1::ApplyJobsResponse { jobs: jobs.collect(), dry_run: *dry_run })
}

fn key<T: Message>(call: &Call<T>, tenant: Option<&str>, job: &str) -> Result<JobKey, Problem> {
    flows::named_job(tenant, call.caller()?.keys, job)
}

async fn get(edge: &Edge, call: &Call<v1::GetJobRequest>) -> Result<v1::Job, Problem> {
    let v1::GetJobRequest { job, tenant } = &call.message;
    let job = flows::job(edge, key(call, tenant.as_deref(), job)?).await?;
    Ok(message(&JobView::of(&job, true)))
}

async fn list(edge: &Edge, request: &v1::ListJobsRequest) -> Result<v1::ListJobsResponse, Problem> {
    let limit = request.limit.map(|limit| limit as usize);
    let wanted = flows::JobFilter {
        tenant: request.tenant.as_deref(),
        tag: request.tag.as_deref(),
        owner: request.owner.as_deref(),
    };
    let recent = match request.recent.map(|count| count as usize) {
        Some(count) if !(1..=RECENT_MAX).contains(&count) => {
            return Err(Problem::query("recent", "a number from 1 to 20"));
        }
        recent => recent,
    };
    let (jobs, next_cursor) = flows::jobs(edge, &wanted, request.cursor.as_deref(), limit).await?;
    let jobs = jobs.iter().map(|job| message(&JobView::listed(job, recent))).collect();
    Ok(v1::ListJobsResponse { jobs, next_cursor })
}

fn message(view: &JobView<'_>) -> v1::Job {
    let last = |last: &LastRunView| v1::LastRun {
        run_id: last.run_id.clone(),
        state: run_state(last.state),
        ended_at: Some(moment(last.ended_at)),
    };
    v1::Job {
        tenant: view.tenant.to_owned(),
        job: view.job.to_owned(),
        version: view.version,
        revision: view.revision,
        state: job_state(view.state),
        tasks: view.tasks,
        created_at: Some(moment(view.created_at)),
        updated_at: Some(moment(view.updated_at)),
        deleted_at: view.deleted_at.map(moment),
        active_runs: view.active_runs,
        waiting_runs: view.waiting_runs as u64,
        last_run: view.last_run.as_ref().map(last),
        definition_json: view.definition.map(|definition| definition.get().to_owned()),
        notes: view.notes.iter().map(note).collect(),
        owner: view.owner.as_deref().map(str::to_owned),
        tags: view.tags.iter().map(|tag| tag.clone().into_owned()).collect(),
        expected_ms: view.expected_ms,
        recent: view.recent.as_ref().map(recent),
    }
}

fn recent(view: &RecentView) -> v1::RecentRuns {
    let run = |run: &RecentRunView| v1::RecentRun {
        run_id: run.run_id.clone(),
        state: run_state(run.state),
        version: run.version,
        took_ms: run.took_ms,
    };
    v1::RecentRuns {
        runs: view.runs.iter().map(run).collect(),
        success_rate: view.success_rate,
        p50_ms: view.p50_ms,
        p95_ms: view.p95_ms,
    }
}

/// By the word that REST shows.
fn job_state(word: &str) -> i32 {
    v1::JobState::from_str_name(&format!("JOB_STATE_{}", word.to_uppercase())).unwrap_or_default().into()
}

async fn history(edge: &Edge, call: &Call<v1::JobHistoryRequest>) -> Result<v1::JobHistoryResponse, Problem> {
    let v1::JobHistoryRequest { job, tenant, limit, before } = &call.message;
    let key = key(call, tenant.as_deref(), job)?;
    let rows = flows::versions(edge, key, *before, limit.map(|limit| limit as usize)).await?;
    Ok(v1::JobHistoryResponse { versions: rows.iter().map(|row| version(row, false)).collect() })
}

async fn stats(edge: &Edge, call: &Call<v1::JobStatsRequest>) -> Result<v1::JobStats, Problem> {
    let v1::JobStatsRequest { job, tenant, last } = &call.message;
    let last = last.map(|last| last as usize);
    let view = flows::job_stats(edge, key(call, tenant.as_deref(), job)?, last).await?;
    let of_version = |one: &VersionFigures| v1::VersionFigures {
        version: one.version,
        figures: Some(figures(&one.figures)),
    };
    Ok(v1::JobStats {
        looked_at: view.looked_at as u32,
        is_all: view.is_all,
        oldest_at: view.oldest_at.map(moment),
        newest_at: view.newest_at.map(moment),
        all: Some(figures(&view.all)),
        versions: view.versions.iter().map(of_version).collect(),
        tenant: view.tenant,
        job: view.job,
    })
}

fn figures(view: &FiguresView) -> v1::RunFigures {
    let FiguresView { runs, succeeded, failed, cancelled, success_rate, p50_ms, p95_ms } = *view;
    v1::RunFigures { runs, succeeded, failed, cancelled, success_rate, p50_ms, p95_ms }
}

async fn get_version(edge: &Edge, call: &Call<v1::GetJobVersionRequest>) -> Result<v1::JobVersion, Problem> {
    let v1::GetJobVersionRequest { job, tenant, version: number } = &call.message;
    let row = flows::version(edge, key(call, tenant.as_deref(), job)?, *number).await?;
    Ok(version(&row, true))
}

fn version(row: &VersionRow, whole: bool) -> v1::JobVersion {
    let definition = raw(&row.source).filter(|_| whole);
    v1::JobVersion {
        tenant: row.key.tenant.to_string(),
        job: row.key.name.to_string(),
        version: row.version,
        applied_at: Some(timestamp(row.at)),
        definition_json: definition.map(|definition| definition.get().to_owned()),
    }
}

async fn pause(edge: &Edge, call: &Call<v1::PauseJobRequest>) -> Result<v1::JobChange, Problem> {
    let v1::PauseJobRequest { job, tenant, actor, reason, if_revision } = &call.message;
    let caller = call.caller_of(*if_revision)?;
    let key = key(call, tenant.as_deref(), job)?;
    flows::pause_job(edge, &key, true, &over(actor.as_ref(), reason.as_ref()), &caller).await?;
    Ok(changed(&key))
}

async fn resume(edge: &Edge, call: &Call<v1::ResumeJobRequest>) -> Result<v1::JobChange, Problem> {
    let v1::ResumeJobRequest { job, tenant, actor, reason, if_revision } = &call.message;
    let caller = call.caller_of(*if_revision)?;
    let key = key(call, tenant.as_deref(), job)?;
    flows::pause_job(edge, &key, false, &over(actor.as_ref(), reason.as_ref()), &caller).await?;
    Ok(changed(&key))
}

async fn delete(edge: &Edge, call: &Call<v1::DeleteJobRequest>) -> Result<v1::JobChange, Problem> {
    let v1::DeleteJobRequest { job, tenant, actor, reason, if_revision } = &call.message;
    let caller = call.caller_of(*if_revision)?;
    let key = key(call, tenant.as_deref(), job)?;
    flows::delete_job(edge, &key, &over(actor.as_ref(), reason.as_ref()), &caller).await?;
    Ok(changed(&key))
}

fn changed(key: &JobKey) -> v1::JobChange {
    v1::JobChange { tenant: key.tenant.to_string(), job: key.name.to_string() }
}

async fn trigger(edge: &Edge, call: &Call<v1::TriggerJobRequest>) -> Result<v1::TriggerJobResponse, Problem> {
    let wanted = &call.message;
    let v1::TriggerJobRequest { job, tenant, parameters_json, run_key, priority, labels, .. } = wanted;
    let key = key(call, tenant.as_deref(), job)?;
    let wanted = TriggerBody {
        parameters: body::payload(parameters_json.as_deref())?.map(ToOwned::to_owned),
        run_key: run_key.clone(),
        priority: body::priority(priority.as_ref())?,
        labels: labels.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        logical_time: instant_field("logical_time", wanted.logical_time.as_ref())?,
        actor: wanted.actor.clone(),
        reason: wanted.reason.clone(),
    };
    let triggered = flows::trigger(edge, key.clone(), &wanted, &call.caller()?).await?;
    Ok(v1::TriggerJobResponse {
        run_id: triggered.id.to_string(),
        tenant: key.tenant.to_string(),
        job: key.name.to_string(),
        duplicate: triggered.duplicate,
        warnings: triggered.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_that_rest_shows_has_its_number() {
        for word in ["active", "paused", "deleted"] {
            assert_ne!(job_state(word), 0, "{word}");
        }
        assert_eq!(job_state("ODD"), 0);
    }
}
