//! `mainspring run items`: the items of a mapped task.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{escaped, query};

use super::super::connect::Connect;
use crate::note::note;

const COLUMNS: [&str; 5] = ["index", "state", "task_id", "value", "error.message"];

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
    /// Only in these states, separated by commas
    #[arg(long)]
    state: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Where the page before ended: its `next_cursor`
    #[arg(long)]
    cursor: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

impl Items {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let limit = self.limit.to_string();
        self.connect.run(async |client, print| {
            let id = client.run_id(&self.id).await?;
            let parameters = [
                ("state", self.state.as_deref()),
                ("limit", Some(limit.as_str())),
                ("cursor", self.cursor.as_deref()),
            ];
            let path = query(&format!("/v1/runs/{id}/tasks/{}/items", escaped(&self.task)), &parameters);
            let page = client.get(&path).await?;
            print.rows(&page, "items", &COLUMNS);
            let next = page.get("next_cursor").and_then(|next| next.as_str());
            if let Some(next) = next.filter(|_| !print.is_json()) {
                note!("(more: --cursor {next})");
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
