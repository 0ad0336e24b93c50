//! `mainspring run items`: the items of a mapped task.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{escaped, query};

use super::super::list::{Listing, Page, Rows};
use super::super::output::{id, text};

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring run items run_019a88f0 --task load --state failed\n  \
    mainspring run items run_019a88f0 --task load -o json | jq .items[].value")]
pub(super) struct Items {
    /// The run: its id or the beginning of it
    id: String,
    /// The mapped task
    #[arg(long, value_name = "NAME")]
    task: String,
    /// Only in these states, separated by commas, as `failed,cancelled`
    #[arg(long, value_name = "STATES")]
    state: Option<String>,
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    listing: Listing,
}

const ITEMS: Rows = Rows {
    key: "items",
    columns: &[
        text("INDEX", "index"),
        text("STATE", "state"),
        id("TASK", "task_id"),
        text("VALUE", "value"),
        text("ERROR", "error.message"),
    ],
};

impl Items {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let limit = self.page.limit();
        let Self { id, task, state, page, listing } = self;
        listing.show_at(ITEMS, async |client| {
            let id = client.run_id(&id).await?;
            let parameters =
                [("state", state.as_deref()), ("limit", Some(limit.as_str())), ("cursor", page.cursor())];
            Ok(query(&format!("/v1/runs/{id}/tasks/{}/items", escaped(&task)), &parameters))
        })
    }
}
