//! `mainspring stats`: how much waits and runs.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::operations;

use super::list::Listing;

/// What waits and runs by pool, band and tenant, and the sums.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mainspring stats\n  mainspring stats --watch\n  mainspring stats -o json"
)]
pub(crate) struct Stats {
    #[command(flatten)]
    listing: Listing,
}

impl Stats {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.listing.show_one(operations::get_stats().path(), |print, stats| {
            let mut stats = stats.clone();
            if !print.is_data() {
                print.rows(&stats, "depths", &["pool", "band", "tenant", "queued", "running"]);
                if let Some(fields) = stats.as_object_mut() {
                    fields.remove("depths");
                }
                super::output::say("");
            }
            print.object(&stats);
            ExitCode::SUCCESS
        })
    }
}
