//! A pool, as callers see it.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Pool"))]
pub(crate) struct PoolView {
    pub pool: String,
    pub workers: u32,
    /// Workers that take nothing new, or are not connected.
    pub workers_away: u32,
    /// Of workers that take new work.
    pub slots: u64,
    pub used: u64,
    pub utilisation_percent: u64,
    pub queued: u64,
    pub queued_by_band: BTreeMap<&'static str, u64>,
    pub running_by_band: BTreeMap<&'static str, u64>,
    /// Tenants that have something waiting or running here.
    pub tenants: u32,
    /// Most attempts at once; none without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_max: Option<u32>,
    /// Most tasks that may wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued_max: Option<u64>,
}
