//! One schedule, named as people do: JOB/NAME, or JOB if that is enough.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{Client, ClientError, escaped, query};

use super::super::connect::Connect;
use super::super::tenant::Tenant;
use super::{actor, by};

/// Of the only schedule of a job that gives it none.
const NAME_DEFAULT: &str = "default";
/// Candidates that are named when a job has more than one.
const CANDIDATES_MAX: &str = "20";

#[derive(Args)]
pub(super) struct Named {
    /// The schedule, as JOB/NAME, or JOB if the job has one
    #[arg(value_name = "SCHEDULE")]
    pub(super) name: String,
    #[command(flatten)]
    pub(super) tenant: Tenant,
}

#[derive(Args)]
pub(super) struct One {
    #[command(flatten)]
    pub(super) named: Named,
    #[command(flatten)]
    pub(super) connect: Connect,
}

#[derive(Args)]
pub(super) struct Act {
    #[command(flatten)]
    one: One,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl One {
    pub(super) fn show(self) -> anyhow::Result<ExitCode> {
        let (name, tenant, connect) = self.parts()?;
        connect.run(async |client, print| {
            let path = path(&client, &name, &tenant).await?;
            print.object(&client.get(&query(&path, &[("tenant", Some(&*tenant))])).await?);
            Ok(ExitCode::SUCCESS)
        })
    }

    /// Its name, its tenant, and where it is.
    pub(super) fn parts(self) -> anyhow::Result<(String, String, Connect)> {
        let Self { named: Named { name, tenant }, connect } = self;
        let tenant = tenant.name(&connect)?;
        Ok((name, tenant, connect))
    }
}

impl Act {
    pub(super) fn post(self, verb: &str) -> anyhow::Result<ExitCode> {
        let (name, tenant, connect) = self.one.parts()?;
        let by = by(self.reason.as_deref());
        connect.run(async |client, print| {
            let path = path(&client, &name, &tenant).await?;
            let path = query(&format!("{path}{verb}"), &[("tenant", Some(&*tenant))]);
            print.object(&client.post(&path, &by).await?);
            Ok(ExitCode::SUCCESS)
        })
    }

    pub(super) fn delete(self) -> anyhow::Result<ExitCode> {
        let (name, tenant, connect) = self.one.parts()?;
        let reason = self.reason;
        connect.run(async |client, print| {
            let path = path(&client, &name, &tenant).await?;
            let actor = actor();
            let by = [("tenant", Some(&*tenant)), ("actor", Some(&*actor)), ("reason", reason.as_deref())];
            print.object(&client.delete(&query(&path, &by)).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Where it is. A job without schedules is asked for its default one, so that the server says what is missing.
pub(super) async fn path(client: &Client, name: &str, tenant: &str) -> Result<String, ClientError> {
    let of = |job: &str, schedule: &str| format!("/v1/schedules/{}/{}", escaped(job), escaped(schedule));
    if let Some((job, schedule)) = name.split_once('/') {
        return Ok(of(job, schedule));
    }
    let wanted = [("tenant", Some(tenant)), ("job", Some(name)), ("limit", Some(CANDIDATES_MAX))];
    let found = client.get(&query("/v1/schedules", &wanted)).await?;
    let names: Vec<&str> = found["schedules"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|schedule| schedule["name"].as_str())
        .collect();
    match names.as_slice() {
        [] => Ok(of(name, NAME_DEFAULT)),
        [one] => Ok(of(name, one)),
        many => Err(ClientError::Ambiguous {
            prefix: name.to_owned(),
            candidates: many.iter().map(|schedule| format!("{name}/{schedule}")).collect(),
        }),
    }
}
