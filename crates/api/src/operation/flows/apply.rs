//! Job files become stored jobs.
//! - AJ-1 with a mistake in the file nothing is stored
//! - AJ-2 the jobs of one tenant are one command: all of them are stored, or none

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::engine::Command;
use mainspring_core::job::JobKey;
use mainspring_core::run::RunRefusal;
use mainspring_core::run::decide::{ApplyJob, RunAnswer, RunCommand, StoredJob};
use mainspring_core::schedule::{ScheduleHome, ScheduleKey, Spec};
use mainspring_core::trigger::{On, TriggerSpec};
use mainspring_core::values::{Name, Revision};
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
    /// `None`: nothing was stored, or it was stored before under this key.
    pub(crate) revision: Option<Revision>,
    /// Beside others, it was stored before under this key.
    pub(crate) duplicate: bool,
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

/// In the order of the file. What each tenant has in it is stored once under the caller's key, so that a call that broke off
/// can be repeated.
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
    if caller.seen.is_some() && definitions.len() != 1 {
        return Err(Problem::field("If-Match", "it takes a file with one job"));
    }
    if dry_run {
        let mut applied = Vec::with_capacity(definitions.len());
        for definition in &definitions {
            applied.push(foresee(edge, definition, caller.seen).await?);
        }
        return Ok(applied);
    }
    caller.claim(edge, "apply").await?;
    let mut tenants: BTreeMap<Name, Vec<(usize, Definition)>> = BTreeMap::new();
    for (place, definition) in definitions.into_iter().enumerate() {
        tenants.entry(name("tenant", &definition.tenant)?).or_default().push((place, definition));
    }
    let mut applied = Vec::new();
    for (tenant, definitions) in tenants {
        let (places, definitions): (Vec<usize>, Vec<Definition>) = definitions.into_iter().unzip();
        let stored = store(edge, &tenant, definitions, &by, caller).await?;
        for stored in stored.iter().filter(|stored| stored.change != Change::Unchanged) {
            by.done(format_args!("{} v{}", shown(&stored.key), stored.version));
        }
        applied.extend(places.into_iter().zip(stored));
    }
    applied.sort_by_key(|(place, _)| *place);
    Ok(applied.into_iter().map(|(_, applied)| applied).collect())
}

/// A large file takes a while to read: not on a thread that serves others.
async fn parse(edge: &Edge, text: &[u8], tenant: Option<&str>) -> Result<Vec<Definition>, Problem> {
    let text = std::str::from_utf8(text)
        .map_err(|_| Problem::field("body", "a job file is text in UTF-8"))?
        .to_owned();
    let tenant = tenant.unwrap_or(mainspring_definition::TENANT_DEFAULT).to_owned();
    let tasks_max = edge.config.job_tasks_max;
    let reading = tokio::task::spawn_blocking(move || {
        let usual = Limits::MANY;
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

async fn foresee(edge: &Edge, definition: &Definition, seen: Option<Revision>) -> Result<Applied, Problem> {
    let key = job_key(&definition.tenant, &definition.name)?;
    let route = edge.gateway.tenant(&key.tenant);
    let RunAnswer::Job(job) = ask(edge, route, RunCommand::ReadJob { key: key.clone() }).await? else {
        return Err(unexpected());
    };
    let revision = job.as_ref().map_or(Revision::NONE, |job| job.revision());
    if let Some(seen) = seen.filter(|seen| *seen != revision) {
        return Err(Problem::Rejected(RunRefusal::JobChanged { key, seen, revision }.into()));
    }
    let (version, change) = match job {
        Some(job) if job.definition.hash == half(definition) && job.deleted.is_none() => {
            (job.version, Change::Unchanged)
        }
        Some(job) => (job.version + 1, Change::Updated),
        None => (1, Change::Created),
    };
    Ok(Applied { key, version, change, revision: None, duplicate: false })
}

/// The jobs of one tenant, in order.
async fn store(
    edge: &Edge,
    tenant: &Name,
    definitions: Vec<Definition>,
    by: &audit::Change,
    caller: &Caller<'_>,
) -> Result<Vec<Applied>, Problem> {
    let route = edge.gateway.tenant(tenant);
    let jobs = definitions.iter().map(|one| wish(edge, one, caller.seen)).collect::<Result<Vec<_>, _>>()?;
    let keys: Vec<JobKey> = jobs.iter().map(|job| job.key.clone()).collect();
    let command = Command::Run(Box::new(by.sign(RunCommand::ApplyJobs(jobs))));
    let command = caller.keyed(edge, route, (&format!("apply in {tenant}"), ""), command)?;
    let RunAnswer::JobsApplied(stored) = send(edge, route, command).await? else {
        return Err(unexpected());
    };
    if stored.len() != keys.len() {
        return applied_before(edge, keys).await;
    }
    for definition in definitions {
        edge.definitions.keep(half(&definition), definition);
    }
    let applied = |(key, stored): (JobKey, StoredJob)| Applied {
        key,
        version: stored.version,
        change: match (stored.changed, stored.version) {
            (false, _) => Change::Unchanged,
            (true, 1) => Change::Created,
            (true, _) => Change::Updated,
        },
        revision: Some(stored.revision),
        duplicate: false,
    };
    Ok(keys.into_iter().zip(stored).map(applied).collect())
}

/// Several jobs came under this key before: they are told as they are now.
async fn applied_before(edge: &Edge, keys: Vec<JobKey>) -> Result<Vec<Applied>, Problem> {
    let mut applied = Vec::with_capacity(keys.len());
    for key in keys {
        let job = super::job(edge, key).await?;
        let (key, version) = ((*job.key).clone(), job.version);
        applied.push(Applied { key, version, change: Change::Unchanged, revision: None, duplicate: true });
    }
    Ok(applied)
}

fn wish(edge: &Edge, definition: &Definition, seen: Option<Revision>) -> Result<ApplyJob, Problem> {
    let key = job_key(&definition.tenant, &definition.name)?;
    let bucket = edge.gateway.home(&key.tenant);
    let homed = |(name, spec): &(Name, Spec)| {
        let key = ScheduleKey { tenant: key.tenant.clone(), job: key.name.clone(), name: name.clone() };
        let own = ScheduleHome { bucket, offset: schedule_offset(&key, spec.jitter) };
        (key.name, spec.clone(), own)
    };
    let schedules = definition.schedules.iter().map(homed).collect();
    let homed = |(name, spec): &(Name, TriggerSpec)| (name.clone(), TriggerSpec { bucket, ..spec.clone() });
    let triggers = definition.triggers.iter().map(homed).collect();
    let (plan, source) = (Arc::clone(&definition.plan), Arc::clone(&definition.source));
    let definition = mainspring_core::job::Definition { plan, source, hash: half(definition) };
    Ok(ApplyJob { key, definition, schedules, triggers, seen })
}

fn half(definition: &Definition) -> u128 {
    let (half, _) = definition.hash.split_first_chunk().expect("a hash has 32 bytes");
    u128::from_le_bytes(*half)
}
