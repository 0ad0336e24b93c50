//! Job files become stored jobs: all of a file, or nothing if it has a mistake.

use std::sync::Arc;

use mainspring_core::engine::Command;
use mainspring_core::job::JobKey;
use mainspring_core::run::decide::{RunAnswer, RunCommand};
use mainspring_core::schedule::{ScheduleHome, ScheduleKey, Spec};
use mainspring_core::trigger::{On, TriggerSpec};
use mainspring_core::values::Name;
use mainspring_definition::{
    Code, Definition, Mistake, Options, Position, limits::Limits, read, schedule_offset,
};

use super::{ask, job_key, send, shown, unexpected};
use crate::edge::Edge;
use crate::operation::{Caller, audit};
use crate::problem::Problem;
use crate::wire::{OverrideBody, name};

/// What became of one job of a file.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub(crate) key: JobKey,
    pub(crate) version: u32,
    pub(crate) change: Change,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Created,
    Updated,
    Unchanged,
}

impl Change {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
        }
    }
}

/// What a caller wants with a file.
#[derive(Debug)]
pub(crate) struct Apply<'a> {
    pub(crate) text: &'a [u8],
    /// Of jobs that name none.
    pub(crate) tenant: Option<&'a str>,
    /// Only says what would become of them.
    pub(crate) dry_run: bool,
    pub(crate) over: OverrideBody,
}

/// Each job of a file is stored once under the caller's key, so that a call that broke off can be repeated.
pub(crate) async fn apply(
    edge: &Edge,
    wanted: &Apply<'_>,
    caller: &Caller<'_>,
) -> Result<Vec<Applied>, Problem> {
    let Apply { text, tenant, dry_run, .. } = *wanted;
    let by = audit::Change::by("a job was applied", &wanted.over, caller)?;
    tenant.map(|tenant| name("tenant", tenant)).transpose()?;
    let definitions = parse(edge, text, tenant).await?;
    check_webhooks(edge, &definitions)?;
    if !dry_run {
        caller.claim(edge, "apply").await?;
    }
    let mut applied = Vec::with_capacity(definitions.len());
    for definition in definitions {
        applied.push(if dry_run {
            foresee(edge, &definition).await?
        } else {
            let stored = store(edge, definition, &by, caller).await?;
            if stored.change != Change::Unchanged {
                by.done(format_args!("{} v{}", shown(&stored.key), stored.version));
            }
            stored
        });
    }
    Ok(applied)
}

/// A large file takes a while to read: not on a thread that serves others.
async fn parse(edge: &Edge, text: &[u8], tenant: Option<&str>) -> Result<Vec<Definition>, Problem> {
    let text = std::str::from_utf8(text)
        .map_err(|_| Problem::field("body", "a job file is text in UTF-8"))?
        .to_owned();
    let tenant = tenant.unwrap_or(mainspring_definition::TENANT_DEFAULT).to_owned();
    let tasks_max = edge.config.job_tasks_max;
    let reading = tokio::task::spawn_blocking(move || {
        let usual = Limits::default();
        let limits = if tasks_max > usual.tasks_max { Limits { tasks_max, ..Limits::WIDE } } else { usual };
        read("", &text, &Options { tenant: &tenant, limits })
    });
    let read = reading.await.map_err(|_| unexpected())?;
    read.map_err(|mistakes| Problem::JobFileInvalid { mistakes })
}

/// A trigger of a webhook that this server does not have would never fire.
fn check_webhooks(edge: &Edge, definitions: &[Definition]) -> Result<(), Problem> {
    let known = edge.webhooks.get().map(|webhooks| &webhooks.0);
    let mut mistakes = Vec::new();
    for definition in definitions {
        for (name, spec) in &definition.triggers {
            let On::Webhook(webhook) = &spec.on else { continue };
            let tenant = known.and_then(|known| known.get(webhook.as_str())).map(|found| &found.tenant);
            if tenant.is_some_and(|tenant| tenant.as_str() == definition.tenant.as_str()) {
                continue;
            }
            let what = match tenant {
                Some(tenant) => format!("the webhook `{webhook}` is of the tenant `{tenant}`"),
                None => format!("the server has no webhook `{webhook}`"),
            };
            let help =
                format!("add `webhooks.{webhook}` to the settings of the server, or take the trigger out");
            let path = format!("{}: triggers.{name}.webhook", definition.name);
            let (file, at) = ("".into(), Position::default());
            mistakes.push(Mistake { code: Code::BadValue, file, at, path, what, help });
        }
    }
    if mistakes.is_empty() { Ok(()) } else { Err(Problem::JobFileInvalid { mistakes }) }
}

async fn foresee(edge: &Edge, definition: &Definition) -> Result<Applied, Problem> {
    let key = job_key(&definition.tenant, &definition.name)?;
    let route = edge.gateway.tenant(&key.tenant);
    let RunAnswer::Job(job) = ask(edge, route, RunCommand::ReadJob { key: key.clone() }).await? else {
        return Err(unexpected());
    };
    let (version, change) = match job {
        Some(job) if job.definition.hash == half(definition) && job.deleted.is_none() => {
            (job.version, Change::Unchanged)
        }
        Some(job) => (job.version + 1, Change::Updated),
        None => (1, Change::Created),
    };
    Ok(Applied { key, version, change })
}

async fn store(
    edge: &Edge,
    definition: Definition,
    by: &audit::Change,
    caller: &Caller<'_>,
) -> Result<Applied, Problem> {
    let key = job_key(&definition.tenant, &definition.name)?;
    let hash = half(&definition);
    let (plan, source) = (Arc::clone(&definition.plan), Arc::clone(&definition.source));
    let (bucket, route) = (edge.gateway.home(&key.tenant), edge.gateway.tenant(&key.tenant));
    let homed = |(name, spec): &(Name, Spec)| {
        let key = ScheduleKey { tenant: key.tenant.clone(), job: key.name.clone(), name: name.clone() };
        let own = ScheduleHome { bucket, offset: schedule_offset(&key, spec.jitter) };
        (key.name, spec.clone(), own)
    };
    let schedules = definition.schedules.iter().map(homed).collect();
    let homed = |(name, spec): &(Name, TriggerSpec)| (name.clone(), TriggerSpec { bucket, ..spec.clone() });
    let triggers = definition.triggers.iter().map(homed).collect();
    let stored = mainspring_core::job::Definition { plan, source, hash };
    let command = RunCommand::ApplyJob { key: key.clone(), definition: stored, schedules, triggers };
    let command = Command::Run(Box::new(by.sign(command)));
    let command = caller.keyed(edge, route, (&format!("apply {}", shown(&key)), ""), command)?;
    match send(edge, route, command).await? {
        RunAnswer::JobApplied { version, changed } => {
            edge.definitions.keep(hash, definition);
            let change = match (changed, version) {
                (false, _) => Change::Unchanged,
                (true, 1) => Change::Created,
                (true, _) => Change::Updated,
            };
            Ok(Applied { key, version, change })
        }
        _ => Err(unexpected()),
    }
}

fn half(definition: &Definition) -> u128 {
    let (half, _) = definition.hash.split_first_chunk().expect("a hash has 32 bytes");
    u128::from_le_bytes(*half)
}
