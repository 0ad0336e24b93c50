//! `mainspring job pause` and `job resume`: of one job, or of all that a tag or an owner names.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{Client, ClientError, query};
use serde_json::{Value, json};

use super::super::confirm::confirmed;
use super::super::connect::Connect;
use super::super::run::by;
use super::super::tenant::Tenant;
use super::path;

#[derive(Args)]
pub(super) struct Many {
    /// The job
    #[arg(required_unless_present_any = ["tag", "owner"], conflicts_with_all = ["tag", "owner"])]
    name: Option<String>,
    /// All jobs of the tenant with this tag
    #[arg(long)]
    tag: Option<String>,
    /// All jobs of the tenant that have this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    tenant: Tenant,
    /// Why; kept with the job
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Do not ask before many jobs are changed
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    connect: Connect,
}

pub(super) struct Verb {
    path: &'static str,
    word: &'static str,
    /// Jobs in this state need nothing.
    done: &'static str,
}

pub(super) const PAUSE: Verb = Verb { path: ":pause", word: "pause", done: "paused" };
pub(super) const RESUME: Verb = Verb { path: ":resume", word: "resume", done: "active" };

impl Many {
    pub(super) fn act(self, verb: &Verb) -> anyhow::Result<ExitCode> {
        let Self { name, tag, owner, tenant, reason, yes, connect } = self;
        let (by, tenant) = (by(reason.as_deref()), tenant.name(&connect)?);
        connect.run(async |client, print| {
            if let Some(name) = name {
                print.object(&client.post(&path(&name, verb.path, &tenant), &by).await?);
                return Ok(ExitCode::SUCCESS);
            }
            let wanted = [("tenant", Some(&*tenant)), ("tag", tag.as_deref()), ("owner", owner.as_deref())];
            let jobs = names(&client, &wanted, verb.done).await?;
            let question = format!("{} {} jobs of tenant `{tenant}`?", verb.word, jobs.len());
            if !jobs.is_empty() && !confirmed(&question, yes) {
                return Ok(ExitCode::FAILURE);
            }
            for name in &jobs {
                client.post(&path(name, verb.path, &tenant), &by).await?;
            }
            print.object(&json!({ "changed": jobs.len(), "jobs": jobs }));
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Of all pages.
async fn names(
    client: &Client,
    wanted: &[(&str, Option<&str>)],
    done: &str,
) -> Result<Vec<String>, ClientError> {
    let (mut names, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let place = [("limit", Some("1000")), ("cursor", cursor.as_deref())];
        let page = client.get(&query("/v1/jobs", &[wanted, &place].concat())).await?;
        let jobs = page.get("jobs").and_then(Value::as_array).into_iter().flatten();
        let left = jobs.filter(|job| job["state"] != done && job["state"] != "deleted");
        names.extend(left.filter_map(|job| job["job"].as_str()).map(str::to_owned));
        cursor = page.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
        if cursor.is_none() {
            return Ok(names);
        }
    }
}
