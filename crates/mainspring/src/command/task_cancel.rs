//! `mainspring task cancel`: one task, or all that match.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::bulk::{Manner, TASK_SELECTORS, TaskSelector, carry_out};
use super::connect::Connect;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring task cancel task_019a88f0\n  \
    mainspring task cancel --tenant acme --label team=ops --force --yes\n  \
    mainspring task cancel --all --state queued,retry_wait --type http --dry-run")]
pub(super) struct Cancel {
    /// The task: its id or the beginning of it, or the id of one that recurs
    #[arg(conflicts_with_all = TASK_SELECTORS, required_unless_present_any = TASK_SELECTORS)]
    id: Option<String>,
    /// Stop it even if it runs: it gets its grace, then it is killed
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    of: TaskSelector,
    #[command(flatten)]
    manner: Manner,
    /// Why; kept with the operation and in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

impl Cancel {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let Self { id, force, of, manner, reason, connect } = self;
        let Some(text) = id else {
            let mut body = of.body()?;
            body.insert("force".into(), json!(force));
            return carry_out(connect, "cancel_tasks", body, (&manner, reason.as_deref()));
        };
        connect.run(async |client, print| {
            let client = client.with_reason(reason.as_deref());
            let id = client.timer_id(&text).await?;
            print.object(&client.delete(&format!("/v1/tasks/{id}?force={force}")).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}
