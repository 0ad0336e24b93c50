//! Cancel everything that matches and is there now. The work goes on in steps after the answer.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::Progress;
use mainspring_core::engine::{Answer, Command};

use super::operations::ask;
use super::{Caller, Change};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{OverrideBody, SelectorBody};

pub(crate) async fn cancel_many(
    edge: &Edge,
    wanted: &SelectorBody,
    caller: &Caller<'_>,
) -> Result<Progress, Problem> {
    let over = OverrideBody { actor: wanted.actor.clone(), reason: wanted.reason.clone() };
    let by = Change::by("tasks were cancelled", &over, caller)?;
    let selector = Box::new(wanted.selector()?);
    let route = edge.gateway.tenant_or_all(Some(&selector.tenant).filter(|tenant| !tenant.is_empty()));
    let command = Command::BulkCancel { selector, stop_running: wanted.force };
    let command = caller.keyed(edge, route, ("cancel many", ""), command)?;
    let Answer::Operation(id) = edge.gateway.ask(route, command).await? else {
        return Err(Rejection::Internal { what: "a bulk cancel was answered with something else" }.into());
    };
    by.done(format_args!("operation {}", id.get()));
    let progress = ask(edge, id).await?;
    Ok(progress.unwrap_or(Progress { id, running: true, handled: None }))
}
