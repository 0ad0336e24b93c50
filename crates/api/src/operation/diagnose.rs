//! Why a task is not running, and what to do about it.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{Diagnosis, Question};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::TaskId;

use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::DiagnosisView;

pub(crate) async fn diagnose(edge: &Edge, id: TaskId) -> Result<DiagnosisView, Problem> {
    match edge.gateway.ask(id, Command::Ask(Question::Why { id })).await? {
        Answer::Diagnosis(mut diagnosis) => {
            name_node(edge, &mut diagnosis).await;
            Ok(DiagnosisView::of(&diagnosis))
        }
        _ => Err(Rejection::Internal { what: "a diagnosis was answered with something else" }.into()),
    }
}

/// A run that has left memory is read for the name of the task.
async fn name_node(edge: &Edge, diagnosis: &mut Diagnosis) {
    let Some(part) = diagnosis.part.as_mut().filter(|part| part.node.is_none()) else { return };
    if let Ok(run) = super::flows::run(edge, part.run).await {
        part.node = run.plan.nodes().get(part.place.node as usize).map(|node| node.name.clone());
    }
}
