//! `mainspring task list`: tasks by state, tenant, label, time.

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use mainspring_client::query;

use super::connect::Connect;
use super::submit::parse_span;

use crate::note::note;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring task list --state failed,quarantined --since 1d\n  \
    mainspring task list --label team=ops -o json")]
pub(super) struct List {
    /// Only these states, separated by commas
    #[arg(long)]
    state: Option<String>,
    #[arg(long)]
    tenant: Option<String>,
    #[arg(long)]
    job: Option<String>,
    /// Only with this label, as KEY=VALUE
    #[arg(long, value_name = "K=V")]
    label: Option<String>,
    /// Only on this worker: its id, the beginning of it, or its name
    #[arg(long)]
    worker: Option<String>,
    /// Only tasks of this run, in the order of its job; goes with --state, --limit and --cursor
    #[arg(long, value_name = "RUN", conflicts_with_all = ["tenant", "job", "label", "worker", "since", "older"])]
    run: Option<String>,
    /// Only tasks made within this span, as 30s, 5m, 2h, 7d
    #[arg(long, value_name = "SPAN", value_parser = parse_span)]
    since: Option<Duration>,
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Where the page before ended: its `next_cursor`
    #[arg(long)]
    cursor: Option<String>,
    /// Take a list that lacks the newest changes if the server's tables are behind, instead of an error
    #[arg(long)]
    older: bool,
    #[command(flatten)]
    connect: Connect,
}

impl List {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since = self.since.map(|span| now.saturating_sub(span).as_secs().to_string());
        let limit = self.limit.to_string();
        let (state, tenant, job, label) = (self.state, self.tenant, self.job, self.label);
        self.connect.run(async |client, print| {
            let worker = match &self.worker {
                Some(text) => Some(client.worker_id(text).await?),
                None => None,
            };
            let run = match &self.run {
                Some(text) => Some(client.run_id(text).await?),
                None => None,
            };
            let parameters = [
                ("run_id", run.as_deref()),
                ("limit", Some(limit.as_str())),
                ("state", state.as_deref()),
                ("tenant", tenant.as_deref()),
                ("job", job.as_deref()),
                ("label", label.as_deref()),
                ("worker", worker.as_deref()),
                ("created_from", since.as_deref()),
                ("cursor", self.cursor.as_deref()),
                ("older", self.older.then_some("true")),
            ];
            let answer = client.get(&query("/v1/tasks", &parameters)).await?;
            let of_run = ["task_id", "run_task", "item", "state", "ended_at", "attempt_count"];
            let columns = ["task_id", "state", "task_type", "tenant", "created_at", "attempt_count"];
            print.rows(&answer, "tasks", if run.is_some() { &of_run } else { &columns });
            if let (false, Some(next)) =
                (print.is_json(), answer.get("next_cursor").and_then(|next| next.as_str()))
            {
                note!("(more: --cursor {next})");
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
