//! `/v1/schedules`: read, store, pause and delete schedules, what became of their windows, and which come next.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use mainspring_core::schedule::ScheduleKey;
use mainspring_core::values::Millis;

use super::call::Call;
use super::flows::limit;
use super::revision::tagged;
use super::{body, json};
use crate::edge::Edge;
use crate::operation::schedules::{self as operation, HistoryFilter, LedgerFilter, Stored};
use crate::problem::Problem;
use crate::wire::{
    Keys, Moment, OverrideBody, ScheduleChanged, SchedulePage, ScheduleStored, ScheduleView, UpcomingPage,
    UpcomingView, WindowPage, instant, parse_span,
};

type Query = BTreeMap<String, String>;

pub(super) async fn list(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant", "job", "limit", "cursor"])?;
    let text = |key: &str| query.get(key).map(String::as_str);
    let wanted = (text("tenant"), text("job"));
    let (found, next) = operation::schedules(&edge, wanted, text("cursor"), limit(&query)?).await?;
    let schedules = found.iter().map(ScheduleView::of).collect();
    Ok(json(StatusCode::OK, &SchedulePage { schedules, next_cursor: next }))
}

/// The schedule of a path; its tenant is in the query or in a header.
fn named(
    uri: &Uri,
    headers: &HeaderMap,
    (job, name): (&str, &str),
    known: &[&str],
) -> Result<(ScheduleKey, Query), Problem> {
    let known: Vec<&str> = known.iter().copied().chain(["tenant"]).collect();
    let query = body::query(uri, &known)?;
    let tenant = query.get("tenant").map(String::as_str);
    Ok((operation::named_schedule(tenant, Keys::of(headers)?, job, name)?, query))
}

fn over(query: &Query) -> OverrideBody {
    OverrideBody { actor: query.get("actor").cloned(), reason: query.get("reason").cloned() }
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path((job, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    if name.contains(':') {
        return Ok(super::no_method(request).await);
    }
    let (key, _) = named(request.uri(), request.headers(), (&job, &name), &[])?;
    let schedule = operation::schedule(&edge, key).await?;
    Ok(tagged(json(StatusCode::OK, &ScheduleView::of(&schedule)), Some(schedule.revision())))
}

/// `PUT /v1/schedules/{job}/{name}`: the fields of a job file, as JSON or YAML.
pub(super) async fn put(
    State(edge): State<Arc<Edge>>,
    Path((job, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    if name.contains(':') {
        return Ok(super::no_method(request).await);
    }
    let (key, query) = named(request.uri(), request.headers(), (&job, &name), &["actor", "reason"])?;
    let call = Call::read(&edge, request).await?;
    let Stored { next, changed, revision } =
        operation::put_schedule(&edge, key.clone(), &call.bytes, &over(&query), &call.caller()?).await?;
    let ScheduleKey { tenant, job, name } = &key;
    let stored =
        ScheduleStored { tenant, job, name, changed, next: next.map(Moment), revision: revision.get() };
    Ok(tagged(json(StatusCode::OK, &stored), Some(revision)))
}

pub(super) async fn delete(
    State(edge): State<Arc<Edge>>,
    Path((job, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    if name.contains(':') {
        return Ok(super::no_method(request).await);
    }
    let (key, query) = named(request.uri(), request.headers(), (&job, &name), &["actor", "reason"])?;
    let call = Call::read(&edge, request).await?;
    operation::delete_schedule(&edge, &key, &over(&query), &call.caller()?).await?;
    Ok(done(&key, "the schedule is deleted; what it began goes on, and its history stays"))
}

fn done(key: &ScheduleKey, message: &'static str) -> Response {
    let ScheduleKey { tenant, job, name } = key;
    json(StatusCode::OK, &ScheduleChanged { tenant, job, name, message })
}

/// `POST /v1/schedules/{job}/{name}:pause`, `:resume`.
pub(super) async fn verb(
    State(edge): State<Arc<Edge>>,
    Path((job, text)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let Some((name, verb)) = text.rsplit_once(':') else {
        return Ok(super::no_method(request).await);
    };
    let (key, _) = named(request.uri(), request.headers(), (&job, name), &[])?;
    let paused = match verb {
        "pause" => true,
        "resume" => false,
        _ => return Err(Problem::RouteNotFound { path: request.uri().path().chars().take(200).collect() }),
    };
    let call = Call::read(&edge, request).await?;
    let over = body::parse_optional(&call.bytes)?;
    operation::pause_schedule(&edge, &key, paused, &over, &call.caller()?).await?;
    let message =
        if paused { "the schedule is paused: its windows are skipped" } else { "the schedule goes on" };
    Ok(done(&key, message))
}

pub(super) async fn history(
    State(edge): State<Arc<Edge>>,
    Path((job, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let parameters = ["limit", "cursor", "outcome", "from", "to"];
    let (key, query) = named(request.uri(), request.headers(), (&job, &name), &parameters)?;
    let text = |name: &str| query.get(name).map(String::as_str);
    let at = |name: &str| text(name).map(|text| instant(name, text)).transpose();
    let filter = HistoryFilter { outcome: text("outcome"), from: at("from")?, to: at("to")? };
    let (windows, next_cursor) =
        operation::history(&edge, key, filter, text("cursor"), limit(&query)?).await?;
    Ok(json(StatusCode::OK, &WindowPage { windows, next_cursor }))
}

/// `GET /v1/windows`.
pub(super) async fn ledger(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant", "job", "outcome", "from", "to"])?;
    let named = |name: &str| query.get(name).map(String::as_str);
    let at = |name: &str| named(name).map(|text| instant(name, text)).transpose();
    let (tenant, job, outcome) = (named("tenant"), named("job"), named("outcome"));
    let filter = LedgerFilter { tenant, job, outcome, from: at("from")?, to: at("to")? };
    Ok(json(StatusCode::OK, &operation::ledger(&edge, filter).await?))
}

/// `GET /v1/schedules:upcoming`.
pub(super) async fn upcoming(State(edge): State<Arc<Edge>>, request: Request) -> Result<Response, Problem> {
    let query = body::query(request.uri(), &["tenant", "within", "limit"])?;
    let span = |text: &String| parse_span(text).map_err(|what| Problem::query("within", what));
    let within: Option<Millis> = query.get("within").map(span).transpose()?;
    let tenant = query.get("tenant").map(String::as_str);
    let found = operation::upcoming(&edge, tenant, within, limit(&query)?).await?;
    let windows = found
        .iter()
        .map(|ahead| UpcomingView {
            at: Moment(ahead.at),
            begins_at: Moment(ahead.begins),
            tenant: &ahead.key.tenant,
            job: &ahead.key.job,
            name: &ahead.key.name,
            description: ahead.description.clone(),
            job_paused: ahead.job_paused,
        })
        .collect();
    Ok(json(StatusCode::OK, &UpcomingPage { windows }))
}
