//! How much waits and runs.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{Question, Stats};
use mainspring_core::engine::{Answer, Command};

use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::series::Stretch;

pub(crate) async fn stats(edge: &Edge) -> Result<Box<Stats>, Problem> {
    match edge.gateway.ask(Route::All, Command::Ask(Question::Stats)).await? {
        Answer::Stats(stats) => Ok(stats),
        _ => Err(Rejection::Internal { what: "stats were answered with something else" }.into()),
    }
}

/// Steps of one answer unless more are asked for, and at most.
const POINTS_DEFAULT: usize = 360;
const POINTS_MAX: usize = 8_640;

/// The newest `points` steps of this length.
pub(crate) fn series(edge: &Edge, step: Option<&str>, points: Option<usize>) -> Result<Stretch, Problem> {
    let step_ms = match step {
        Some("1s") => 1_000,
        None | Some("10s") => 10_000,
        Some("5m") => 300_000,
        Some(_) => return Err(Problem::query("step", "say 1s, 10s or 5m")),
    };
    let count = points.unwrap_or(POINTS_DEFAULT);
    if !(1..=POINTS_MAX).contains(&count) {
        return Err(Problem::query("points", "a number from 1 to 8640"));
    }
    Ok(edge.series.read(step_ms, count))
}
