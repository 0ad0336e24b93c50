//! How much room each pool has and how much waits for it. A pool exists while a worker, a task or a setting names it.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::dispatch::POOL_DEFAULT;
use mainspring_core::values::Band;
use mainspring_core::worker::Availability;

use super::{stats, workers};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::PoolView;

/// By name.
pub(crate) async fn pools(edge: &Edge) -> Result<BTreeMap<String, PoolView>, Problem> {
    let mut pools: BTreeMap<String, PoolView> = BTreeMap::new();
    for worker in workers::ask(edge, None).await?.iter().filter(|worker| worker.is_known()) {
        let pool = named(&mut pools, &worker.offer.pool);
        pool.workers += 1;
        pool.used += u64::from(worker.holds);
        if worker.availability != Availability::Open || worker.leaving || worker.session.is_none() {
            pool.workers_away += 1;
        } else {
            pool.slots += u64::from(worker.offer.slots);
        }
    }
    let stats = stats(edge).await?;
    let mut tenants = BTreeMap::<String, BTreeSet<&str>>::new();
    for depth in &stats.depths {
        let pool = named(&mut pools, &depth.pool);
        pool.queued += depth.queued;
        *pool.queued_by_band.entry(depth.band.label()).or_default() += depth.queued;
        *pool.running_by_band.entry(depth.band.label()).or_default() += u64::from(depth.running);
        tenants.entry(pool.pool.clone()).or_default().insert(&depth.tenant);
    }
    for (name, limit) in &stats.limits {
        let pool = named(&mut pools, name);
        pool.running_max = Some(limit.running_max).filter(|max| *max != POOL_DEFAULT.running_max);
        pool.queued_max = Some(limit.queued_max).filter(|max| *max != POOL_DEFAULT.queued_max);
    }
    for pool in pools.values_mut() {
        pool.tenants = tenants.get(&pool.pool).map_or(0, |tenants| tenants.len() as u32);
        pool.utilisation_percent = pool.used * 100 / pool.slots.max(1);
    }
    Ok(pools)
}

pub(crate) async fn pool(edge: &Edge, name: &str) -> Result<PoolView, Problem> {
    let found = pools(edge).await?.remove(name);
    found.ok_or_else(|| Problem::PoolNotFound { name: name.chars().take(100).collect() })
}

fn named<'a>(pools: &'a mut BTreeMap<String, PoolView>, name: &str) -> &'a mut PoolView {
    let bands = || Band::ALL.into_iter().map(|band| (band.label(), 0)).collect();
    pools.entry(name.to_owned()).or_insert_with(|| PoolView {
        pool: name.to_owned(),
        queued_by_band: bands(),
        running_by_band: bands(),
        ..PoolView::default()
    })
}
