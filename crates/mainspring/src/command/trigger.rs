//! `mainspring trigger`: look at what begins runs when something is told.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::query;

use super::connect::Connect;

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
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only of this job
    #[arg(long)]
    job: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct One {
    /// As JOB/NAME, or JOB alone for the trigger `default`
    trigger: String,
    #[arg(long)]
    tenant: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

const COLUMNS: [&str; 7] = ["job", "name", "active", "fired", "skipped", "errors", "last_fired"];

impl Trigger {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => {
                let limit = list.limit.to_string();
                let wanted = [
                    ("tenant", list.tenant.as_deref()),
                    ("job", list.job.as_deref()),
                    ("limit", Some(&*limit)),
                ];
                let path = query("/v1/triggers", &wanted);
                list.connect.run(async |client, print| {
                    print.rows(&client.get(&path).await?, "triggers", &COLUMNS);
                    Ok(ExitCode::SUCCESS)
                })
            }
            What::Get(one) => {
                let (job, name) = one.trigger.split_once('/').unwrap_or((&one.trigger, "default"));
                let path = format!("/v1/triggers/{job}/{name}");
                let path = query(&path, &[("tenant", one.tenant.as_deref())]);
                one.connect.run(async |client, print| {
                    print.object(&client.get(&path).await?);
                    Ok(ExitCode::SUCCESS)
                })
            }
        }
    }
}
