//! `mainspring task waiting`: what queued tasks wait for.

use std::process::ExitCode;

use clap::Args;

use super::list::{Listing, Rows};
use super::output::{age, id, text};

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring task waiting\n  \
    mainspring task waiting --watch\n  \
    mainspring task list --reason no_room --pool gpu")]
pub(super) struct Waiting {
    #[command(flatten)]
    listing: Listing,
}

const WAITING: Rows = Rows {
    key: "waiting",
    columns: &[
        text("WAITING", "queued"),
        text("FOR", "reason"),
        text("LIMIT", "limit"),
        text("POOL", "pool"),
        text("PRIORITY", "band"),
        text("TENANT", "tenant"),
        age("OLDEST", "oldest_since"),
        id("FOR EXAMPLE", "example"),
        text("WHY", "message").only_wide(),
    ],
};

impl Waiting {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        self.listing.show("/v1/waiting", WAITING)
    }
}
