//! Named limits, as callers see them.

use std::cmp::Reverse;

use mainspring_core::dispatch::KeyLoad;
use mainspring_core::engine::question::{LimitStanding, LimitStandings};
use serde::Serialize;

/// Limits of one answer; a tenant may name as many as it likes.
const LIMITS_MAX: usize = 1000;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LimitPage {
    /// Those with the most waiting tasks first.
    pub limits: Vec<LimitView>,
    /// There are others, or keys that were not counted.
    pub more: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Limit"))]
pub(crate) struct LimitView {
    pub limit: String,
    /// Limits of different tenants have nothing to do with each other. None for one that is configured and not in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The most attempts at once, for each key: the lower of what the configuration and the tasks say.
    pub max: u32,
    /// The configuration of the server names it.
    pub configured: bool,
    /// How many keys are in use; 1 for a limit without keys.
    pub keys: u64,
    /// How many of these have no place left.
    pub full: u64,
    /// Attempts that hold a place.
    pub used: u64,
    /// Tasks that wait and need a place.
    pub queued: u64,
    /// Ids of the tasks that hold a place, at most five.
    pub holders: Vec<String>,
    /// Keys with the most waiting tasks, at most ten.
    pub busiest: Vec<LimitKeyView>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LimitKey"))]
pub(crate) struct LimitKeyView {
    /// Empty for a limit without keys.
    pub key: String,
    pub max: u32,
    pub used: u64,
    pub queued: u64,
}

impl LimitPage {
    pub(crate) fn of(limits: LimitStandings) -> Self {
        let mut rows: Vec<LimitView> = limits.limits.into_iter().map(LimitView::of).collect();
        // What stays equal is by tenant and name.
        rows.sort_by_key(|row| Reverse((row.queued, row.used)));
        let more = limits.more || rows.len() > LIMITS_MAX;
        rows.truncate(LIMITS_MAX);
        Self { limits: rows, more }
    }
}

impl LimitView {
    fn of(LimitStanding { usage, holders }: LimitStanding) -> Self {
        let max = usage.busiest.first().map(|key| key.max).or(usage.configured);
        Self {
            limit: usage.limit.to_string(),
            tenant: Some(usage.tenant.to_string()).filter(|tenant| !tenant.is_empty()),
            max: max.unwrap_or(1),
            configured: usage.configured.is_some(),
            keys: usage.keys,
            full: usage.full,
            used: usage.held,
            queued: usage.queued,
            holders: holders.iter().map(ToString::to_string).collect(),
            busiest: usage.busiest.into_iter().map(LimitKeyView::of).collect(),
        }
    }
}

impl LimitKeyView {
    fn of(KeyLoad { queued, held, key, max }: KeyLoad) -> Self {
        Self { key: key.to_string(), max, used: held, queued }
    }
}
