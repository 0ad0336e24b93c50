//! What the edges do with schedules. One file a verb.

mod delete;
mod history;
mod ledger;
mod list;
mod pause;
mod put;
mod read;
mod recurring;
mod recurring_task;
mod upcoming;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::JobKey;
use mainspring_core::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use mainspring_core::schedule::{ScheduleHome, ScheduleKey, ScheduleRefusal};
use mainspring_core::values::{Millis, Name};
use mainspring_definition::schedule_offset;

pub(crate) use self::{
    delete::delete_schedule,
    history::{HistoryFilter, history},
    ledger::{LedgerFilter, ledger},
    list::{of_job, schedules},
    pause::pause_schedule,
    put::{Stored, put_schedule},
    read::schedule,
    recurring::{Recurring, recurring},
    recurring_task::{amend_recurring, cancel_recurring, recurring_task},
    upcoming::upcoming,
};
use super::Caller;
use super::audit::Change;
use crate::edge::Edge;
use crate::gateway::Route;
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

/// What follows from its key.
fn own(edge: &Edge, key: &ScheduleKey, jitter: Millis) -> ScheduleHome {
    ScheduleHome { bucket: edge.gateway.home(&key.tenant), offset: schedule_offset(key, jitter) }
}

async fn ask(edge: &Edge, route: Route, command: ScheduleCommand) -> Result<ScheduleAnswer, Problem> {
    send(edge, route, Command::Schedule(Box::new(command))).await
}

/// One that changes something, under the caller's key if there is one.
async fn act(
    edge: &Edge,
    (operation, key): (&str, &ScheduleKey),
    command: ScheduleCommand,
    (by, caller): (Option<&Change>, &Caller<'_>),
) -> Result<ScheduleAnswer, Problem> {
    let route = edge.gateway.tenant(&key.tenant);
    let command = Command::Schedule(Box::new(command));
    let command = match by {
        Some(by) => by.by_actor(command),
        None => command,
    };
    let command = caller.keyed(edge, route, (operation, &shown(key)), command)?;
    send(edge, route, command).await
}

async fn send(edge: &Edge, route: Route, command: Command) -> Result<ScheduleAnswer, Problem> {
    match edge.gateway.ask(route, command).await? {
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
