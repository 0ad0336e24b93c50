//! One schedule, named as people do: JOB/NAME, or JOB if that is enough.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::operations::{
    self, DeleteScheduleQuery, GetScheduleQuery, PauseScheduleQuery, ResumeScheduleQuery,
};
use mainspring_client::types::ScheduleDone;
use mainspring_client::{Call, Client, ClientError, query};

use super::super::connect::Connect;
use super::super::revision::IfRevision;
use super::super::tenant::Tenant;

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
    #[command(flatten)]
    seen: IfRevision,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// A schedule and whose it is.
pub(super) struct Key {
    pub(super) tenant: Option<String>,
    pub(super) job: String,
    pub(super) name: String,
}

impl One {
    pub(super) fn show(self) -> anyhow::Result<ExitCode> {
        let (name, tenant, connect) = self.parts()?;
        connect.run(async |client, print| {
            let Key { tenant, job, name } = key(&client, &name, &tenant).await?;
            let call = operations::get_schedule(&job, &name, &GetScheduleQuery { tenant });
            print.object(client.send(call).await?.json());
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
    pub(super) fn pause(self) -> anyhow::Result<ExitCode> {
        self.send(|Key { tenant, job, name }| {
            operations::pause_schedule(&job, &name, &PauseScheduleQuery { tenant }, None)
        })
    }

    pub(super) fn resume(self) -> anyhow::Result<ExitCode> {
        self.send(|Key { tenant, job, name }| {
            operations::resume_schedule(&job, &name, &ResumeScheduleQuery { tenant }, None)
        })
    }

    pub(super) fn delete(self) -> anyhow::Result<ExitCode> {
        self.send(|Key { tenant, job, name }| {
            let query = DeleteScheduleQuery { tenant, ..DeleteScheduleQuery::default() };
            operations::delete_schedule(&job, &name, &query)
        })
    }

    fn send(self, call: impl FnOnce(Key) -> Call<ScheduleDone>) -> anyhow::Result<ExitCode> {
        let Self { one, seen, reason } = self;
        let (name, tenant, connect) = one.parts()?;
        connect.run(async |client, print| {
            let client = client.with_reason(reason.as_deref());
            let call = call(key(&client, &name, &tenant).await?).if_revision(seen.number);
            print.object(client.send(call).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// A job without schedules is asked for its default one, so that the server says what is missing.
pub(super) async fn key(client: &Client, name: &str, tenant: &str) -> Result<Key, ClientError> {
    let of = |job: &str, schedule: &str| Key {
        tenant: Some(tenant.to_owned()),
        job: job.to_owned(),
        name: schedule.to_owned(),
    };
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
