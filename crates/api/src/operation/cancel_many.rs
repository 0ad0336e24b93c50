//! Cancel everything that matches and is there now. The work goes on in steps after the answer.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::Progress;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::Bucket;

use super::Caller;
use super::processes::ask;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::SelectorBody;

pub(crate) async fn cancel_many(
    edge: &Edge,
    wanted: &SelectorBody,
    caller: &Caller<'_>,
) -> Result<Progress, Problem> {
    let command = Command::BulkCancel { selector: Box::new(wanted.selector()?), stop_running: wanted.force };
    let command = caller.keyed(edge, "cancel many", "", command)?;
    let Answer::Operation(id) = edge.gateway.ask(Bucket::from_hash(0), command).await? else {
        return Err(Rejection::Internal { what: "a bulk cancel was answered with something else" }.into());
    };
    let progress = ask(edge, id).await?;
    Ok(progress.unwrap_or(Progress { id, running: true, handled: None }))
}
