//! gRPC with the verbs of REST, on the same port. Entry: [`routes`], [`Health`].
//! - GP-1 a message becomes a body of `wire` and goes through `operation`: rules and limits are those of REST
//! - GP-2 every refusal carries the code, the advice and the page that REST would give (`status`)
//! - GP-3 a message is read within the bound of its method before it is decoded (`bound`)
//!
//! Not here: the session of a worker (`sessions`).

mod backfills;
mod bound;
mod call;
mod cron;
mod dead_letters;
mod events;
mod health;
mod jobs;
mod operations;
mod pictures;
mod pools;
mod runs;
mod schedules;
mod stats;
pub(crate) mod status;
mod store;
mod tasks;
mod time;
mod triggers;
mod workers;

use std::sync::Arc;

use axum::Router;
use mainspring_proto::v1;
use tonic_reflection::server::Builder;

pub(crate) use self::health::Health;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::server::RequestId;

/// Every service but the session; reflection names that one too.
pub(crate) fn routes(edge: &Arc<Edge>, health: &Health) -> Router {
    let bounded = Router::new()
        .merge(of_tasks(edge))
        .merge(of_flows(edge))
        .merge(of_operators(edge))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(edge), bound::bounded));
    bounded.merge(reflection()).merge(health.routes())
}

/// Tasks one by one. `bound` has read a message by then, each within the bound of its method.
fn of_tasks(edge: &Arc<Edge>) -> Router {
    let tasks = v1::task_service_server::TaskServiceServer::new(tasks::Tasks(Arc::clone(edge)));
    let dead = v1::dead_letter_service_server::DeadLetterServiceServer::new(dead_letters::DeadLetters(
        Arc::clone(edge),
    ));
    Router::new()
        .route_service("/mainspring.v1.TaskService/{*method}", tasks.max_decoding_message_size(usize::MAX))
        .route_service("/mainspring.v1.DeadLetterService/{*method}", dead)
}

/// Jobs, and what begins runs of them.
fn of_flows(edge: &Arc<Edge>) -> Router {
    let jobs = v1::job_service_server::JobServiceServer::new(jobs::Jobs(Arc::clone(edge)));
    let runs = v1::run_service_server::RunServiceServer::new(runs::Runs(Arc::clone(edge)));
    let schedules =
        v1::schedule_service_server::ScheduleServiceServer::new(schedules::Schedules(Arc::clone(edge)));
    let backfills =
        v1::backfill_service_server::BackfillServiceServer::new(backfills::Backfills(Arc::clone(edge)));
    let events = v1::event_service_server::EventServiceServer::new(events::Events(Arc::clone(edge)));
    let triggers =
        v1::trigger_service_server::TriggerServiceServer::new(triggers::Triggers(Arc::clone(edge)));
    let pictures =
        v1::picture_service_server::PictureServiceServer::new(pictures::Pictures(Arc::clone(edge)));
    Router::new()
        .route_service("/mainspring.v1.PictureService/{*method}", pictures)
        .route_service("/mainspring.v1.JobService/{*method}", jobs.max_decoding_message_size(usize::MAX))
        .route_service("/mainspring.v1.RunService/{*method}", runs)
        .route_service("/mainspring.v1.ScheduleService/{*method}", schedules)
        .route_service("/mainspring.v1.BackfillService/{*method}", backfills)
        .route_service("/mainspring.v1.EventService/{*method}", events.max_decoding_message_size(usize::MAX))
        .route_service("/mainspring.v1.TriggerService/{*method}", triggers)
}

/// For those who keep the server running.
fn of_operators(edge: &Arc<Edge>) -> Router {
    let workers =
        v1::worker_admin_service_server::WorkerAdminServiceServer::new(workers::Workers(Arc::clone(edge)));
    let pools = v1::pool_service_server::PoolServiceServer::new(pools::Pools(Arc::clone(edge)));
    let stats = v1::stats_service_server::StatsServiceServer::new(stats::Figures(Arc::clone(edge)));
    let operations =
        v1::operation_service_server::OperationServiceServer::new(operations::Operations(Arc::clone(edge)));
    let store = v1::store_service_server::StoreServiceServer::new(store::Store(Arc::clone(edge)));
    Router::new()
        .route_service("/mainspring.v1.WorkerAdminService/{*method}", workers)
        .route_service("/mainspring.v1.PoolService/{*method}", pools)
        .route_service("/mainspring.v1.StatsService/{*method}", stats)
        .route_service("/mainspring.v1.OperationService/{*method}", operations)
        .route_service("/mainspring.v1.StoreService/{*method}", store)
}

pub(crate) fn is_call(request: &axum::extract::Request) -> bool {
    let kind = request.headers().get(http::header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"))
}

/// A call of a service that does not exist is told so in its own protocol.
pub(crate) fn no_service(request: &axum::extract::Request, problem: &Problem) -> axum::response::Response {
    let id = request.extensions().get::<RequestId>().cloned().unwrap_or_default();
    status::unimplemented(&id, problem).into_http()
}

/// A call that was refused before its service saw it.
pub(crate) fn refuse(
    edge: &Edge,
    request: &axum::extract::Request,
    problem: &Problem,
) -> axum::response::Response {
    let id = request.extensions().get::<RequestId>().cloned().unwrap_or_default();
    status::refuse(edge, &id, problem).into_http()
}

/// Both versions: older tools ask for `v1alpha` only.
fn reflection() -> Router {
    let builder = || {
        Builder::configure()
            .register_encoded_file_descriptor_set(mainspring_proto::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let (Ok(v1), Ok(v1alpha)) = (builder().build_v1(), builder().build_v1alpha()) else {
        // The descriptors are part of this program and a test lists them.
        tracing::error!("the gRPC definitions cannot be described");
        return Router::new();
    };
    Router::new()
        .route_service("/grpc.reflection.v1.ServerReflection/{*method}", v1)
        .route_service("/grpc.reflection.v1alpha.ServerReflection/{*method}", v1alpha)
}
