//! How much waits and runs.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{Question, Stats};
use mainspring_core::engine::{Answer, Command};

use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;

pub(crate) async fn stats(edge: &Edge) -> Result<Box<Stats>, Problem> {
    match edge.gateway.ask(Route::All, Command::Ask(Question::Stats)).await? {
        Answer::Stats(stats) => Ok(stats),
        _ => Err(Rejection::Internal { what: "stats were answered with something else" }.into()),
    }
}
