//! How far big work has come.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{Progress, Question};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::OperationId;

use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;

/// What is no number names no operation.
pub(crate) async fn operation(edge: &Edge, text: &str) -> Result<Progress, Problem> {
    let unknown = || Problem::OperationNotFound { id: text.chars().take(50).collect() };
    let id = OperationId::new(text.parse().map_err(|_| unknown())?);
    ask(edge, id).await?.ok_or_else(unknown)
}

pub(super) async fn ask(edge: &Edge, id: OperationId) -> Result<Option<Progress>, Problem> {
    match edge.gateway.ask(Route::All, Command::Ask(Question::Operation { id })).await? {
        Answer::Progress(progress) => Ok(progress),
        _ => Err(Rejection::Internal { what: "progress was answered with something else" }.into()),
    }
}
