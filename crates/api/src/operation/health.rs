//! What is wrong with the server itself, or around it.

use std::time::Duration;

use mainspring_runtime::node::{Condition, Trouble};

use crate::edge::Edge;
use crate::wire::ReasonView;

/// A part that does not answer in this time waits for its disk.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// Trouble is looked at twice, this far apart: a process that was stopped as a whole sees old work when it goes on.
const SECOND_LOOK: Duration = Duration::from_millis(250);

/// Why it cannot take work; empty if it can.
pub(crate) async fn troubles_and_conditions(edge: &Edge) -> Vec<ReasonView> {
    let mut reasons = reasons(&troubles(edge).await);
    reasons.extend(conditions(edge).await);
    reasons
}

/// Work that has taken too long and is still the same at the second look.
pub(crate) async fn troubles(edge: &Edge) -> Vec<Trouble> {
    let health = edge.gateway.health();
    let first = health.troubles();
    if first.is_empty() {
        return first;
    }
    tokio::time::sleep(SECOND_LOOK).await;
    let same =
        |trouble: &Trouble| first.iter().any(|old| (old.part, old.number) == (trouble.part, trouble.number));
    health.troubles().into_iter().filter(same).collect()
}

/// What is wrong around the server, each by name.
async fn conditions(edge: &Edge) -> Vec<ReasonView> {
    let health = edge.gateway.health();
    // On another thread: it looks for the data directory, and the disk may not answer.
    let looked = tokio::task::spawn_blocking(move || health.conditions.list());
    let Ok(Ok(conditions)) = tokio::time::timeout(PATIENCE, looked).await else {
        let detail = "the disk of the data directory does not answer".to_owned();
        return vec![ReasonView { code: "disk_slow", detail, since_s: None }];
    };
    conditions.iter().map(reason_of).collect()
}

fn reason_of(condition: &Condition) -> ReasonView {
    let since_s = condition.since.map(|since| since.elapsed().as_secs());
    ReasonView { code: condition.code.name(), detail: condition.detail.clone(), since_s }
}

pub(crate) fn reasons(troubles: &[Trouble]) -> Vec<ReasonView> {
    let reason =
        |trouble: &Trouble| ReasonView { code: trouble.code(), detail: trouble.to_string(), since_s: None };
    troubles.iter().map(reason).collect()
}
