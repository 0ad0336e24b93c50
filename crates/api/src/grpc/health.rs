//! The standard health service: serving from the start of the server until it begins to stop.

use axum::Router;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

/// The empty name stands for the server as a whole.
const SERVICES: [&str; 14] = [
    "",
    "mainspring.v1.TaskService",
    "mainspring.v1.DeadLetterService",
    "mainspring.v1.JobService",
    "mainspring.v1.RunService",
    "mainspring.v1.ScheduleService",
    "mainspring.v1.BackfillService",
    "mainspring.v1.EventService",
    "mainspring.v1.TriggerService",
    "mainspring.v1.WorkerAdminService",
    "mainspring.v1.PoolService",
    "mainspring.v1.StatsService",
    "mainspring.v1.StoreService",
    "mainspring.v1.WorkerService",
];

#[derive(Clone)]
pub(crate) struct Health(HealthReporter);

impl Health {
    pub(crate) fn new() -> Self {
        Self(HealthReporter::new())
    }

    pub(super) fn routes(&self) -> Router {
        let service = HealthServer::new(HealthService::from_health_reporter(self.0.clone()));
        Router::new().route_service("/grpc.health.v1.Health/{*method}", service)
    }

    pub(crate) async fn announce(&self) {
        for service in SERVICES {
            self.0.set_service_status(service, ServingStatus::Serving).await;
        }
    }

    /// Tells those who watch, and lets them go: their streams would keep a stopping server waiting.
    pub(crate) async fn withdraw(&mut self) {
        for service in SERVICES {
            self.0.set_service_status(service, ServingStatus::NotServing).await;
            self.0.clear_service_status(service).await;
        }
    }
}
