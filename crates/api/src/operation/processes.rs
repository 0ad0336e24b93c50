//! How far big work has come.

use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::{ProcessId, Slot};
use mainspring_core::question::{Progress, Question};

use crate::edge::Edge;
use crate::problem::Problem;

/// What is no number names no process.
pub(crate) async fn process(edge: &Edge, text: &str) -> Result<Progress, Problem> {
    let unknown = || Problem::ProcessNotFound { id: text.chars().take(50).collect() };
    let id = ProcessId::new(text.parse().map_err(|_| unknown())?);
    ask(edge, id).await?.ok_or_else(unknown)
}

pub(super) async fn ask(edge: &Edge, id: ProcessId) -> Result<Option<Progress>, Problem> {
    match edge.gateway.ask(Slot::from_hash(0), Command::Ask(Question::Process { id })).await? {
        Answer::Progress(progress) => Ok(progress),
        _ => Err(Rejection::Internal { what: "progress was answered with something else" }.into()),
    }
}
