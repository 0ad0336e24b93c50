//! `mainspring trigger`: look at what begins runs when something is told.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::{escaped, query};

use super::connect::Connect;
use super::list::{Listing, Page, Rows};
use super::output::{age, pair, text};
use super::tenant::{OfTenant, Tenant};

/// Triggers are in job files; here is what each has made of the events that came. Exit: 0 done, 4 there is no such
/// trigger.
#[derive(Args)]
pub(crate) struct Trigger {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List triggers with their counts
    #[command(
        after_help = "Examples:\n  mainspring trigger list\n  mainspring trigger list --job nightly-report"
    )]
    List(List),
    /// Show one trigger: what it listens for, its counts and its last error
    #[command(after_help = "Example:\n  mainspring trigger get nightly-report/orders -o json")]
    Get(One),
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    tenant: OfTenant,
    /// Only of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct One {
    /// As JOB/NAME, or JOB alone for the trigger `default`
    trigger: String,
    #[command(flatten)]
    tenant: Tenant,
    #[command(flatten)]
    connect: Connect,
}

const TRIGGERS: Rows = Rows {
    key: "triggers",
    columns: &[
        pair("TRIGGER", "job", "name"),
        text("ACTIVE", "active"),
        text("FIRED", "fired"),
        text("SKIPPED", "skipped"),
        text("ERRORS", "errors"),
        age("LAST", "last_fired.at"),
        text("TENANT", "tenant").only_wide(),
        text("LAST ERROR", "last_error.what").only_wide(),
    ],
};

impl Trigger {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => {
                let (limit, tenant) = (list.page.limit(), list.tenant.filter(&list.listing.connect)?);
                let wanted = [
                    ("tenant", tenant.as_deref()),
                    ("job", list.job.as_deref()),
                    ("limit", Some(&*limit)),
                    ("cursor", list.page.cursor()),
                ];
                list.listing.show(&query("/v1/triggers", &wanted), TRIGGERS)
            }
            What::Get(one) => {
                let (job, name) = one.trigger.split_once('/').unwrap_or((&one.trigger, "default"));
                let path = format!("/v1/triggers/{}/{}", escaped(job), escaped(name));
                let tenant = one.tenant.given(&one.connect)?;
                let path = query(&path, &[("tenant", tenant.as_deref())]);
                one.connect.run(async |client, print| {
                    print.object(&client.get(&path).await?);
                    Ok(ExitCode::SUCCESS)
                })
            }
        }
    }
}
