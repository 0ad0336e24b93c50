//! `mainspring stats`: how much waits and runs.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::operations;
use serde_json::json;

use super::list::Listing;
use super::output::say;

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
            let fields = stats.as_object_mut().filter(|_| !print.is_data());
            let depths = fields.and_then(|fields| fields.remove("depths")).unwrap_or_default();
            if depths.as_array().is_some_and(|depths| !depths.is_empty()) {
                let columns = ["pool", "band", "tenant", "queued", "running"];
                print.rows(&json!({ "depths": depths }), "depths", &columns);
                say("");
            }
            print.object(&stats);
            ExitCode::SUCCESS
        })
    }
}
