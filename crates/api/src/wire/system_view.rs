//! The server itself, as callers see it.

use std::time::Duration;

use serde::Serialize;

use super::answers::ReasonView;
use super::time::Moment;
use crate::config::ApiConfig;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "System"))]
pub(crate) struct SystemView {
    pub version: &'static str,
    pub started_at: Moment,
    /// Its clock
    pub at: Moment,
    /// Grows with every start
    pub epoch: u64,
    /// Durable in the journal
    pub records: u64,
    /// The newest record whose changes are in the tables
    pub tables_through: u64,
    pub events_behind: u64,
    pub bytes_behind: u64,
    /// Written to the journal since the start
    pub journal_bytes: u64,
    pub tasks_in_memory: u64,
    /// Idempotency keys that are not in the tables yet
    pub keys_in_memory: u64,
    /// Schedules whose next window is known
    pub schedules_armed: u64,
    pub workers: u64,
    pub sessions: u64,
    /// Callers that listen to events
    pub listeners: u64,
    /// Why it cannot take work; empty if it can
    pub reasons: Vec<ReasonView>,
    pub settings: SettingsView,
    /// Measured once a minute at most; absent if it cannot be measured
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskView>,
}

/// The device of the data directory, in bytes
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SystemDisk"))]
pub(crate) struct DiskView {
    /// Segments of the journal, with those prepared ahead
    pub journal_bytes: u64,
    pub tables_bytes: u64,
    /// Logs of attempts
    pub logs_bytes: u64,
    /// There were more logs than are measured: they take more room
    pub logs_more: bool,
    /// Left for this server
    pub free_bytes: u64,
    pub size_bytes: u64,
    pub measured_at: Moment,
}

/// Bounds and spans that it works with.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SystemSettings"))]
pub(crate) struct SettingsView {
    pub lease_ms: u64,
    pub heartbeat_ms: u64,
    pub key_life_ms: u64,
    pub log_days: u32,
    pub history_days: u32,
    pub job_tasks_max: u64,
    pub body_bytes_max: u64,
    pub connections_max: u64,
    /// Started with `--insecure`
    pub insecure: bool,
}

impl SettingsView {
    pub(crate) fn of(config: &ApiConfig, insecure: bool) -> Self {
        let millis = |span: Duration| span.as_millis() as u64;
        Self {
            lease_ms: millis(config.lease),
            heartbeat_ms: millis(config.heartbeat),
            key_life_ms: millis(config.key_life),
            log_days: config.log_days,
            history_days: config.history_days,
            job_tasks_max: config.job_tasks_max as u64,
            body_bytes_max: config.body_bytes_max as u64,
            connections_max: config.connections_max as u64,
            insecure,
        }
    }
}
