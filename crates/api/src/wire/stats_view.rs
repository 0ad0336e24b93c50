//! How much waits and runs, as callers read it.

use std::collections::BTreeMap;

use mainspring_core::engine::question::Stats;
use serde::Serialize;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Stats"))]
pub(crate) struct StatsView<'a> {
    pub depths: Vec<DepthView<'a>>,
    /// In memory; an ended task leaves it once the tables have it.
    pub tasks_in_memory: BTreeMap<&'static str, u64>,
    pub queued: u64,
    pub running: u64,
    pub workers: usize,
    pub sessions: usize,
    pub stale_reports: u64,
    pub workers_lost: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Depth"))]
pub(crate) struct DepthView<'a> {
    pub pool: &'a str,
    #[cfg_attr(test, schemars(schema_with = "super::schema::band"))]
    pub band: &'static str,
    pub tenant: &'a str,
    pub queued: u64,
    pub running: u32,
}

impl<'a> StatsView<'a> {
    pub(crate) fn of(stats: &'a Stats, sessions: usize) -> Self {
        let depths = stats.depths.iter().map(|depth| DepthView {
            pool: &depth.pool,
            band: depth.band.label(),
            tenant: &depth.tenant,
            queued: depth.queued,
            running: depth.running,
        });
        Self {
            depths: depths.collect(),
            tasks_in_memory: stats.counts.iter().map(|(status, count)| (status.label(), *count)).collect(),
            queued: stats.depths.iter().map(|depth| depth.queued).sum(),
            running: stats.depths.iter().map(|depth| u64::from(depth.running)).sum(),
            workers: stats.workers,
            sessions,
            stale_reports: stats.engine.stale_reports,
            workers_lost: stats.engine.workers_lost,
        }
    }
}
