//! Why a task is not running, and what to do about it.

use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::TaskId;
use mainspring_core::question::Question;

use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::DiagnosisView;

pub(crate) async fn diagnose(edge: &Edge, id: TaskId) -> Result<DiagnosisView, Problem> {
    match edge.gateway.ask(id.slot(), Command::Ask(Question::Why { id })).await? {
        Answer::Diagnosis(diagnosis) => Ok(DiagnosisView::of(&diagnosis)),
        _ => Err(Rejection::Internal { what: "a diagnosis was answered with something else" }.into()),
    }
}
