//! How much waits and runs.

use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::Slot;
use mainspring_core::question::{Question, Stats};

use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) async fn stats(edge: &Edge) -> Result<Box<Stats>, Problem> {
    match edge.gateway.ask(Slot::from_hash(0), Command::Ask(Question::Stats)).await? {
        Answer::Stats(stats) => Ok(stats),
        _ => Err(Rejection::Internal { what: "stats were answered with something else" }.into()),
    }
}
