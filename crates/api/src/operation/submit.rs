//! Accept one task. The answer leaves when the task is durable.

use mainspring_core::decision::Rejection;
use mainspring_core::dispatch::WaitReason;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::task::Status;
use mainspring_core::task::decide::{StartTime, Submit};
use mainspring_core::values::{TaskId, Wall};

use super::could_run::{self, question, warning};
use super::{Caller, Change, read};
use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::Problem;
use crate::wire::{Keys, OverrideBody, Submission, TaskBody, first_status};

/// Checks a body and makes the command of it; nothing is sent.
pub(crate) fn prepare(edge: &Edge, task: &TaskBody<'_>, keys: Keys<'_>) -> Result<Submit, Problem> {
    if let Some(field) = task.of_recurring() {
        return Err(Problem::field(field, once(task)));
    }
    let submission =
        Submission::of(task, keys, &edge.profiles, (now(), edge.config.key_life), edge.config.groups)?;
    let tenant = &submission.task.profile.tenant;
    let id =
        if submission.is_keyed() { edge.gateway.mint(tenant) } else { edge.gateway.mint_anonymous(tenant) };
    Ok(submission.command(id))
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

/// `keys`: what came beside the body.
pub(crate) async fn submit(edge: &Edge, submit: Submit, keys: Keys<'_>) -> Result<Accepted, Problem> {
    let by = by(keys)?;
    let (id, start) = (submit.id, submit.start);
    let ask = question(&submit.task.profile);
    let commands = std::iter::once(Command::Submit(Box::new(submit))).chain(ask).collect();
    let answers = edge.gateway.ask_all(id.into(), commands).await.map_err(|problem| named(problem, id))?;
    let mut answers = answers.into_iter();
    let missing = Rejection::Internal { what: "an answer is missing" };
    let mut accepted = Accepted::of(&answers.next().unwrap_or(Err(missing))?, start)?;
    accepted.know_first(edge).await;
    accepted.warn(answers.next().and_then(could_run::never).as_deref());
    if accepted.duplicate {
        edge.metrics.duplicates.inc();
    } else {
        edge.metrics.submitted.inc();
        if let Some(by) = by {
            by.done_often(accepted.id);
        }
    }
    Ok(accepted)
}

pub(super) fn by(keys: Keys<'_>) -> Result<Option<Change>, Problem> {
    Change::said("tasks were submitted", &OverrideBody::default(), &Caller { keys, ..Caller::default() })
}

/// If no answer came the caller can look the task up.
pub(super) fn named(problem: Problem, id: TaskId) -> Problem {
    match problem {
        Problem::OutcomeUnknown { .. } => Problem::OutcomeUnknown { id: Some(id) },
        other => other,
    }
}

/// A task that is now the server's.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    pub(crate) id: TaskId,
    pub(crate) status: Status,
    /// As every later read of the task says.
    pub(crate) created: Wall,
    pub(crate) duplicate: bool,
    /// Why no worker that is known could ever run it.
    pub(crate) warning: Option<String>,
}

impl Accepted {
    /// A duplicate is answered like the first one was.
    pub(super) fn of(answer: &Answer, start: StartTime) -> Result<Self, Problem> {
        match *answer {
            Answer::Submitted { id, status, at } => {
                Ok(Self { id, status, created: at, duplicate: false, warning: None })
            }
            Answer::AlreadySubmitted { id } => {
                let created = Wall::from_millis(id.minted_ms());
                let status = first_status(start, created);
                Ok(Self { id, status, created, duplicate: true, warning: None })
            }
            _ => Err(Rejection::Internal { what: "a submission was answered with something else" }.into()),
        }
    }

    /// A pool without workers may have some when a later task is due.
    pub(super) fn warn(&mut self, never: Option<&WaitReason>) {
        let later = self.status != Status::Queued;
        let reason = never.filter(|reason| !(later && matches!(reason, WaitReason::NoWorkers { .. })));
        self.warning = reason.filter(|_| !self.duplicate).map(warning);
    }

    /// A duplicate was created when the first one was. One that history has forgotten keeps the time in its id, which is
    /// milliseconds older.
    pub(super) async fn know_first(&mut self, edge: &Edge) {
        if self.duplicate
            && let Ok(task) = read(edge, self.id).await
        {
            self.created = task.submitted;
        }
    }
}
