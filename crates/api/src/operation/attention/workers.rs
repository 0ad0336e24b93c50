//! Work without workers, and workers that are not heard of.

use std::collections::BTreeMap;

use mainspring_core::engine::question::Stats;

use super::{finding, many};
use crate::edge::Edge;
use crate::operation::{WorkerFilter, workers};
use crate::problem::Problem;
use crate::wire::{ExampleView, FindingView};

/// With the slots of connected workers.
pub(super) async fn findings(edge: &Edge, stats: &Stats) -> Result<(Vec<FindingView>, u64), Problem> {
    let mut found = without_workers(stats);
    let (lost, slots) = workers(edge, WorkerFilter::default(), |fleet| {
        let slots = fleet.iter().filter(|one| one.connected).map(|one| u64::from(one.slots)).sum::<u64>();
        let lost = fleet.iter().filter(|one| matches!(one.state, "unhealthy" | "disconnected"));
        let lost: Vec<ExampleView> =
            lost.map(|one| ExampleView { id: one.worker_id.clone(), text: one.name.clone() }).collect();
        (lost, slots)
    })
    .await?;
    if let Some(first) = lost.first() {
        let count = lost.len() as u64;
        let is = if count == 1 { "is" } else { "are" };
        let message = format!("{} {is} silent or gone", many(count, "worker"));
        let advice = "see whether its machine lives; what it ran is tried again elsewhere after its lease";
        found.push(FindingView {
            example: Some(first.clone()),
            ..finding("workers_lost", 2, count, message, advice)
        });
    }
    Ok((found, slots))
}

/// Pools in which something waits that no worker serves.
fn without_workers(stats: &Stats) -> Vec<FindingView> {
    let mut queued: BTreeMap<&str, u64> = BTreeMap::new();
    for depth in &stats.depths {
        *queued.entry(&depth.pool).or_default() += depth.queued;
    }
    let served = |pool: &str| stats.pools.iter().any(|room| *room.pool == *pool && room.connected > 0);
    let alone = queued.into_iter().filter(|(pool, count)| *count > 0 && !served(pool));
    alone
        .map(|(pool, count)| FindingView {
            pool: Some(pool.to_owned()),
            ..finding(
                "no_workers",
                3,
                count,
                format!("{} in pool `{pool}`, and no worker of it is connected", waiting(count)),
                "start a worker of this pool, or see why its workers are gone",
            )
        })
        .collect()
}

fn waiting(count: u64) -> String {
    format!("{} {}", many(count, "task"), if count == 1 { "waits" } else { "wait" })
}
