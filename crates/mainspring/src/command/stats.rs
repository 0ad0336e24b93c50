//! `mainspring stats`: how much waits and runs.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::operations;

use super::connect::Connect;

/// What waits and runs by pool, band and tenant, and the sums.
#[derive(Args)]
#[command(after_help = "Example:\n  mainspring stats -o json")]
pub(crate) struct Stats {
    #[command(flatten)]
    connect: Connect,
}

impl Stats {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.connect.run(async |client, print| {
            let mut stats = client.send(operations::get_stats()).await?.into_json();
            if !print.is_data() {
                print.rows(&stats, "depths", &["pool", "band", "tenant", "queued", "running"]);
                if let Some(fields) = stats.as_object_mut() {
                    fields.remove("depths");
                }
                super::output::say("");
            }
            print.object(&stats);
            Ok(ExitCode::SUCCESS)
        })
    }
}
