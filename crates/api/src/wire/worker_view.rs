//! A worker as callers read it.

use std::collections::BTreeMap;
use std::time::Duration;

use mainspring_core::engine::question::WorkerView;
use mainspring_core::values::{Actor, Millis, Name};
use mainspring_core::worker::{Availability, Cordon};
use serde::Serialize;

use super::time::Moment;
use crate::sessions::About;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Worker"))]
pub(crate) struct WorkerBody<'a> {
    pub worker_id: String,
    pub name: String,
    pub version: String,
    /// `healthy`, `cordoned` (gets nothing new), `draining` (nothing new, and it still runs something), `drained` (it runs
    /// nothing any more), `unhealthy` (silent for long), `disconnected`.
    #[cfg_attr(test, schemars(schema_with = "super::schema::worker_state"))]
    pub state: &'static str,
    pub pool: &'a str,
    pub zone: &'a str,
    pub slots: u32,
    pub running: u32,
    pub utilisation_percent: u32,
    pub cordoned: bool,
    /// Who closed it to new work, why, and since when; `null` if nobody did.
    pub cordon: Option<CordonView<'a>>,
    pub connected: bool,
    pub silent_ms: u64,
    pub labels: BTreeMap<&'a str, &'a str>,
    pub cpu_milli: u64,
    pub memory_bytes: u64,
    pub disk_bytes: u64,
    pub gpus: u64,
    /// Custom resources.
    pub custom: BTreeMap<&'a str, u64>,
    /// What it can run; empty if it did not say
    pub executors: Vec<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Cordon"))]
pub(crate) struct CordonView<'a> {
    /// It is to become empty and leave.
    pub draining: bool,
    pub actor: &'a str,
    pub reason: &'a str,
    pub since: Moment,
}

impl<'a> CordonView<'a> {
    fn of(cordon: &'a Cordon) -> Self {
        let Actor { actor, reason } = &cordon.by;
        Self { draining: cordon.drains, actor, reason, since: Moment(cordon.since) }
    }
}

impl<'a> WorkerBody<'a> {
    pub(crate) fn of(worker: &'a WorkerView, about: Option<About>, heartbeat: Duration) -> Self {
        let About { name, version } = about.unwrap_or_default();
        let offer = &worker.offer;
        let late = Millis::new(heartbeat.as_millis() as u64 * 2);
        let state = match worker.session {
            None => "disconnected",
            Some(_) if worker.silent > late => "unhealthy",
            Some(_) => match (worker.availability, worker.leaving) {
                (Availability::Open, false) => "healthy",
                (Availability::Cordoned, false) => "cordoned",
                (Availability::Draining, _) | (_, true) if worker.holds > 0 => "draining",
                (Availability::Draining, _) | (_, true) => "drained",
            },
        };
        Self {
            worker_id: worker.id.to_string(),
            name,
            version,
            state,
            pool: &offer.pool,
            zone: &offer.zone,
            slots: offer.slots,
            running: worker.holds,
            utilisation_percent: (u64::from(worker.holds) * 100 / u64::from(offer.slots.max(1))) as u32,
            cordoned: worker.availability != Availability::Open || worker.leaving,
            cordon: worker.cordon.as_ref().map(CordonView::of),
            connected: worker.session.is_some(),
            silent_ms: worker.silent.get(),
            labels: offer.labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect(),
            cpu_milli: offer.capacity.cpu_milli,
            memory_bytes: offer.capacity.memory_bytes,
            disk_bytes: offer.capacity.disk_bytes,
            gpus: offer.capacity.gpus,
            custom: offer.capacity.custom().iter().map(|(name, amount)| (name.as_str(), *amount)).collect(),
            executors: offer.executors.iter().map(Name::as_str).collect(),
        }
    }
}
