//! Settings of the edges, and their bounds.

use std::time::Duration;

use mainspring_core::values::{Groups, Limits};

use crate::metrics::jobs::OWN_MAX_DEFAULT;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ApiConfig {
    /// Largest body of a single request; a payload of the largest size fits, with all else around it.
    pub body_bytes_max: usize,
    /// Largest body of a batch.
    pub batch_bytes_max: usize,
    pub batch_tasks_max: usize,
    /// How long an idempotency key is kept at least.
    pub key_life: Duration,
    /// What workers are told: how long they may be silent. Must equal the lease of the core, which the default is
    /// taken from; who sets one sets both.
    pub lease: Duration,
    pub heartbeat: Duration,
    /// Orders that may wait for one worker; beyond that its session is ended, and it comes back with a new one.
    pub session_queue_max: usize,
    /// Open connections; further ones are closed at once.
    pub connections_max: usize,
    /// How long a stopping server waits for requests that are under way.
    pub drain: Duration,
    /// Callers that follow a log at once, and as many that listen to events; further ones are told to come back.
    pub log_followers_max: usize,
    /// Jobs that have metrics of their own; all others share those of `other`.
    pub metrics_jobs_max: usize,
    /// A listener that takes nothing for so long is ended.
    pub listener_patience: Duration,
    /// A connection whose other side takes nothing for so long is closed.
    pub write_patience: Duration,
    /// Whole days that logs are kept.
    pub log_days: u32,
    /// Whole days for which it is known what became of windows.
    pub history_days: u32,
    /// Tasks of one job.
    pub job_tasks_max: usize,
    /// Which group a tenant is in: ids carry it, and requests are routed by it.
    pub groups: Groups,
}

pub const KEY_BYTES_MAX: usize = 255;

impl Default for ApiConfig {
    fn default() -> Self {
        Self {
            body_bytes_max: 2 << 20,
            batch_bytes_max: 64 << 20,
            batch_tasks_max: 10_000,
            key_life: Duration::from_hours(24),
            lease: Duration::from_millis(Limits::default().lease.get()),
            heartbeat: HEARTBEAT,
            session_queue_max: 1_000_000,
            connections_max: 20_000,
            drain: Duration::from_secs(10),
            log_followers_max: 1_000,
            metrics_jobs_max: OWN_MAX_DEFAULT,
            listener_patience: Duration::from_mins(1),
            write_patience: Duration::from_mins(3),
            log_days: 7,
            history_days: 90,
            job_tasks_max: 10_000,
            groups: Groups::default(),
        }
    }
}

const HEARTBEAT: Duration = Duration::from_secs(4);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_has_three_chances_to_renew() {
        let config = ApiConfig::default();
        assert!(3 * config.heartbeat <= config.lease);
    }
}
