//! Many tasks, each with its own result. One envelope for each shard, so one share of one record of it.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::Command;
use mainspring_core::task::decide::{StartTime, Submit};
use mainspring_core::values::TaskId;

use super::could_run::{self, Questions};
use super::dead_letters::together;
use super::submit::{Accepted, by, named};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::Keys;

/// Duplicates that are read at the same time.
const READS_AT_ONCE: usize = 64;

pub(crate) fn check_length(edge: &Edge, count: usize) -> Result<(), Problem> {
    let max = edge.config.batch_tasks_max;
    match count {
        0 => Err(Problem::field("body", "the batch has no tasks")),
        count if count > max => Err(Problem::BatchTooLong { max }),
        _ => Ok(()),
    }
}

/// What is known of one task of a batch: its id and start, and which question is about its kind.
struct Place {
    id: TaskId,
    start: StartTime,
    question: Option<usize>,
}

/// Sends what can be sent, and gives answers and refusals to `write` in the order of the request.
pub(crate) async fn submit_all(
    edge: &Edge,
    tasks: Vec<Result<Submit, Problem>>,
    keys: Keys<'_>,
    mut write: impl FnMut(Result<Accepted, Problem>),
) -> Result<(), Problem> {
    let by = by(keys)?;
    let mut commands = Vec::with_capacity(tasks.len());
    let mut questions = Questions::default();
    let mut places: Vec<Result<Place, Problem>> = Vec::with_capacity(tasks.len());
    for submit in tasks {
        places.push(submit.map(|submit| {
            let question = questions.about(&submit.task.profile);
            let place = Place { id: submit.id, start: submit.start, question };
            commands.push((submit.id.bucket(), Command::Submit(Box::new(submit))));
            place
        }));
    }
    let Some(first) = places.iter().flatten().next().map(|place| place.id) else {
        for refused in places {
            write(refused.and(Err(Problem::ServerBusy)));
        }
        return Ok(());
    };
    let submitted = commands.len();
    // Every shard knows the workers.
    commands.extend(questions.commands.into_iter().map(|question| (first.bucket(), question)));
    let answers = edge.gateway.ask_split(commands).await.map_err(|problem| named(problem, first))?;
    let mut answers = answers.into_iter();
    let tasks: Vec<_> = answers.by_ref().take(submitted).collect();
    let never: Vec<_> = answers.map(could_run::never).collect();
    let mut tasks = tasks.into_iter();
    let mut results: Vec<Result<Accepted, Problem>> = Vec::with_capacity(places.len());
    for place in places {
        results.push(place.and_then(|place| {
            let missing = Rejection::Internal { what: "an answer is missing" };
            let answer = tasks.next().unwrap_or_else(|| Err(missing.into()));
            let answer = answer.map_err(|problem| named(problem, place.id))?;
            let mut accepted = Accepted::of(&answer, place.start)?;
            let why = place.question.and_then(|number| never.get(number));
            accepted.warn(why.and_then(|why| why.as_deref()));
            Ok(accepted)
        }));
    }
    know_first(edge, &mut results).await;
    let accepted = results.iter().flatten().count() as u64;
    let duplicates = results.iter().flatten().filter(|task| task.duplicate).count() as u64;
    results.into_iter().for_each(&mut write);
    if let Some(by) = by {
        by.done_often(format_args!("{} from {first} on", accepted - duplicates));
    }
    edge.metrics.submitted.inc_by(accepted - duplicates);
    edge.metrics.duplicates.inc_by(duplicates);
    Ok(())
}

/// Some at once: a load that is sent again has only duplicates.
async fn know_first(edge: &Edge, results: &mut [Result<Accepted, Problem>]) {
    let mut duplicates: Vec<&mut Accepted> =
        results.iter_mut().flatten().filter(|task| task.duplicate).collect();
    for some in duplicates.chunks_mut(READS_AT_ONCE) {
        together(some.iter_mut().map(|task| task.know_first(edge))).await;
    }
}
