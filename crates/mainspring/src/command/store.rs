//! `mainspring store`: rows of the tables that cannot be read.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::operations;

use super::connect::Connect;
use super::list::{Listing, Rows};
use super::output::{age, text};

/// A row that is damaged is kept apart, and everything else goes on. Exit: 0 done, 1 refused, 4 there is no such row.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring store quarantine\n  \
    mainspring store release task_0199c0de0000700080000000000000ff")]
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
    listing: Listing,
}

#[derive(Args)]
struct Release {
    /// The id of the task or run, as listed
    row: String,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

const ROWS: Rows =
    Rows { key: "rows", columns: &[text("ROW", "row"), age("SINCE", "since"), text("WHY", "why")] };

impl Store {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            StoreCommand::Quarantine(list) => list.listing.show("/v1/store/quarantine", ROWS),
            StoreCommand::Release(release) => release.connect.run(async |client, print| {
                let client = client.with_reason(release.reason.as_deref());
                let left = client.send(operations::release_quarantined_row(&release.row, None)).await?;
                print.rows(left.json(), ROWS.key, ROWS.columns);
                Ok(ExitCode::SUCCESS)
            }),
        }
    }
}
