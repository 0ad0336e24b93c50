//! `mainspring run clear`: tasks of a run, or items of them, run again.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::super::connect::{Connect, actor};
use super::{items, named, watch};
use crate::note::note;

/// What succeeded stays, unless it follows from what is cleared. Without --task everything that failed runs again, of mapped
/// tasks only the items that failed. Exit: 0 done (with --wait: the run succeeded), 1 refused, 3 the run did not succeed,
/// 4 there is no such run, task or item.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring run clear run_019a88f0\n  \
    mainspring run clear run_019a88f0 --task load --wait\n  \
    mainspring run clear run_019a88f0 --task load --items 7,14\n  \
    mainspring run clear run_019a88f0 --task load --only-failed --reason 'new input'")]
pub(super) struct Clear {
    /// The run: its id or the beginning of it
    id: String,
    /// A task to run again, with all its items; without any, all that failed; may be given more than once
    #[arg(long = "task", value_name = "NAME")]
    tasks: Vec<String>,
    /// Only these items of the mapped task, as 7,14 or 20-25; the others keep state and output
    #[arg(long, value_name = "N,…", value_parser = items::parse, requires = "tasks", conflicts_with = "only_failed")]
    items: Option<items::Numbers>,
    /// Of mapped tasks only the items that did not succeed; of other tasks those that failed
    #[arg(long)]
    only_failed: bool,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Watch the run until it has ended; its outcome is the exit code
    #[arg(short, long)]
    wait: bool,
    #[command(flatten)]
    connect: Connect,
}

impl Clear {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let Self { id, tasks, items, only_failed, reason, wait, connect } = self;
        let mut body = json!({"tasks": tasks, "reason": reason, "actor": actor()});
        match items.map(|items| items.0) {
            Some(items) => body["items"] = json!(items),
            None if only_failed || tasks.is_empty() => body["only_failed"] = json!(true),
            None => {}
        }
        connect.run(async |client, print| {
            let id = client.run_id(&id).await?;
            let answer = match client.post(&format!("/v1/runs/{id}:clear"), &body).await {
                Ok(answer) => answer,
                Err(error) => return Err(named::with_advice(&client, &id, &tasks, error).await),
            };
            if wait {
                return watch(&client, print, &id).await;
            }
            print.object(&answer);
            if !print.is_data() {
                note!("\nhint: mainspring run watch {id}");
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
