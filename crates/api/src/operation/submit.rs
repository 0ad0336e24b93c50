//! Accept one task. The answer leaves when the task is durable.

use mainspring_core::command::{Answer, Command, Rejection, StartTime, Submit};
use mainspring_core::id::TaskId;
use mainspring_core::task::Status;
use mainspring_core::time::Wall;

use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{Keys, Submission, TaskBody, first_status};

/// Checks a body and makes the command of it; nothing is sent.
pub(crate) fn prepare(edge: &Edge, task: &TaskBody<'_>, keys: Keys<'_>) -> Result<Submit, Problem> {
    if let Some(field) = task.of_recurring() {
        return Err(Problem::field(field, once(task)));
    }
    let submission = Submission::of(task, keys, &edge.profiles, edge.config.key_life)?;
    Ok(submission.command(&edge.gateway))
}

/// Why the task is not one that recurs.
fn once(task: &TaskBody<'_>) -> &'static str {
    if task.recurs() {
        "a recurring task is submitted by itself, with `POST /v1/tasks`"
    } else {
        "it belongs to a task that recurs, with `cron` or `every`"
    }
}

/// As [`prepare`]; a key that came with the batch is this task's by its place.
pub(crate) fn prepare_in_batch(
    edge: &Edge,
    task: &TaskBody<'_>,
    keys: Keys<'_>,
    place: usize,
) -> Result<Submit, Problem> {
    prepare(edge, task, Keys { place: Some(place), ..keys })
}

pub(crate) async fn submit(edge: &Edge, submit: Submit) -> Result<Accepted, Problem> {
    let (id, start) = (submit.id, submit.start);
    let answer = edge.gateway.ask(id.slot(), Command::Submit(Box::new(submit))).await;
    let accepted = Accepted::of(&answer.map_err(|problem| named(problem, id))?, start)?;
    if accepted.duplicate {
        edge.metrics.duplicates.inc();
    } else {
        edge.metrics.submitted.inc();
    }
    Ok(accepted)
}

/// If no answer came the caller can look the task up.
pub(super) fn named(problem: Problem, id: TaskId) -> Problem {
    match problem {
        Problem::OutcomeUnknown { .. } => Problem::OutcomeUnknown { id: Some(id) },
        other => other,
    }
}

/// A task that is now the server's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    pub(crate) id: TaskId,
    pub(crate) status: Status,
    pub(crate) duplicate: bool,
}

impl Accepted {
    /// A duplicate is answered like the first one was.
    pub(super) fn of(answer: &Answer, start: StartTime) -> Result<Self, Problem> {
        match *answer {
            Answer::Submitted { id, status } => Ok(Self { id, status, duplicate: false }),
            Answer::AlreadySubmitted { id } => {
                let status = first_status(start, Wall::from_millis(id.minted_ms()));
                Ok(Self { id, status, duplicate: true })
            }
            _ => Err(Rejection::Internal { what: "a submission was answered with something else" }.into()),
        }
    }

    pub(crate) fn created(&self) -> Wall {
        Wall::from_millis(self.id.minted_ms())
    }
}
