//! One schedule, named as people do: JOB/NAME, or JOB if that is enough.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::Call;
use mainspring_client::operations::{
    self, DeleteScheduleQuery, GetScheduleQuery, PauseScheduleQuery, ResumeScheduleQuery,
};
use mainspring_client::types::ScheduleDone;

use super::super::connect::Connect;
use super::super::revision::IfRevision;
use super::super::scoped::{Key, Kind, key};
use super::super::tenant::Tenant;

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

impl One {
    pub(super) fn show(self) -> anyhow::Result<ExitCode> {
        let (name, tenant, connect) = self.parts()?;
        connect.run(async |client, print| {
            let Key { tenant, job, name } = key(&client, Kind::Schedule, &name, &tenant).await?;
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
            let call = call(key(&client, Kind::Schedule, &name, &tenant).await?).if_revision(seen.number);
            print.object(client.send(call).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }
}
