//! `mainspring operation`: how far bulk work has come, such as the cancelling of many tasks.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::escaped;

use super::connect::Connect;

/// Exit: 0 shown, 1 refused, 4 there is no such operation.
#[derive(Args)]
pub(crate) struct Operation {
    #[command(subcommand)]
    what: OperationCommand,
}

#[derive(Subcommand)]
enum OperationCommand {
    /// Show how far one has come
    #[command(after_help = "Example:\n  mainspring operation get 17")]
    Get(Get),
}

#[derive(Args)]
struct Get {
    /// Its number, as the command that began it printed it
    id: String,
    #[command(flatten)]
    connect: Connect,
}

impl Operation {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let OperationCommand::Get(get) = self.what;
        let path = format!("/v1/operations/{}", escaped(&get.id));
        get.connect.run(async |client, print| {
            print.object(&client.get(&path).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}
