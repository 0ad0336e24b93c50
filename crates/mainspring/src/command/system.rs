//! `mainspring system`: the server itself.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::operations;

use super::list::Listing;

/// The server itself: version, how far journal and tables are, what it holds in memory, its settings. Exit: 0 done,
/// 1 refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  mainspring system\n  mainspring system -o json")]
pub(crate) struct System {
    #[command(flatten)]
    listing: Listing,
}

impl System {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.listing.show_one(operations::get_system().path(), |print, system| {
            print.object(system);
            ExitCode::SUCCESS
        })
    }
}
