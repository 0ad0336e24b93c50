//! What queued tasks wait for, how many, since when, and how fast their queues are worked off.

use std::collections::BTreeMap;

use mainspring_core::decision::Rejection;
use mainspring_core::dispatch::{Depth, WaitKind};
use mainspring_core::engine::question::{Question, WaitingGroup, WaitingGroups};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::{Name, Wall};

use super::stats;
use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::{QueueView, WaitingPage, WaitingView};

/// Of one queue.
#[derive(Default)]
struct QueueWaits {
    oldest: Option<Wall>,
    /// Tasks that more room would not help.
    blocked: u64,
}

impl QueueWaits {
    fn add(&mut self, group: &WaitingGroup) {
        self.oldest = Some(self.oldest.map_or(group.since, |oldest| oldest.min(group.since)));
        let is_blocked = match group.reason.kind() {
            WaitKind::NoWorkers | WaitKind::NoWorkerMatches | WaitKind::Limit | WaitKind::TenantLimit => true,
            WaitKind::PoolLimit
            | WaitKind::BackfillShare
            | WaitKind::NoRoom
            | WaitKind::Behind
            | WaitKind::AboutToBePlaced => false,
        };
        self.blocked += if is_blocked { group.queued } else { 0 };
    }
}

pub(crate) async fn waiting(edge: &Edge) -> Result<WaitingPage, Problem> {
    let depths = stats(edge).await?.depths;
    let WaitingGroups { groups, more } = match edge
        .gateway
        .ask(Route::All, Command::Ask(Question::Waiting))
        .await?
    {
        Answer::Waiting(groups) => *groups,
        _ => return Err(Rejection::Internal { what: "a question was answered with something else" }.into()),
    };
    let mut waits: BTreeMap<(Name, &str, Name), QueueWaits> = BTreeMap::new();
    for group in &groups {
        let queue = waits.entry((group.pool.clone(), group.band.label(), group.tenant.clone()));
        queue.or_default().add(group);
    }
    let none = QueueWaits::default();
    let queue = |depth: &Depth| {
        let waits = waits.get(&(depth.pool.clone(), depth.band.label(), depth.tenant.clone()));
        let waits = waits.unwrap_or(&none);
        // What waits for a limit or for workers that are not there does not begin as fast as what began lately.
        let is_blocked = waits.blocked.saturating_mul(2) > depth.queued;
        QueueView::of(depth, waits.oldest, edge.rates.per_minute(depth), is_blocked)
    };
    Ok(WaitingPage::new(
        groups.iter().map(WaitingView::of).collect(),
        depths.iter().map(queue).collect(),
        more,
    ))
}
