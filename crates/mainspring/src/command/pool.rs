//! `mainspring pool`: how much room there is, and how much waits for it.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::operations;

use super::connect::Connect;
use super::list::{Listing, Rows};
use super::output::text;

/// Exit: 0 done, 1 refused, 4 there is no such pool.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring pool list\n  \
    mainspring pool get default")]
pub(crate) struct Pool {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List pools with their workers, room, queues and limits
    #[command(after_help = "Example:\n  mainspring pool list")]
    List(List),
    /// Show one pool
    #[command(after_help = "Example:\n  mainspring pool get default -o json")]
    Get(Get),
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct Get {
    /// The pool
    name: String,
    #[command(flatten)]
    connect: Connect,
}

const POOLS: Rows = Rows {
    key: "pools",
    columns: &[
        text("POOL", "pool"),
        text("WORKERS", "workers"),
        text("AWAY", "workers_away"),
        text("USED", "used"),
        text("SLOTS", "slots"),
        text("QUEUED", "queued"),
        text("P0", "queued_by_band.P0"),
        text("P1", "queued_by_band.P1"),
        text("P2", "queued_by_band.P2"),
        text("RUNNING MAX", "running_max").only_wide(),
        text("QUEUED MAX", "queued_max").only_wide(),
        text("TENANTS", "tenants").only_wide(),
    ],
};

impl Pool {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => list.listing.show("/v1/pools", POOLS),
            What::Get(get) => get.connect.run(async |client, print| {
                print.object(client.send(operations::get_pool(&get.name)).await?.json());
                Ok(ExitCode::SUCCESS)
            }),
        }
    }
}
