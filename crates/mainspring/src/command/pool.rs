//! `mainspring pool`: how much room there is, and how much waits for it.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::escaped;

use super::connect::Connect;

/// Exit: 0 done, 1 refused, 4 there is no such pool.
#[derive(Args)]
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
    connect: Connect,
}

#[derive(Args)]
struct Get {
    name: String,
    #[command(flatten)]
    connect: Connect,
}

const COLUMNS: [&str; 11] = [
    "pool",
    "workers",
    "workers_away",
    "used",
    "slots",
    "running_max",
    "queued",
    "queued_max",
    "queued_by_band.P0",
    "queued_by_band.P1",
    "queued_by_band.P2",
];

impl Pool {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => list.connect.run(async |client, print| {
                print.rows(&client.get("/v1/pools").await?, "pools", &COLUMNS);
                Ok(ExitCode::SUCCESS)
            }),
            What::Get(get) => {
                let path = format!("/v1/pools/{}", escaped(&get.name));
                get.connect.run(async |client, print| {
                    print.object(&client.get(&path).await?);
                    Ok(ExitCode::SUCCESS)
                })
            }
        }
    }
}
