//! `mainspring trigger`: look at what begins runs when something is told.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::operations::{self, GetTriggerQuery, ListTriggersQuery};

use super::connect::Connect;
use super::list::{Listing, Page, Rows};
use super::output::{age, pair, text};
use super::scoped::{Key, Kind, key};
use super::tenant::{OfTenant, Tenant};

/// Triggers are in job files; here is what each has made of the events that came. Exit: 0 done, 4 there is no such
/// trigger.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring trigger list\n  \
    mainspring trigger get nightly-report/orders")]
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
    /// As JOB/NAME, or JOB if the job has one trigger
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
                let query = ListTriggersQuery {
                    tenant: list.tenant.filter(&list.listing.connect)?,
                    job: list.job,
                    limit: Some(list.page.rows()),
                    cursor: list.page.cursor().map(str::to_owned),
                };
                list.listing.show(operations::list_triggers(&query).path(), TRIGGERS)
            }
            What::Get(one) => {
                let tenant = one.tenant.name(&one.connect)?;
                one.connect.run(async |client, print| {
                    let Key { tenant, job, name } =
                        key(&client, Kind::Trigger, &one.trigger, &tenant).await?;
                    let query = GetTriggerQuery { tenant };
                    print.object(client.send(operations::get_trigger(&job, &name, &query)).await?.json());
                    Ok(ExitCode::SUCCESS)
                })
            }
        }
    }
}
