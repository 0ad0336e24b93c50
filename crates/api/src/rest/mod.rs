//! REST: one file an operation. Entry: [`routes`], which joins paths to handlers; what each takes is in `catalog`.
//! - RE-1 every refusal leaves as a [`Problem`], so that all have one shape
//!
//! Paths like `/v1/tasks/{id}:retry` are one segment to the router; the verb is split off in `verbs`.

mod attention;
mod backfills;
pub(crate) mod body;
mod call;
mod cron;
mod dead_letters;
mod events;
mod flows;
mod gate;
mod health;
mod limits;
mod metrics;
mod operations;
mod pools;
mod publish;
mod revision;
mod schedules;
mod seconds;
mod stats;
mod store;
mod system;
mod tasks;
mod triggers;
mod verbs;
mod waiting;
mod workers;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use crate::access::json_body;
use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) fn routes(edge: &Arc<Edge>) -> Router<Arc<Edge>> {
    Router::new()
        .route("/v1/tasks", get(tasks::list::handle).post(tasks::submit::handle))
        .route("/v1/tasks:batch", post(tasks::batch::handle))
        .route("/v1/tasks:cancel", post(tasks::cancel_many::handle))
        .route(
            "/v1/tasks/{id}",
            get(tasks::get::handle)
                .delete(tasks::cancel::delete)
                .patch(tasks::amend::handle)
                .post(verbs::on_task),
        )
        .route("/v1/tasks/{id}/diagnosis", get(tasks::diagnosis::handle))
        .route("/v1/tasks/{id}/history", get(tasks::history::handle))
        .route("/v1/tasks/{id}/logs", get(tasks::logs::handle))
        .route("/v1/tasks/{id}/logs/search", get(tasks::logs::search))
        .route("/v1/dead-letters", get(dead_letters::list))
        .route("/v1/dead-letters/groups", get(dead_letters::groups))
        .route("/v1/dead-letters:requeue", post(dead_letters::requeue_many))
        .route("/v1/dead-letters:discard", post(dead_letters::discard_many))
        .route("/v1/dead-letters/{id}", post(dead_letters::one))
        .route("/v1/jobs", get(flows::jobs::list).post(flows::jobs::apply))
        .route("/v1/jobs/{name}", get(flows::jobs::get).delete(flows::jobs::delete).post(flows::jobs::verb))
        .route("/v1/jobs/{name}/stats", get(flows::jobs::stats))
        .route("/v1/jobs/{name}/versions", get(flows::jobs::versions))
        .route("/v1/jobs/{name}/versions/{version}", get(flows::jobs::version))
        .route("/v1/jobs/{name}/versions/{version}/graph", get(flows::pictures::graph))
        .route("/v1/jobs/{name}/grid", get(flows::pictures::grid))
        .route("/v1/runs", get(flows::runs::list))
        .route("/v1/runs:cancel", post(flows::runs::cancel_many))
        .route("/v1/runs/{id}", get(flows::runs::get).post(flows::runs::verb))
        .merge(views_of_runs())
        .route("/v1/cron:preview", post(cron::preview))
        .route("/v1/triggers", get(triggers::list))
        .route("/v1/triggers/{job}/{name}", get(triggers::get))
        .merge(queues())
        .route("/v1/operations", get(operations::list).post(operations::begin))
        .route("/v1/operations/{id}", get(operations::get).post(operations::verb))
        .route("/v1/workers", get(workers::list))
        .route("/v1/workers/{id}", get(workers::get).post(verbs::on_worker))
        .route("/v1/schedules", get(schedules::list))
        .route("/v1/windows", get(schedules::ledger))
        .route("/v1/system", get(system::handle))
        .route("/v1/schedules:upcoming", get(schedules::upcoming))
        .route(
            "/v1/schedules/{job}/{name}",
            get(schedules::get).put(schedules::put).delete(schedules::delete).post(schedules::verb),
        )
        .route("/v1/schedules/{job}/{name}/history", get(schedules::history))
        .route("/v1/backfills", get(backfills::list).post(backfills::create))
        .route("/v1/backfills/{id}", get(backfills::get).post(backfills::verb))
        .route("/v1/stats", get(stats::handle))
        .route("/v1/stats/series", get(stats::series))
        .route("/v1/attention", get(attention::handle))
        .route("/v1/store/quarantine", get(store::list))
        .route("/v1/store/quarantine/{row}", post(store::verb))
        .route("/metrics", get(metrics::handle))
        .merge(crate::docs::routes())
        .route_layer(axum::middleware::from_fn(json_body))
        // Below the layer: it knows what it reads.
        .route("/v1/events", get(events::handle).post(publish::events))
        .route_layer(axum::middleware::from_fn_with_state(Arc::clone(edge), gate::gate))
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
}

/// What else is told of a run.
fn views_of_runs() -> Router<Arc<Edge>> {
    Router::new()
        .route("/v1/runs/{id}/diagnosis", get(flows::runs::diagnosis))
        .route("/v1/runs/{id}/tasks/{name}/items", get(flows::runs::items))
        .route("/v1/runs/{id}/timeline", get(flows::runs::timeline))
        .route("/v1/runs/{id}/graph", get(flows::pictures::run_graph))
        .route("/v1/runs/{id}/states", get(flows::pictures::states))
}

/// What waits and where.
fn queues() -> Router<Arc<Edge>> {
    Router::new()
        .route("/v1/limits", get(limits::list))
        .route("/v1/waiting", get(waiting::list))
        .route("/v1/pools", get(pools::list))
        .route("/v1/pools/{name}", get(pools::get))
}

/// Those that need no token: health, and calls that are signed.
pub(crate) fn open_routes(edge: &Arc<Edge>) -> Router<Arc<Edge>> {
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/v1/webhooks/{name}", post(publish::webhook))
        .route_layer(axum::middleware::from_fn_with_state(Arc::clone(edge), gate::gate))
        .method_not_allowed_fallback(no_method)
}

async fn no_route(request: Request) -> Response {
    let problem = Problem::RouteNotFound { path: request.uri().path().chars().take(200).collect() };
    if crate::grpc::is_call(&request) {
        return crate::grpc::no_service(&request, &problem);
    }
    problem.into_response()
}

async fn no_method(request: Request) -> Response {
    let problem = Problem::MethodNotAllowed { method: request.method().to_string() };
    match verbs::allowed(request.uri().path()) {
        Some(allowed) => ([(header::ALLOW, allowed)], problem).into_response(),
        None => problem.into_response(),
    }
}

pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => json_bytes(status, bytes),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

pub(crate) fn json_bytes(status: StatusCode, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(bytes.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
