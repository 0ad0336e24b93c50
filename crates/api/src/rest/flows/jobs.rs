//! `/v1/jobs`: apply job files, read, pause, delete and trigger jobs.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use mainspring_core::workflow::JobKey;
use mainspring_store::PAGE_MAX;
use serde_json::{Value, json};

use super::super::call::Call;
use super::super::{body, json};
use super::limit;
use crate::edge::Edge;
use crate::operation::flows;
use crate::problem::Problem;
use crate::wire::{JobView, TriggerBody, name, raw, written};

const TENANT_DEFAULT: &str = "default";

/// `POST /v1/jobs`: the text of a job file, YAML or JSON, with one job or many.
pub(in crate::rest) async fn apply(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, content) = request.into_parts();
    let query = body::query(&parts.uri, &["dry_run", "tenant"])?;
    let dry_run = match query.get("dry_run").map(String::as_str) {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Problem::query("dry_run", "say true or false")),
    };
    let keys = body::keys(&parts.headers)?;
    let tenant = query.get("tenant").map(String::as_str).or(keys.tenant);
    tenant.map(|tenant| name("tenant", tenant)).transpose()?;
    let text = body::read(content, edge.config.batch_bytes_max).await?;
    let applied = flows::apply(&edge, &text, tenant, dry_run).await?;
    let written = applied.iter().map(|applied| {
        json!({
            "tenant": &*applied.key.tenant,
            "job": &*applied.key.name,
            "version": applied.version,
            "change": applied.change.word(),
        })
    });
    let jobs: Vec<Value> = written.collect();
    Ok(json(StatusCode::OK, &json!({"jobs": jobs, "dry_run": dry_run})))
}

pub(in crate::rest) async fn list(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant", "limit", "cursor"])?;
    let limit = limit(&query, PAGE_MAX)?;
    let tenant = query.get("tenant").map(|tenant| name("tenant", tenant)).transpose()?;
    let after = query.get("cursor").map(|cursor| {
        let (tenant, job) = cursor.split_once('/').ok_or_else(bad_cursor)?;
        Ok::<_, Problem>(JobKey { tenant: name("cursor", tenant)?, name: name("cursor", job)? })
    });
    let jobs = flows::jobs(&edge, tenant, after.transpose()?, limit + 1).await?;
    let next =
        (jobs.len() > limit).then(|| &jobs[limit - 1].key).map(|key| format!("{}/{}", key.tenant, key.name));
    let views: Vec<JobView<'_>> = jobs.iter().take(limit).map(|job| JobView::of(job, false)).collect();
    let mut page = json!({"jobs": views});
    if let Some(next) = next {
        page["next_cursor"] = next.into();
    }
    Ok(json(StatusCode::OK, &page))
}

fn bad_cursor() -> Problem {
    Problem::query("cursor", "not one that an answer gave")
}

/// The job of a path; its tenant is in the query or in a header.
fn key(uri: &Uri, headers: &http::HeaderMap, job: &str, known: &[&str]) -> Result<JobKey, Problem> {
    let known: Vec<&str> = known.iter().copied().chain(["tenant"]).collect();
    let query = body::query(uri, &known)?;
    let keys = body::keys(headers)?;
    let tenant = query.get("tenant").map(String::as_str).or(keys.tenant).unwrap_or(TENANT_DEFAULT);
    flows::job_key(tenant, job)
}

pub(in crate::rest) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let job = flows::job(&edge, key(request.uri(), request.headers(), &text, &[])?).await?;
    Ok(json(StatusCode::OK, &JobView::of(&job, true)))
}

pub(in crate::rest) async fn delete(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.uri(), request.headers(), &text, &[])?;
    flows::delete_job(&edge, key.clone()).await?;
    Ok(done(&key, "the job is deleted; its runs and versions stay"))
}

fn done(key: &JobKey, message: &str) -> Response {
    json(StatusCode::OK, &json!({"tenant": &*key.tenant, "job": &*key.name, "message": message}))
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
        "pause" => {
            flows::pause_job(&edge, key.clone(), true).await?;
            Ok(done(&key, "the job is paused: no run of it starts"))
        }
        "resume" => {
            flows::pause_job(&edge, key.clone(), false).await?;
            Ok(done(&key, "the job goes on"))
        }
        "trigger" => trigger(&edge, key, Call::read(&edge, request).await?).await,
        _ => Err(Problem::RouteNotFound { path: request.uri().path().chars().take(200).collect() }),
    }
}

async fn trigger(edge: &Edge, key: JobKey, call: Call) -> Result<Response, Problem> {
    let body: TriggerBody = body::parse_optional(&call.bytes)?;
    let triggered = flows::trigger(edge, key.clone(), &body, &call.caller()?).await?;
    let answer = json!({
        "run_id": triggered.id.to_string(),
        "tenant": &*key.tenant,
        "job": &*key.name,
        "duplicate": triggered.duplicate,
    });
    Ok(json(StatusCode::ACCEPTED, &answer))
}

pub(in crate::rest) async fn versions(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.uri(), request.headers(), &text, &["limit", "before"])?;
    let query = body::query(request.uri(), &["tenant", "limit", "before"])?;
    let limit = limit(&query, PAGE_MAX)?;
    let number = |text: &String| text.parse().map_err(|_| Problem::query("before", "not a version"));
    let before = query.get("before").map(number).transpose()?;
    let rows = flows::versions(&edge, key, before, limit).await?;
    let versions: Vec<Value> =
        rows.iter().map(|row| json!({"version": row.version, "applied_at": written(row.at)})).collect();
    Ok(json(StatusCode::OK, &json!({"versions": versions})))
}

pub(in crate::rest) async fn version(
    State(edge): State<Arc<Edge>>,
    Path((text, number)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.uri(), request.headers(), &text, &[])?;
    let number = number.parse().map_err(|_| Problem::field("version", "not a number"))?;
    let row = flows::version(&edge, key, number).await?;
    let answer = json!({
        "tenant": &*row.key.tenant,
        "job": &*row.key.name,
        "version": row.version,
        "applied_at": written(row.at),
        "definition": raw(&row.source),
    });
    Ok(json(StatusCode::OK, &answer))
}
