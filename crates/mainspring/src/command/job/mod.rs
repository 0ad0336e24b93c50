//! `mainspring job`: look at jobs and act on them.

mod many;
mod trigger;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::{escaped, query};

use super::connect::Connect;
use super::run::actor;

const TENANT: &str = "default";

/// Exit: 0 done, 1 refused, 4 there is no such job.
#[derive(Args)]
pub(crate) struct Job {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List jobs with their version, state and last run
    #[command(after_help = "Example:\n  mainspring job list")]
    List(List),
    /// Show one job with its definition and its schedules
    #[command(after_help = "Example:\n  mainspring job get etl -o json")]
    Get(One),
    /// List the versions of a job, or show one of them
    #[command(
        after_help = "Examples:\n  mainspring job history etl\n  mainspring job history etl --version 2"
    )]
    History(History),
    /// Let no run of a job start until it is resumed
    #[command(
        after_help = "Examples:\n  mainspring job pause etl\n  mainspring job pause --tag nightly --yes"
    )]
    Pause(many::Many),
    /// Let runs of a job start again
    #[command(
        after_help = "Examples:\n  mainspring job resume etl\n  mainspring job resume --tag nightly --yes"
    )]
    Resume(many::Many),
    /// Start a run of a job
    Trigger(trigger::Trigger),
    /// Delete a job; its runs and versions stay
    #[command(after_help = "Example:\n  mainspring job delete etl")]
    Delete(Act),
}

#[derive(Args)]
struct List {
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only of this owner
    #[arg(long)]
    owner: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct One {
    /// The job
    name: String,
    #[arg(long, default_value = TENANT)]
    tenant: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Act {
    /// The job
    name: String,
    #[arg(long, default_value = TENANT)]
    tenant: String,
    /// Why; kept with the job
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct History {
    /// The job
    name: String,
    #[arg(long, default_value = TENANT)]
    tenant: String,
    /// Show this version with its definition
    #[arg(long)]
    version: Option<u32>,
    #[command(flatten)]
    connect: Connect,
}

const COLUMNS: [&str; 8] =
    ["job", "tenant", "version", "state", "tasks", "active_runs", "last_run.state", "last_run.ended_at"];

impl Job {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => {
                let limit = list.limit.to_string();
                let (tenant, tag) = (list.tenant.as_deref(), list.tag.as_deref());
                let wanted = [
                    ("tenant", tenant),
                    ("tag", tag),
                    ("owner", list.owner.as_deref()),
                    ("limit", Some(&*limit)),
                ];
                let path = query("/v1/jobs", &wanted);
                list.connect.run(async |client, print| {
                    print.rows(&client.get(&path).await?, "jobs", &COLUMNS);
                    Ok(ExitCode::SUCCESS)
                })
            }
            What::Get(one) => {
                let path = path(&one.name, "", &one.tenant);
                one.connect.run(async |client, print| {
                    let mut job = client.get(&path).await?;
                    let fields = job.as_object_mut().filter(|_| !print.is_json());
                    let schedules = fields.and_then(|fields| fields.remove("schedules"));
                    print.object(&job);
                    if let Some(schedules) = schedules {
                        let listed = serde_json::json!({ "schedules": schedules });
                        print.rows(&listed, "schedules", &super::schedule::COLUMNS);
                    }
                    Ok(ExitCode::SUCCESS)
                })
            }
            What::History(history) => history.run(),
            What::Pause(many) => many.act(&many::PAUSE),
            What::Resume(many) => many.act(&many::RESUME),
            What::Trigger(trigger) => trigger.run(),
            What::Delete(act) => {
                let (tenant, reason) = (Some(act.tenant.as_str()), act.reason.as_deref());
                let by = [("tenant", tenant), ("actor", Some(&*actor())), ("reason", reason)];
                let path = query(&format!("/v1/jobs/{}", escaped(&act.name)), &by);
                act.connect.run(async |client, print| {
                    print.object(&client.delete(&path).await?);
                    Ok(ExitCode::SUCCESS)
                })
            }
        }
    }
}

fn path(name: &str, rest: &str, tenant: &str) -> String {
    query(&format!("/v1/jobs/{}{rest}", escaped(name)), &[("tenant", Some(tenant))])
}

impl History {
    fn run(self) -> anyhow::Result<ExitCode> {
        let rest =
            self.version.map_or_else(|| "/versions".to_owned(), |version| format!("/versions/{version}"));
        let path = path(&self.name, &rest, &self.tenant);
        let one = self.version.is_some();
        self.connect.run(async |client, print| {
            let answer = client.get(&path).await?;
            if one {
                print.object(&answer);
            } else {
                print.rows(&answer, "versions", &["version", "applied_at"]);
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
