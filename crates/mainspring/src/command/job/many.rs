//! `mainspring job pause` and `job resume`: of one job, or of all that a tag or an owner names.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, json};

use super::super::bulk::{Manner, carry_out};
use super::super::connect::Connect;
use super::super::run::by;
use super::super::tenant::Tenant;
use super::path;

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
    /// Why; kept with the job
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    manner: Manner,
    #[command(flatten)]
    connect: Connect,
}

pub(super) struct Verb {
    path: &'static str,
    for_many: &'static str,
}

pub(super) const PAUSE: Verb = Verb { path: ":pause", for_many: "pause_jobs" };
pub(super) const RESUME: Verb = Verb { path: ":resume", for_many: "resume_jobs" };

impl Many {
    pub(super) fn act(self, verb: &Verb) -> anyhow::Result<ExitCode> {
        let Self { name, tag, owner, prefix, tenant, reason, manner, connect } = self;
        let (by, tenant) = (by(reason.as_deref()), tenant.name(&connect)?);
        let Some(name) = name else {
            let mut body = Map::from_iter([("tenant".to_owned(), json!(tenant))]);
            for (field, value) in [("tag", tag), ("owner", owner), ("name_prefix", prefix)] {
                body.extend(value.map(|value| (field.to_owned(), json!(value))));
            }
            return carry_out(connect, verb.for_many, body, (&manner, reason.as_deref()));
        };
        connect.run(async |client, print| {
            print.object(&client.post(&path(&name, verb.path, &tenant), &by).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}
