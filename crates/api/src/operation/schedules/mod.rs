//! What the edges do with schedules. One file a verb.

mod delete;
mod history;
mod list;
mod pause;
mod put;
mod read;
mod recurring;
mod upcoming;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::JobKey;
use mainspring_core::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use mainspring_core::schedule::{ScheduleHome, ScheduleKey, ScheduleRefusal, TASKS_JOB};
use mainspring_core::values::{Bucket, Millis, Name};
use mainspring_definition::schedule_offset;

pub(crate) use self::{
    delete::delete_schedule,
    history::history,
    list::{of_job, schedules},
    pause::pause_schedule,
    put::put_schedule,
    read::schedule,
    recurring::{Recurring, recurring},
    upcoming::upcoming,
};
use super::{Caller, flows};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{Keys, TENANT_DEFAULT, name};

/// The schedule that a caller names; a tenant with the name goes before the one that came with the request.
pub(crate) fn named_schedule(
    tenant: Option<&str>,
    keys: Keys<'_>,
    job: &str,
    schedule: &str,
) -> Result<ScheduleKey, Problem> {
    let tenant = tenant.or(keys.tenant).unwrap_or(TENANT_DEFAULT);
    Ok(ScheduleKey {
        tenant: filled("tenant", tenant)?,
        job: filled("job", job)?,
        name: filled("name", schedule)?,
    })
}

fn filled(field: &'static str, text: &str) -> Result<Name, Problem> {
    if text.is_empty() {
        return Err(Problem::field(field, "it may not be empty"));
    }
    name(field, text)
}

/// As the command line takes it.
fn shown(key: &ScheduleKey) -> String {
    format!("{}/{} (tenant {})", key.job, key.name, key.tenant)
}

fn job_of(key: &ScheduleKey) -> JobKey {
    JobKey { tenant: key.tenant.clone(), name: key.job.clone() }
}

/// With its job; recurring tasks have none and are spread by their names.
fn bucket_of(key: &ScheduleKey) -> Bucket {
    let mut home = job_of(key);
    if &*key.job == TASKS_JOB {
        home = JobKey { tenant: key.tenant.clone(), name: key.name.clone() };
    }
    flows::bucket_of(&home)
}

/// What follows from its key.
fn own(key: &ScheduleKey, jitter: Millis) -> ScheduleHome {
    ScheduleHome { bucket: bucket_of(key), offset: schedule_offset(key, jitter) }
}

async fn ask(edge: &Edge, bucket: Bucket, command: ScheduleCommand) -> Result<ScheduleAnswer, Problem> {
    send(edge, bucket, Command::Schedule(Box::new(command))).await
}

/// One that changes something, under the caller's key if there is one.
async fn act(
    edge: &Edge,
    (operation, key): (&str, &ScheduleKey),
    command: ScheduleCommand,
    caller: &Caller<'_>,
) -> Result<ScheduleAnswer, Problem> {
    let command = caller.keyed(edge, operation, &shown(key), Command::Schedule(Box::new(command)))?;
    send(edge, bucket_of(key), command).await
}

async fn send(edge: &Edge, bucket: Bucket, command: Command) -> Result<ScheduleAnswer, Problem> {
    match edge.gateway.ask(bucket, command).await? {
        Answer::Schedule(answer) => Ok(answer),
        _ => Err(unexpected()),
    }
}

fn unexpected() -> Problem {
    Rejection::Internal { what: "a command on schedules was answered with something else" }.into()
}

fn not_found(key: ScheduleKey) -> Problem {
    Problem::Rejected(ScheduleRefusal::NotFound { key }.into())
}
