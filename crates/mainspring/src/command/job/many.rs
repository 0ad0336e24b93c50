//! `mainspring job pause` and `job resume`: of one job, or of all that a tag or an owner names.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::Call;
use mainspring_client::operations::{self, PauseJobQuery, ResumeJobQuery};
use mainspring_client::types::JobDone;
use serde_json::{Map, json};

use super::super::bulk::{Manner, carry_out};
use super::super::connect::Connect;
use super::super::revision::IfRevision;
use super::super::tenant::Tenant;

#[derive(Args)]
pub(super) struct Many {
    /// The job
    #[arg(required_unless_present_any = ["tag", "owner", "prefix"], conflicts_with_all = ["tag", "owner", "prefix"])]
    name: Option<String>,
    /// All jobs of the tenant with this tag, as `nightly`
    #[arg(long)]
    tag: Option<String>,
    /// All jobs of the tenant that have this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// All jobs of the tenant whose name begins so
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,
    #[command(flatten)]
    tenant: Tenant,
    #[command(flatten)]
    seen: IfRevision,
    /// Why; kept with the job
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    manner: Manner,
    #[command(flatten)]
    connect: Connect,
}

impl Many {
    pub(super) fn pause(self) -> anyhow::Result<ExitCode> {
        self.act("pause_jobs", |name, tenant| {
            operations::pause_job(name, &PauseJobQuery { tenant: Some(tenant) }, None)
        })
    }

    pub(super) fn resume(self) -> anyhow::Result<ExitCode> {
        self.act("resume_jobs", |name, tenant| {
            operations::resume_job(name, &ResumeJobQuery { tenant: Some(tenant) }, None)
        })
    }

    fn act(
        self,
        for_many: &str,
        call: impl FnOnce(&str, String) -> Call<JobDone>,
    ) -> anyhow::Result<ExitCode> {
        let Self { name, tag, owner, prefix, tenant, seen, reason, manner, connect } = self;
        let tenant = tenant.name(&connect)?;
        let Some(name) = name else {
            let mut body = Map::from_iter([("tenant".to_owned(), json!(tenant))]);
            for (field, value) in [("tag", tag), ("owner", owner), ("name_prefix", prefix)] {
                body.extend(value.map(|value| (field.to_owned(), json!(value))));
            }
            return carry_out(connect, for_many, body, (&manner, reason.as_deref()));
        };
        let call = call(&name, tenant).if_revision(seen.number);
        connect.run(async |client, print| {
            print.object(client.with_reason(reason.as_deref()).send(call).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }
}
