//! What queued tasks wait for, how many, since when, and how fast their queues are worked off.

use std::collections::BTreeMap;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{Question, WaitingGroups};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::{Name, Wall};

use super::stats;
use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::{QueueView, WaitingPage, WaitingView};

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
    let mut oldest: BTreeMap<(Name, &str, Name), Wall> = BTreeMap::new();
    for group in &groups {
        let since = oldest.entry((group.pool.clone(), group.band.label(), group.tenant.clone()));
        let since = since.or_insert(group.since);
        *since = group.since.min(*since);
    }
    let queue = |depth| {
        let per_minute = edge.rates.per_minute(depth);
        let since = oldest.get(&(depth.pool.clone(), depth.band.label(), depth.tenant.clone()));
        QueueView::of(depth, since.copied(), per_minute)
    };
    Ok(WaitingPage::new(
        groups.iter().map(WaitingView::of).collect(),
        depths.iter().map(queue).collect(),
        more,
    ))
}
