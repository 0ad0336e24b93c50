//! What queued tasks wait for, as callers see it.

use std::cmp::Reverse;

use mainspring_core::dispatch::{Depth, WaitKind};
use mainspring_core::engine::question::WaitingGroup;
use mainspring_core::values::Wall;
use serde::Serialize;

use super::time::Moment;

/// Rows of one answer, of each list.
const ROWS_MAX: usize = 1000;
const MINUTE_MS: u64 = 60_000;

/// What queued tasks can wait for.
pub(crate) const WAIT_REASONS: [&str; WaitKind::ALL.len()] = {
    let mut words = [""; WaitKind::ALL.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = WaitKind::ALL[at].label();
        at += 1;
    }
    words
};

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct WaitingPage {
    /// The most tasks first.
    pub waiting: Vec<WaitingView>,
    /// Queues with tasks that wait or run; those with the most waiting tasks first.
    pub queues: Vec<QueueView>,
    /// There are others, or kinds of tasks that were not looked at.
    pub more: bool,
}

/// Queued tasks that wait for the same
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Waiting"))]
pub(crate) struct WaitingView {
    #[cfg_attr(test, schemars(extend("enum" = WAIT_REASONS)))]
    pub reason: &'static str,
    /// With reason `limit`: the named limit that is full
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    pub pool: String,
    #[cfg_attr(test, schemars(extend("enum" = ["P0", "P1", "P2", "backfill"])))]
    pub band: &'static str,
    pub tenant: String,
    pub queued: u64,
    /// Since when the one that has waited longest waits
    pub oldest_since: Moment,
    /// The task that has waited longest
    pub example: String,
    pub message: String,
    pub advice: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Queue"))]
pub(crate) struct QueueView {
    pub pool: String,
    #[cfg_attr(test, schemars(extend("enum" = ["P0", "P1", "P2", "backfill"])))]
    pub band: &'static str,
    pub tenant: String,
    pub queued: u64,
    pub running: u32,
    /// Since when the task that has waited longest waits; absent if none does
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_since: Option<Moment>,
    /// Attempts that began, by those of the last minute; absent until it is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_per_minute: Option<u64>,
    /// How long what waits will take at that rate; absent if nothing waits or begins, or if most of it waits for a limit or
    /// for workers that are not there
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drained_in_ms: Option<u64>,
}

impl WaitingPage {
    pub(crate) fn new(mut waiting: Vec<WaitingView>, mut queues: Vec<QueueView>, more: bool) -> Self {
        waiting.sort_by_key(|row| Reverse(row.queued));
        queues.sort_by_key(|row| Reverse((row.queued, row.running)));
        let more = more || waiting.len() > ROWS_MAX || queues.len() > ROWS_MAX;
        waiting.truncate(ROWS_MAX);
        queues.truncate(ROWS_MAX);
        Self { waiting, queues, more }
    }
}

impl WaitingView {
    pub(crate) fn of(group: &WaitingGroup) -> Self {
        Self {
            reason: group.reason.kind().label(),
            limit: group.reason.limit().map(ToString::to_string),
            pool: group.pool.to_string(),
            band: group.band.label(),
            tenant: group.tenant.to_string(),
            queued: group.queued,
            oldest_since: Moment(group.since),
            example: group.oldest.to_string(),
            message: group.reason.to_string(),
            advice: group.reason.advice(),
        }
    }
}

impl QueueView {
    /// `is_blocked`: most of what waits does not wait for room.
    pub(crate) fn of(
        depth: &Depth,
        oldest: Option<Wall>,
        started_per_minute: Option<u64>,
        is_blocked: bool,
    ) -> Self {
        let rate = started_per_minute.filter(|rate| *rate > 0 && depth.queued > 0 && !is_blocked);
        Self {
            pool: depth.pool.to_string(),
            band: depth.band.label(),
            tenant: depth.tenant.to_string(),
            queued: depth.queued,
            running: depth.running,
            oldest_since: oldest.map(Moment),
            started_per_minute,
            drained_in_ms: rate.map(|rate| depth.queued.saturating_mul(MINUTE_MS) / rate),
        }
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::values::{Band, Name};

    use super::*;

    #[test]
    fn a_queue_says_how_long_it_will_take_only_if_its_tasks_wait_for_room() {
        let (pool, tenant) = (Name::fixed("p"), Name::fixed("t"));
        let depth = Depth { pool, band: Band::P1, tenant, queued: 120, running: 1, placed: 0 };
        let told = |rate, is_blocked| QueueView::of(&depth, None, rate, is_blocked).drained_in_ms;
        assert_eq!(told(Some(60), false), Some(120_000));
        assert_eq!((told(Some(60), true), told(Some(0), false), told(None, false)), (None, None, None));
    }
}
