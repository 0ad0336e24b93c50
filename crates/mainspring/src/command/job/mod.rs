//! `mainspring job`: look at jobs and act on them.

mod many;
mod stats;
mod trigger;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::operations::{self, DeleteJobQuery};
use mainspring_client::{ClientError, escaped, query};
use serde_json::json;

use super::connect::Connect;
use super::list::{Listing, Page, Rows};
use super::output::{age, id, say, text};
use super::revision::IfRevision;
use super::tenant::{OfTenant, Tenant};

/// Exit: 0 done, 1 refused, 4 there is no such job.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring job list --tag nightly\n  \
    mainspring job trigger etl -p day=2026-01-31 --wait\n  \
    mainspring job history etl")]
pub(crate) struct Job {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List jobs with their version, state and last run
    #[command(after_help = "Examples:\n  mainspring job list\n  mainspring job list --tag nightly --watch")]
    List(List),
    /// Show one job with its definition and its schedules
    #[command(after_help = "Example:\n  mainspring job get etl -o json")]
    Get(One),
    /// List the versions of a job, or show one of them
    #[command(
        after_help = "Examples:\n  mainspring job history etl\n  mainspring job history etl --version 2"
    )]
    History(History),
    /// Show how its newest runs ended and how long they took
    Stats(stats::Stats),
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
    #[command(flatten)]
    tenant: OfTenant,
    /// Only with this tag, as `nightly`
    #[arg(long)]
    tag: Option<String>,
    /// Only of this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct One {
    /// The job
    name: String,
    #[command(flatten)]
    tenant: Tenant,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Act {
    /// The job
    name: String,
    #[command(flatten)]
    tenant: Tenant,
    #[command(flatten)]
    seen: IfRevision,
    /// Why; kept with the job
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct History {
    /// The job
    name: String,
    #[command(flatten)]
    tenant: Tenant,
    /// Show this version with its definition
    #[arg(long, value_name = "N")]
    version: Option<u32>,
    /// At most so many versions, the newest first
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Only versions before this one: the last one of the page before
    #[arg(long, value_name = "N")]
    before: Option<u32>,
    #[command(flatten)]
    listing: Listing,
}

const JOBS: Rows = Rows {
    key: "jobs",
    columns: &[
        text("JOB", "job"),
        text("VERSION", "version"),
        text("STATE", "state"),
        text("TASKS", "tasks"),
        text("ACTIVE", "active_runs"),
        text("LAST RUN", "last_run.state"),
        age("ENDED", "last_run.ended_at"),
        text("TENANT", "tenant").only_wide(),
        text("WAITING", "waiting_runs").only_wide(),
        age("AGE", "created_at").only_wide(),
        age("CHANGED", "updated_at").only_wide(),
        id("LAST RUN ID", "last_run.run_id").only_wide(),
    ],
};
const VERSIONS: Rows =
    Rows { key: "versions", columns: &[text("VERSION", "version"), age("APPLIED", "applied_at")] };

impl Job {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => list.run(),
            What::Get(one) => one.run(),
            What::History(history) => history.run(),
            What::Stats(stats) => stats.run(),
            What::Pause(many) => many.pause(),
            What::Resume(many) => many.resume(),
            What::Trigger(trigger) => trigger.run(),
            What::Delete(act) => act.delete(),
        }
    }
}

impl List {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (limit, tenant) = (self.page.limit(), self.tenant.filter(&self.listing.connect)?);
        let wanted = [
            ("tenant", tenant.as_deref()),
            ("tag", self.tag.as_deref()),
            ("owner", self.owner.as_deref()),
            ("limit", Some(&*limit)),
            ("cursor", self.page.cursor()),
        ];
        self.listing.show(&query("/v1/jobs", &wanted), JOBS)
    }
}

impl One {
    fn run(self) -> anyhow::Result<ExitCode> {
        let path = path(&self.name, "", &self.tenant.name(&self.connect)?);
        self.connect.run(async |client, print| {
            let mut job = client.get(&path).await?;
            let fields = job.as_object_mut().filter(|_| !print.is_data());
            let schedules = fields.and_then(|fields| fields.remove("schedules"));
            print.object(&job);
            if let Some(schedules) = schedules {
                say("");
                let rows = super::schedule::SCHEDULES;
                print.rows(&json!({ rows.key: schedules }), rows.key, rows.columns);
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl Act {
    fn delete(self) -> anyhow::Result<ExitCode> {
        let tenant = Some(self.tenant.name(&self.connect)?);
        let query = DeleteJobQuery { tenant, ..DeleteJobQuery::default() };
        let call = operations::delete_job(&self.name, &query).if_revision(self.seen.number);
        self.connect.run(async |client, print| {
            let client = client.with_reason(self.reason.as_deref());
            print.object(client.send(call).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }
}

fn path(name: &str, rest: &str, tenant: &str) -> String {
    query(&format!("/v1/jobs/{}{rest}", escaped(name)), &[("tenant", Some(tenant))])
}

impl History {
    fn run(self) -> anyhow::Result<ExitCode> {
        let tenant = self.tenant.name(&self.listing.connect)?;
        if let Some(version) = self.version {
            return self.show(version, &tenant);
        }
        let (limit, before) = (self.limit.to_string(), self.before.map(|before| before.to_string()));
        let wanted = [("tenant", Some(&*tenant)), ("limit", Some(&*limit)), ("before", before.as_deref())];
        let path = query(&format!("/v1/jobs/{}/versions", escaped(&self.name)), &wanted);
        self.listing.show(&path, VERSIONS)
    }

    fn show(self, version: u32, tenant: &str) -> anyhow::Result<ExitCode> {
        let Self { name, listing, .. } = self;
        let job = path(&name, "", tenant);
        let path = path(&name, &format!("/versions/{version}"), tenant);
        listing.connect.run(async |client, print| {
            let found = match client.get(&path).await {
                // The server says the same of a job that is not there.
                Err(error) if error.is_not_found() && client.get(&job).await.is_ok() => {
                    return Err(no_version(error, &name, version));
                }
                found => found?,
            };
            print.object(&found);
            Ok(ExitCode::SUCCESS)
        })
    }
}

fn no_version(error: ClientError, job: &str, version: u32) -> ClientError {
    let ClientError::Refused { status, code, path, .. } = error else { return error };
    let message = format!("job `{job}` has no version {version}");
    let advice = format!("list those that it has with `mainspring job history {job}`");
    ClientError::Refused { status, code, message, advice, path }
}
