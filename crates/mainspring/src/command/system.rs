//! `mainspring system`: the server itself.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::operations;

use super::connect::Connect;

/// The server itself: version, how far journal and tables are, what it holds in memory, its settings. Exit: 0 done,
/// 1 refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  mainspring system\n  mainspring system -o json")]
pub(crate) struct System {
    #[command(flatten)]
    connect: Connect,
}

impl System {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.connect.run(async |client, print| {
            print.object(client.send(operations::get_system()).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }
}
