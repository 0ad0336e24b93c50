//! The server itself in one answer: version, how far its journal and tables are, what it holds, its settings.

use mainspring_core::values::Millis;

use super::{health, stats};
use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::Problem;
use crate::wire::{Moment, SettingsView, SystemView};

/// The shard of which there is one.
const ONLY_SHARD: usize = 0;

pub(crate) async fn system(edge: &Edge) -> Result<SystemView, Problem> {
    let stats = stats(edge).await?;
    let measured = tokio::time::timeout(health::PATIENCE, edge.gateway.measured(ONLY_SHARD)).await;
    let measured = measured.ok().flatten().ok_or(Problem::ServerBusy)?;
    let figures = &measured.figures;
    let at = now();
    Ok(SystemView {
        version: env!("CARGO_PKG_VERSION"),
        started_at: Moment(at - Millis::new(edge.started.elapsed().as_millis() as u64)),
        at: Moment(at),
        epoch: measured.epoch,
        records: figures.durable.get(),
        tables_through: figures.checkpointed.get(),
        events_behind: figures.lag_events,
        bytes_behind: figures.lag_bytes,
        journal_bytes: measured.meters.journal_bytes,
        tasks_in_memory: figures.in_memory as u64,
        keys_in_memory: figures.recent_keys as u64,
        schedules_armed: figures.schedules_armed as u64,
        workers: stats.workers as u64,
        sessions: edge.sessions.live() as u64,
        listeners: edge.feed.listeners() as u64,
        reasons: health::troubles_and_conditions(edge).await,
        disk: edge.disk.read().await,
        settings: SettingsView::of(&edge.config, edge.access().insecure),
    })
}
