//! Figures for `/metrics`. Handles of hot paths are fields: no label is looked up there. What the shard measures is
//! asked for at a scrape (`scrape`). `docs/metrics.md` explains every name.
//! - ME-1 a label whose values callers choose has at most [`names::VALUES_MAX`] of them

pub mod jobs;
mod names;
mod scrape;

use std::sync::atomic::AtomicU64;
use std::time::Instant;

use mainspring_core::decision::{Alert, Effect};
use mainspring_core::engine::question::Stats;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use self::jobs::JobFigures;
use self::names::Names;
use self::scrape::Scrape;
pub use self::scrape::Told;

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
pub struct PoolLabel {
    pub pool: String,
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
    pub heartbeats: Count,
    pub log_chunks_dropped: Count,
    pub log_bytes_received: Count,
    pub log_bytes_stored: Count,
    pub log_followers: Gauge,
    pub alerts: Family<AlertLabel, Count>,
    pub tasks: Family<StateLabel, Gauge>,
    pub queued: Family<LineLabels, Gauge>,
    pub running: Family<LineLabels, Gauge>,
    pub workers: Gauge,
    pub lag_events: Gauge,
    pub lag_bytes: Gauge,
    pub records: Gauge,
    pub pool_workers: Family<PoolLabel, Gauge>,
    pub pool_slots: Family<PoolLabel, Gauge>,
    pub pool_slots_used: Family<PoolLabel, Gauge>,
    pub jobs: JobFigures,
    scrape: Scrape,
    pools: Names,
    tenants: Names,
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
            heartbeats: Count::default(),
            log_chunks_dropped: Count::default(),
            log_bytes_received: Count::default(),
            log_bytes_stored: Count::default(),
            log_followers: Gauge::default(),
            alerts: Family::default(),
            tasks: Family::default(),
            queued: Family::default(),
            running: Family::default(),
            workers: Gauge::default(),
            lag_events: Gauge::default(),
            lag_bytes: Gauge::default(),
            records: Gauge::default(),
            pool_workers: Family::default(),
            pool_slots: Family::default(),
            pool_slots_used: Family::default(),
            jobs: JobFigures::default(),
            scrape: Scrape::default(),
            pools: Names::default(),
            tenants: Names::default(),
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
        let beats = self.heartbeats.clone();
        registry.register("worker_heartbeats", "Heartbeats of workers received", beats);
        let received = self.log_bytes_received.clone();
        registry.register("log_bytes_received", "Bytes of attempt logs received", received);
        let stored = self.log_bytes_stored.clone();
        registry.register("log_bytes_stored", "Bytes written for attempt logs, packed", stored);
        registry.register("log_followers", "Callers that follow a log", self.log_followers.clone());
        registry.register("alerts", "Alerts on tasks", self.alerts.clone());
        registry.register("tasks", "Tasks in memory by state", self.tasks.clone());
        registry.register("queue_depth", "Waiting tasks", self.queued.clone());
        registry.register("attempts_running", "Attempts held by workers", self.running.clone());
        registry.register("workers", "Workers known", self.workers.clone());
        registry.register("checkpoint_lag_events", "Events not yet in the tables", self.lag_events.clone());
        let lag = self.lag_bytes.clone();
        registry.register_with_unit("checkpoint_lag", "Journal not yet in the tables", Unit::Bytes, lag);
        registry.register("journal_records", "Records durable", self.records.clone());
        let workers = self.pool_workers.clone();
        registry.register("pool_workers", "Connected workers of a pool", workers);
        registry.register("pool_slots", "Slots of connected workers", self.pool_slots.clone());
        let used = self.pool_slots_used.clone();
        registry.register("pool_slots_used", "Slots in use, of workers connected or not", used);
        registry.register_collector(Box::new(self.scrape.clone()));
        registry.register_collector(Box::new(self.jobs.clone()));
    }

    /// What the shard says at a scrape. Lines and pools that are empty now are not named any more.
    pub fn tell(&self, told: Told) {
        if let Some(stats) = &told.stats {
            self.note_stats(stats);
        }
        if let Some(measured) = &told.measured {
            self.lag_events.set(measured.figures.lag_events as i64);
            self.lag_bytes.set(measured.figures.lag_bytes as i64);
            self.records.set(measured.figures.durable.get() as i64);
        }
        self.jobs.forget_deleted(Instant::now());
        self.scrape.tell(told);
    }

    fn note_stats(&self, stats: &Stats) {
        for (status, count) in &stats.counts {
            self.tasks.get_or_create(&StateLabel { state: status.label() }).set(*count as i64);
        }
        self.queued.clear();
        self.running.clear();
        for depth in &stats.depths {
            let labels = LineLabels {
                pool: self.pools.shown(&depth.pool),
                band: depth.band.label(),
                tenant: self.tenants.shown(&depth.tenant),
            };
            self.queued.get_or_create(&labels).inc_by(depth.queued as i64);
            self.running.get_or_create(&labels).inc_by(i64::from(depth.running));
        }
        for gauges in [&self.pool_workers, &self.pool_slots, &self.pool_slots_used] {
            gauges.clear();
        }
        for room in &stats.pools {
            let label = PoolLabel { pool: self.pools.shown(&room.pool) };
            self.pool_workers.get_or_create(&label).inc_by(room.connected as i64);
            self.pool_slots.get_or_create(&label).inc_by(room.slots as i64);
            self.pool_slots_used.get_or_create(&label).inc_by(room.held as i64);
        }
        self.workers.set(stats.workers as i64);
    }

    pub fn note_refused(&self, code: &'static str) {
        self.refused.get_or_create(&CodeLabel { code }).inc();
    }

    /// Effects that are no order to a worker.
    pub fn note_alert(&self, effect: &Effect) {
        if let Effect::Alert { alert, .. } = effect {
            let alert = match alert {
                Alert::SoftTimeout => "soft_timeout",
                Alert::Quarantined => "quarantined",
                Alert::SweptUp => "swept_up",
            };
            self.alerts.get_or_create(&AlertLabel { alert }).inc();
        }
        if let Effect::RunAlert { run, alert } = effect {
            tracing::warn!(%run, alert = alert.label(), "the watchdog found a run");
        }
        if let Effect::ScheduleAlert { schedule } = effect {
            tracing::error!(%schedule, "a schedule that is on had no timer");
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
