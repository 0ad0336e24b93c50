//! `/v1/pools`: how much room each pool has and how much waits for it. A pool exists while a worker or a task names it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::Slot;
use mainspring_core::priority::Band;
use mainspring_core::question::Question;
use serde::Serialize;
use serde_json::json;

use super::{json, workers};
use crate::edge::Edge;
use crate::problem::Problem;

#[derive(Serialize, Default)]
struct PoolBody {
    pool: String,
    workers: u32,
    /// Workers that take nothing new, or are not connected.
    workers_away: u32,
    /// Of workers that take new work.
    slots: u64,
    used: u64,
    utilisation_percent: u64,
    queued: u64,
    queued_by_band: BTreeMap<&'static str, u64>,
    running_by_band: BTreeMap<&'static str, u64>,
    /// Tenants that have something waiting or running here.
    tenants: u32,
}

pub(super) async fn list(State(edge): State<Arc<Edge>>) -> Result<Response, Problem> {
    let pools: Vec<PoolBody> = read(&edge).await?.into_values().collect();
    Ok(json(StatusCode::OK, &json!({"pools": pools})))
}

pub(super) async fn get(
    State(edge): State<Arc<Edge>>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let found = read(&edge).await?.remove(&name);
    let pool = found.ok_or_else(|| Problem::PoolNotFound { name: name.chars().take(100).collect() })?;
    Ok(json(StatusCode::OK, &pool))
}

async fn read(edge: &Edge) -> Result<BTreeMap<String, PoolBody>, Problem> {
    let mut pools: BTreeMap<String, PoolBody> = BTreeMap::new();
    for worker in workers::ask(edge, None).await? {
        let pool = named(&mut pools, &worker.offer.pool);
        pool.workers += 1;
        pool.used += u64::from(worker.holds);
        if worker.cordoned || worker.session.is_none() {
            pool.workers_away += 1;
        } else {
            pool.slots += u64::from(worker.offer.slots);
        }
    }
    let answer = edge.gateway.ask(Slot::from_hash(0), Command::Ask(Question::Stats)).await?;
    let Answer::Stats(stats) = answer else {
        return Err(Rejection::Internal { what: "stats were answered with something else" }.into());
    };
    let mut tenants = BTreeMap::<String, std::collections::BTreeSet<&str>>::new();
    for depth in &stats.depths {
        let pool = named(&mut pools, &depth.pool);
        pool.queued += depth.queued;
        *pool.queued_by_band.entry(depth.band.label()).or_default() += depth.queued;
        *pool.running_by_band.entry(depth.band.label()).or_default() += u64::from(depth.running);
        tenants.entry(pool.pool.clone()).or_default().insert(&depth.tenant);
    }
    for pool in pools.values_mut() {
        pool.tenants = tenants.get(&pool.pool).map_or(0, |tenants| tenants.len() as u32);
        pool.utilisation_percent = pool.used * 100 / pool.slots.max(1);
    }
    Ok(pools)
}

fn named<'a>(pools: &'a mut BTreeMap<String, PoolBody>, name: &str) -> &'a mut PoolBody {
    let bands = || Band::ALL.into_iter().map(|band| (band.label(), 0)).collect();
    pools.entry(name.to_owned()).or_insert_with(|| PoolBody {
        pool: name.to_owned(),
        queued_by_band: bands(),
        running_by_band: bands(),
        ..PoolBody::default()
    })
}
