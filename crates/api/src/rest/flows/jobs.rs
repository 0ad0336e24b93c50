//! `/v1/jobs`: apply job files, read, pause, delete and trigger jobs.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use mainspring_core::job::{JobKey, RECENT_MAX};
use mainspring_core::values::Revision;

use super::super::call::Call;
use super::super::revision::tagged;
use super::super::{body, json};
use super::limit;
use crate::edge::Edge;
use crate::operation::flows::{self, Apply, JobFilter};
use crate::operation::schedules;
use crate::problem::Problem;
use crate::wire::{
    AppliedJob, AppliedView, JobChanged, JobPage, JobView, Keys, Moment, OverrideBody, ScheduleView,
    TriggerBody, TriggeredView, VersionPage, VersionRow, VersionView, raw,
};

/// `POST /v1/jobs`: the text of a job file, YAML or JSON, with one job or many.
pub(in crate::rest) async fn apply(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let call = Call::read_within(request, edge.config.batch_bytes_max).await?;
    let query = body::query(&call.uri, &["dry_run", "tenant", "actor", "reason"])?;
    let dry_run = match query.get("dry_run").map(String::as_str) {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Problem::query("dry_run", "say true or false")),
    };
    let caller = call.caller()?;
    let tenant = query.get("tenant").map(String::as_str).or(caller.keys.tenant);
    let wanted = Apply { text: &call.bytes, tenant, dry_run, over: over(&query) };
    let applied = flows::apply(&edge, &wanted, &caller).await?;
    let written = applied.iter().map(|applied| AppliedJob {
        tenant: &applied.key.tenant,
        job: &applied.key.name,
        version: applied.version,
        change: applied.change.word(),
        revision: applied.revision.map(Revision::get),
        duplicate: applied.duplicate,
    });
    Ok(json(StatusCode::OK, &AppliedView { jobs: written.collect(), dry_run }))
}

/// Where a body is something else, or not usual.
fn over(query: &BTreeMap<String, String>) -> OverrideBody {
    OverrideBody { actor: query.get("actor").cloned(), reason: query.get("reason").cloned() }
}

pub(in crate::rest) async fn list(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant", "tag", "owner", "limit", "cursor", "recent"])?;
    let text = |key: &str| query.get(key).map(String::as_str);
    let recent = text("recent").map(recent_runs).transpose()?;
    let wanted = JobFilter { tenant: text("tenant"), tag: text("tag"), owner: text("owner") };
    let (jobs, next) = flows::jobs(&edge, &wanted, text("cursor"), limit(&query)?).await?;
    let jobs = jobs.iter().map(|job| JobView::listed(job, recent)).collect();
    Ok(json(StatusCode::OK, &JobPage { jobs, next_cursor: next }))
}

fn recent_runs(text: &str) -> Result<usize, Problem> {
    let count = text.parse().ok().filter(|count| (1..=RECENT_MAX).contains(count));
    count.ok_or_else(|| Problem::query("recent", "a number from 1 to 20"))
}

/// The job of a path; its tenant is in the query or in a header.
pub(super) fn key(
    uri: &Uri,
    headers: &http::HeaderMap,
    job: &str,
    known: &[&str],
) -> Result<JobKey, Problem> {
    let known: Vec<&str> = known.iter().copied().chain(["tenant"]).collect();
    let query = body::query(uri, &known)?;
    flows::named_job(query.get("tenant").map(String::as_str), Keys::of(headers)?, job)
}

pub(in crate::rest) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let job = flows::job(&edge, key(request.uri(), request.headers(), &text, &[])?).await?;
    let schedules = schedules::of_job(&edge, &job.key).await?;
    let mut view = JobView::of(&job, true);
    view.schedules = schedules.iter().map(ScheduleView::of).collect();
    Ok(tagged(json(StatusCode::OK, &view), Some(job.revision())))
}

pub(in crate::rest) async fn stats(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.uri(), request.headers(), &text, &["last"])?;
    let query = body::query(request.uri(), &["last", "tenant"])?;
    let last = |text: &String| text.parse().map_err(|_| Problem::query("last", "not a number"));
    let last = query.get("last").map(last).transpose()?;
    Ok(json(StatusCode::OK, &flows::job_stats(&edge, key, last).await?))
}

pub(in crate::rest) async fn delete(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.uri(), request.headers(), &text, &["actor", "reason"])?;
    let query = body::query(request.uri(), &["tenant", "actor", "reason"])?;
    let call = Call::read(&edge, request).await?;
    flows::delete_job(&edge, &key, &over(&query), &call.caller()?).await?;
    Ok(done(&key, "the job is deleted; its runs and versions stay"))
}

fn done(key: &JobKey, message: &'static str) -> Response {
    json(StatusCode::OK, &JobChanged { tenant: &key.tenant, job: &key.name, message })
}

/// `POST /v1/jobs/{name}:trigger`, `:pause`, `:resume`.
pub(in crate::rest) async fn verb(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let Some((job, verb)) = text.rsplit_once(':') else {
        return Ok(super::super::no_method(request).await);
    };
    let key = key(request.uri(), request.headers(), job, &[])?;
    match verb {
        "pause" | "resume" => {
            let call = Call::read(&edge, request).await?;
            let pause = verb == "pause";
            let over = body::parse_optional(&call.bytes)?;
            flows::pause_job(&edge, &key, pause, &over, &call.caller()?).await?;
            let message = if pause { "the job is paused: no run of it starts" } else { "the job goes on" };
            Ok(done(&key, message))
        }
        "trigger" => trigger(&edge, key, Call::read(&edge, request).await?).await,
        _ => Err(Problem::RouteNotFound { path: request.uri().path().chars().take(200).collect() }),
    }
}

async fn trigger(edge: &Edge, key: JobKey, call: Call) -> Result<Response, Problem> {
    let body: TriggerBody = body::parse_optional(&call.bytes)?;
    let triggered = flows::trigger(edge, key.clone(), &body, &call.caller()?).await?;
    let answer = TriggeredView {
        run_id: triggered.id.to_string(),
        tenant: &key.tenant,
        job: &key.name,
        duplicate: triggered.duplicate,
        warnings: triggered.warnings,
    };
    Ok(json(StatusCode::ACCEPTED, &answer))
}

pub(in crate::rest) async fn versions(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.uri(), request.headers(), &text, &["limit", "before"])?;
    let query = body::query(request.uri(), &["tenant", "limit", "before"])?;
    let number = |text: &String| text.parse().map_err(|_| Problem::query("before", "not a version"));
    let before = query.get("before").map(number).transpose()?;
    let rows = flows::versions(&edge, key, before, limit(&query)?).await?;
    let versions = rows.iter().map(|row| VersionRow { version: row.version, applied_at: Moment(row.at) });
    Ok(json(StatusCode::OK, &VersionPage { versions: versions.collect() }))
}

pub(in crate::rest) async fn version(
    State(edge): State<Arc<Edge>>,
    Path((text, number)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.uri(), request.headers(), &text, &[])?;
    let number = number.parse().map_err(|_| Problem::field("version", "not a number"))?;
    let row = flows::version(&edge, key, number).await?;
    let answer = VersionView {
        tenant: &row.key.tenant,
        job: &row.key.name,
        version: row.version,
        applied_at: Moment(row.at),
        definition: raw(&row.source),
    };
    Ok(json(StatusCode::OK, &answer))
}
