//! What the edges do with backfills. One file a verb.

mod act;
mod create;
mod ledger;
mod list;
mod plan;
mod read;
mod wish;

use mainspring_core::backfill::decide::{BackfillAnswer, BackfillCommand};
use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::BackfillId;

pub(crate) use self::{
    act::{cancel_backfill, pause_backfill},
    create::{Made, create_backfill},
    list::{BackfillFilter, backfills},
    read::backfill,
};
use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;

/// What is no id names no backfill.
pub(crate) fn backfill_id(text: &str) -> Result<BackfillId, Problem> {
    text.parse().map_err(|_| Problem::NoSuchBackfill { id: text.chars().take(100).collect() })
}

async fn ask(edge: &Edge, route: Route, command: BackfillCommand) -> Result<BackfillAnswer, Problem> {
    send(edge, route, Command::Backfill(Box::new(command))).await
}

async fn send(edge: &Edge, route: Route, command: Command) -> Result<BackfillAnswer, Problem> {
    match edge.gateway.ask(route, command).await? {
        Answer::Backfill(answer) => Ok(answer),
        _ => Err(unexpected()),
    }
}

fn unexpected() -> Problem {
    Rejection::Internal { what: "a command on backfills was answered with something else" }.into()
}
