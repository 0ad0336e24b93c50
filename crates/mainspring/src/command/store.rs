//! `mainspring store`: rows of the tables that cannot be read.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::escaped;

use super::connect::Connect;

/// A row that is damaged is kept apart, and everything else goes on. Exit: 0 done, 1 refused, 4 there is no such row.
#[derive(Args)]
pub(crate) struct Store {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Subcommand)]
enum StoreCommand {
    /// List quarantined rows: rows of the tables that cannot be read
    #[command(after_help = "Example:\n  mainspring store quarantine")]
    Quarantine(Quarantine),
    /// Read a row again after it was repaired; its task or run goes on
    #[command(after_help = "Example:\n  mainspring store release task_0199c0de0000700080000000000000ff")]
    Release(Release),
}

#[derive(Args)]
struct Quarantine {
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Release {
    /// The id of the task or run, as listed
    row: String,
    /// Why; in the server's log
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

const COLUMNS: [&str; 3] = ["row", "since", "why"];

impl Store {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            StoreCommand::Quarantine(list) => list.connect.run(async |client, print| {
                print.rows(&client.get("/v1/store/quarantine").await?, "rows", &COLUMNS);
                Ok(ExitCode::SUCCESS)
            }),
            StoreCommand::Release(release) => {
                let path = format!("/v1/store/quarantine/{}:release", escaped(&release.row));
                release.connect.run(async |client, print| {
                    let client = client.with_reason(release.reason.as_deref());
                    print.rows(&client.post(&path, &serde_json::json!({})).await?, "rows", &COLUMNS);
                    Ok(ExitCode::SUCCESS)
                })
            }
        }
    }
}
