//! `mainspring run list`: runs, newest first.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::query;

use super::super::list::{Between, Listing, Page, Rows};
use super::super::output::{age, id, instant, text, took};
use super::super::tenant::OfTenant;
use super::super::words;

#[derive(Args)]
pub(super) struct List {
    /// Only of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    #[command(flatten)]
    tenant: OfTenant,
    /// Only in these states, separated by commas, as `failed,cancelled`
    #[arg(long, value_name = "STATES", value_parser = words::run_states)]
    state: Option<String>,
    /// Only with this label, as team=ops
    #[arg(long, value_name = "K=V")]
    label: Option<String>,
    /// Only started by this: manual, schedule, event, backfill, rerun or parent
    #[arg(long, value_name = "KIND", value_parser = words::trigger)]
    trigger: Option<String>,
    #[command(flatten)]
    made: Between,
    #[command(flatten)]
    page: Page,
    /// Take a list that lacks the newest changes if the server's tables are behind, instead of an error
    #[arg(long)]
    older: bool,
    #[command(flatten)]
    listing: Listing,
}

const RUNS: Rows = Rows {
    key: "runs",
    columns: &[
        id("RUN", "run_id"),
        text("JOB", "job"),
        text("STATE", "state"),
        text("WAITS FOR", "waits_for"),
        text("TRIGGER", "trigger"),
        instant("WINDOW", "window.at"),
        age("AGE", "created_at"),
        took("TOOK", "started_at", "ended_at"),
        text("VERSION", "version").only_wide(),
        text("TENANT", "tenant").only_wide(),
        age("ENDED", "ended_at").only_wide(),
        text("REASON", "reason").only_wide(),
    ],
};

impl List {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (since, until) = self.made.instants();
        let (limit, tenant) = (self.page.limit(), self.tenant.filter(&self.listing.connect)?);
        let wanted = [
            ("job", self.job.as_deref()),
            ("tenant", tenant.as_deref()),
            ("state", self.state.as_deref()),
            ("label", self.label.as_deref()),
            ("trigger", self.trigger.as_deref()),
            ("created_from", since.as_deref()),
            ("created_before", until.as_deref()),
            ("limit", Some(&*limit)),
            ("cursor", self.page.cursor()),
            ("older", self.older.then_some("true")),
        ];
        self.listing.show(&query("/v1/runs", &wanted), RUNS)
    }
}
