//! Where a run stands, why it has not ended, and what to do about it.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::Question;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::run::{Run, RunRefusal};
use mainspring_core::values::RunId;

use super::{run, unexpected};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{FirstFailure, NodeDiagnosisView, RunDiagnosisView};

/// Tasks between two attempts whose last error is told with them.
const ERRORS_MAX: usize = 10;

pub(crate) async fn diagnose_run(edge: &Edge, id: RunId) -> Result<RunDiagnosisView, Problem> {
    let read = run(edge, id).await?;
    if read.status.is_ended() {
        return Ok(ended(edge, &read).await);
    }
    match edge.gateway.ask(id, Command::Ask(Question::Run { id })).await {
        Ok(Answer::RunDiagnosis(diagnosis)) if !diagnosis.status.is_ended() => {
            let mut view = RunDiagnosisView::of(&diagnosis);
            tell_errors(edge, &mut view).await;
            Ok(view)
        }
        // It ended in between, and may have left memory.
        Ok(Answer::RunDiagnosis(_)) => Ok(ended(edge, &*run(edge, id).await?).await),
        Err(problem) if is_gone(&problem) => Ok(ended(edge, &*run(edge, id).await?).await),
        Ok(_) => Err(unexpected()),
        Err(problem) => Err(problem),
    }
}

fn is_gone(problem: &Problem) -> bool {
    match problem {
        Problem::Rejected(Rejection::Run(refusal)) => matches!(**refusal, RunRefusal::RunNotFound { .. }),
        _ => false,
    }
}

async fn ended(edge: &Edge, run: &Run) -> RunDiagnosisView {
    let Some(first) = FirstFailure::of(run) else { return RunDiagnosisView::ended(run, None) };
    // What is no longer known of its task is left out.
    let task = match first.task {
        Some(task) => operation::read(edge, task).await.ok(),
        None => None,
    };
    let error = task.as_ref().and_then(|task| task.failures().last()).map(|attempt| &attempt.failure);
    RunDiagnosisView::ended(run, Some(NodeDiagnosisView::failed(run, &first, error)))
}

/// Why the last attempt failed, where another is waited for.
async fn tell_errors(edge: &Edge, view: &mut RunDiagnosisView) {
    let waiting = view.tasks.iter_mut().filter(|node| node.reason == "backoff");
    for node in waiting.take(ERRORS_MAX) {
        let Some(task) = &node.task else { continue };
        let Ok(id) = operation::task_id(&task.task_id) else { continue };
        if let Ok(task) = operation::read(edge, id).await {
            node.last_error = task.failures().last().map(|attempt| (&attempt.failure).into());
        }
    }
}
