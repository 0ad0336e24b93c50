//! Figures for `/metrics`. Handles of hot paths are fields: no label is looked up there.

use std::sync::atomic::AtomicU64;

use mainspring_core::effect::{Alert, Effect};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct CodeLabel {
    pub code: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct StateLabel {
    pub state: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct LineLabels {
    pub pool: String,
    pub band: &'static str,
    pub tenant: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub struct AlertLabel {
    pub alert: &'static str,
}

pub type Count = Counter<u64, AtomicU64>;

pub struct Metrics {
    registry: Registry,
    pub requests: Count,
    pub submitted: Count,
    pub duplicates: Count,
    pub refused: Family<CodeLabel, Count>,
    pub sessions: Gauge,
    pub reports: Count,
    pub log_chunks_dropped: Count,
    pub log_bytes_received: Count,
    pub log_bytes_stored: Count,
    pub log_followers: Gauge,
    pub stale_reports: Gauge,
    pub workers_lost: Gauge,
    pub alerts: Family<AlertLabel, Count>,
    pub tasks: Family<StateLabel, Gauge>,
    pub queued: Family<LineLabels, Gauge>,
    pub running: Family<LineLabels, Gauge>,
    pub workers: Gauge,
    pub lag_events: Gauge,
    pub lag_bytes: Gauge,
    pub records: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("mainspring"),
            requests: Count::default(),
            submitted: Count::default(),
            duplicates: Count::default(),
            refused: Family::default(),
            sessions: Gauge::default(),
            reports: Count::default(),
            log_chunks_dropped: Count::default(),
            log_bytes_received: Count::default(),
            log_bytes_stored: Count::default(),
            log_followers: Gauge::default(),
            stale_reports: Gauge::default(),
            workers_lost: Gauge::default(),
            alerts: Family::default(),
            tasks: Family::default(),
            queued: Family::default(),
            running: Family::default(),
            workers: Gauge::default(),
            lag_events: Gauge::default(),
            lag_bytes: Gauge::default(),
            records: Gauge::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("http_requests", "Requests answered, of any kind", self.requests.clone());
        registry.register("tasks_submitted", "Tasks accepted", self.submitted.clone());
        registry.register("tasks_duplicate", "Submissions known by their key", self.duplicates.clone());
        registry.register("requests_refused", "Requests refused, by error code", self.refused.clone());
        registry.register("worker_sessions", "Live worker sessions", self.sessions.clone());
        registry.register("worker_reports", "Reports of workers received", self.reports.clone());
        let dropped = self.log_chunks_dropped.clone();
        registry.register("log_chunks_dropped", "Pieces of attempt logs not kept", dropped);
        let received = self.log_bytes_received.clone();
        registry.register("log_bytes_received", "Bytes of attempt logs received", received);
        let stored = self.log_bytes_stored.clone();
        registry.register("log_bytes_stored", "Bytes written for attempt logs, packed", stored);
        registry.register("log_followers", "Callers that follow a log", self.log_followers.clone());
        let stale = self.stale_reports.clone();
        registry.register("stale_reports", "Reports of old attempts, since start", stale);
        registry.register("workers_lost", "Workers declared lost, since start", self.workers_lost.clone());
        registry.register("alerts", "Alerts on tasks", self.alerts.clone());
        registry.register("tasks", "Tasks in memory by state", self.tasks.clone());
        registry.register("queue_depth", "Waiting tasks", self.queued.clone());
        registry.register("attempts_running", "Attempts held by workers", self.running.clone());
        registry.register("workers", "Workers known", self.workers.clone());
        registry.register("checkpoint_lag_events", "Events not yet in the tables", self.lag_events.clone());
        registry.register("checkpoint_lag_bytes", "Journal not yet in the tables", self.lag_bytes.clone());
        registry.register("journal_records", "Records durable", self.records.clone());
    }

    pub fn note_refused(&self, code: &'static str) {
        self.refused.get_or_create(&CodeLabel { code }).inc();
    }

    /// Effects that are no order to a worker.
    pub fn note_live_view(&self, effect: &Effect) {
        if let Effect::Alert { alert, .. } = effect {
            let alert = match alert {
                Alert::SoftTimeout => "soft_timeout",
                Alert::Quarantined => "quarantined",
                Alert::SweptUp => "swept_up",
            };
            self.alerts.get_or_create(&AlertLabel { alert }).inc();
        }
    }

    /// In the text format of `OpenMetrics`.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }
}
