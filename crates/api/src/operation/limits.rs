//! Named limits: who holds a permit and how many wait for one. A limit exists while a task or a setting names it.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{LimitStandings, Question};
use mainspring_core::engine::{Answer, Command};

use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::LimitPage;

/// Those with the most waiting tasks first.
pub(crate) async fn limits(edge: &Edge) -> Result<LimitPage, Problem> {
    let limits: LimitStandings = match edge.gateway.ask(Route::All, Command::Ask(Question::Limits)).await? {
        Answer::Limits(limits) => *limits,
        _ => return Err(Rejection::Internal { what: "limits were answered with something else" }.into()),
    };
    Ok(LimitPage::of(limits))
}
