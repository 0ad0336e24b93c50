//! `mainspring limit`: named limits, and what waits for them.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::list::{Listing, Rows};
use super::output::text;

/// Exit: 0 done, 1 refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring limit list")]
pub(crate) struct Limit {
    #[command(subcommand)]
    what: LimitCommand,
}

#[derive(Subcommand)]
enum LimitCommand {
    /// List named limits: how many places are used, and how many tasks wait for one
    #[command(after_help = "Examples:\n  mainspring limit list\n  mainspring limit list -o json")]
    List(LimitList),
}

#[derive(Args)]
struct LimitList {
    #[command(flatten)]
    listing: Listing,
}

const LIMITS: Rows = Rows {
    key: "limits",
    columns: &[
        text("LIMIT", "limit"),
        text("TENANT", "tenant"),
        text("USED", "used"),
        text("MAX", "max"),
        text("WAITING", "queued"),
        text("KEYS", "keys"),
        text("FULL", "full"),
        text("CONFIGURED", "configured").only_wide(),
    ],
};

impl Limit {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            LimitCommand::List(list) => list.listing.show("/v1/limits", LIMITS),
        }
    }
}
