//! What the edges do, once for all of them: REST and gRPC turn their requests into the bodies of `wire`, call these, and
//! write the answers in their own form. One file a verb.
//! - OP-1 every rule beyond the form of a request is here or below, never in `rest` or `grpc`

mod amend;
mod attention;
mod audit;
pub(crate) mod backfills;
mod batch;
mod bulk;
mod caller;
mod cancel;
mod cancel_many;
mod could_run;
mod cursor;
mod dead_letter_groups;
mod dead_letters;
mod diagnose;
pub(crate) mod events;
mod filter;
pub(crate) mod flows;
mod force_state;
pub(crate) mod health;
mod limits;
mod list;
mod logs;
mod operations;
mod pools;
mod prefix;
mod preview_cron;
mod quarantine;
mod retry;
mod run_now;
pub(crate) mod schedules;
mod stats;
mod submit;
mod system;
mod wait;
mod waiting;
mod workers;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::task::{Status, Task};
use mainspring_core::values::{ScheduleId, TaskId};
use mainspring_definition::masked_task;

use self::audit::Change;
pub(crate) use self::{
    amend::amend,
    attention::attention,
    batch::{check_length, submit_all},
    bulk::bulk,
    caller::Caller,
    cancel::{Cancelled, cancel},
    cancel_many::cancel_many,
    cursor::Cursor,
    dead_letter_groups::{Group, dead_letter_groups, ids_meant},
    dead_letters::{DeadLetterVerb, dead_letters, settle, settle_many},
    diagnose::diagnose,
    filter::{Filter, FilterBody},
    force_state::force_state,
    limits::limits,
    list::{Listed, list},
    logs::{LogSearchBody, LogsBody, download_log, follow_log, read_log, search_log},
    operations::{cancel_operation, operation, operations},
    pools::{pool, pools},
    prefix::with_prefix,
    preview_cron::preview_cron,
    quarantine::{quarantine, release},
    retry::retry,
    run_now::run_now,
    stats::{series, stats},
    submit::{Accepted, prepare, prepare_in_batch, submit},
    system::system,
    wait::{checked_wait, read_ended, run_ended},
    waiting::waiting,
    workers::{WorkerFilter, cordon, worker, workers},
};
use crate::edge::Edge;
use crate::problem::Problem;

/// What is no id names no task.
pub(crate) fn task_id(text: &str) -> Result<TaskId, Problem> {
    text.parse().map_err(|_| Problem::NoSuchTask { id: text.chars().take(100).collect() })
}

/// What an id under `/v1/tasks` names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimerId {
    Task(TaskId),
    /// A task that recurs.
    Recurring(ScheduleId),
}

pub(crate) fn timer_id(text: &str) -> Result<TimerId, Problem> {
    let digits = text.strip_prefix("schedule_").filter(|digits| digits.len() == 16);
    match digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) {
        Some(bits) => Ok(TimerId::Recurring(ScheduleId::from_bits(bits))),
        None => task_id(text).map(TimerId::Task),
    }
}

/// A task with all it carries, from memory or from the tables.
pub(crate) async fn read(edge: &Edge, id: TaskId) -> Result<Box<Task>, Problem> {
    find(edge, id).await?.ok_or_else(|| Rejection::TaskNotFound { id }.into())
}

/// The same, of a task that may never have been. What is sensitive in it is masked.
pub(crate) async fn find(edge: &Edge, id: TaskId) -> Result<Option<Box<Task>>, Problem> {
    let mut found = find_whole(edge, id).await?;
    if let Some(task) = &mut found
        && let Some(origin) = task.in_run.as_deref()
    {
        let run = flows::whole_run(edge, origin.run).await.ok();
        masked_task(task, run.as_deref());
    }
    Ok(found)
}

/// As it is. Not to be shown.
pub(crate) async fn find_whole(edge: &Edge, id: TaskId) -> Result<Option<Box<Task>>, Problem> {
    match edge.gateway.ask(id, Command::Read { id }).await {
        Ok(Answer::Task(found)) => Ok(found),
        Ok(_) | Err(Problem::Rejected(Rejection::TaskNotFound { .. })) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// What became of a task by a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Changed {
    Now(Status),
    /// Its worker was asked to stop it.
    Stopping,
}

/// Sends a command that changes one task, under the caller's key if there is one.
async fn change(
    edge: &Edge,
    (id, verb): (TaskId, &str),
    command: Command,
    caller: &Caller<'_>,
) -> Result<Changed, Problem> {
    let command = caller.keyed(edge, id.into(), (verb, &id.to_string()), command)?;
    match edge.gateway.ask(id, command).await? {
        Answer::Now { status, .. } => Ok(Changed::Now(status)),
        Answer::Stopping { .. } => Ok(Changed::Stopping),
        _ => Err(Rejection::Internal { what: "a change was answered with something else" }.into()),
    }
}
