//! `mainspring task`: look at tasks and act on them.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::connect::Connect;
use super::logs::Logs;

/// Exit: 0 done, 1 refused, 4 there is no such task.
#[derive(Args)]
pub(crate) struct Task {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Show one task with its attempts
    Get(One),
    /// List tasks, newest first
    List(List),
    /// Cancel a task; a running one only with --force
    Cancel(Cancel),
    /// Queue a failed, cancelled or quarantined task again
    Retry(One),
    /// Print what a task wrote; with -f as it writes it
    Logs(Logs),
    /// Say why a task is not running, and what to do
    Diagnose(One),
    /// Start a waiting task now
    RunNow(One),
}

#[derive(Args)]
struct One {
    /// The task
    id: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Cancel {
    #[command(flatten)]
    one: One,
    /// Stop it even if it runs: it gets its grace, then it is killed
    #[arg(long)]
    force: bool,
}

#[derive(Args)]
struct List {
    /// Only these states, separated by commas
    #[arg(long)]
    state: Option<String>,
    #[arg(long)]
    tenant: Option<String>,
    #[arg(long)]
    job: Option<String>,
    #[arg(long, default_value_t = 50)]
    limit: u32,
    #[command(flatten)]
    connect: Connect,
}

impl Task {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Get(one) => one.get(""),
            What::Logs(logs) => logs.run(),
            What::Diagnose(one) => one.get("/diagnosis"),
            What::Retry(one) => one.post("retry"),
            What::RunNow(one) => one.post("run-now"),
            What::Cancel(cancel) => cancel.run(),
            What::List(list) => list.run(),
        }
    }
}

impl One {
    fn get(self, part: &str) -> anyhow::Result<ExitCode> {
        let path = format!("/v1/tasks/{}{part}", self.id);
        self.connect.run(async |client, print| {
            print.object(&client.get(&path).await?);
            Ok(ExitCode::SUCCESS)
        })
    }

    fn post(self, verb: &str) -> anyhow::Result<ExitCode> {
        let path = format!("/v1/tasks/{}:{verb}", self.id);
        self.connect.run(async |client, print| {
            print.object(&client.post(&path, &json!({})).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl Cancel {
    fn run(self) -> anyhow::Result<ExitCode> {
        let path = format!("/v1/tasks/{}?force={}", self.one.id, self.force);
        self.one.connect.run(async |client, print| {
            print.object(&client.delete(&path).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl List {
    fn run(self) -> anyhow::Result<ExitCode> {
        let mut path = format!("/v1/tasks?limit={}", self.limit);
        for (name, value) in [("state", &self.state), ("tenant", &self.tenant), ("job", &self.job)] {
            if let Some(value) = value {
                path.extend(["&", name, "=", value]);
            }
        }
        self.connect.run(async |client, print| {
            let answer = client.get(&path).await?;
            print.rows(
                &answer,
                "tasks",
                &["task_id", "status", "task_type", "tenant", "created_at", "attempt_count"],
            );
            Ok(ExitCode::SUCCESS)
        })
    }
}
