//! `mainspring task`: look at tasks and act on them.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::Call;
use mainspring_client::operations::{self, GetTaskQuery};
use mainspring_client::types::Changed;
use serde_json::{Value, json};

use super::bulk::{Manner, TASK_SELECTORS, TaskSelector, carry_out};
use super::connect::Connect;
use super::list::{Listing, Rows};
use super::logs::Logs;
use super::output::{Column, age, bytes, error, id, instant, say, span, text, took};
use super::task_amend::{Amend, Force};
use super::task_cancel::Cancel;
use super::task_list::List;
use super::task_waiting::Waiting;

/// Exit: 0 done, 1 refused, 4 there is no such task.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring task list --state failed --since 1d\n  \
    mainspring task get task_019a88f0\n  \
    mainspring task logs -f task_019a88f0")]
pub(crate) struct Task {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Show one task with its attempts
    #[command(after_help = "Example:\n  mainspring task get task_019a88f0")]
    Get(One),
    /// List tasks: unfinished ones, then ended ones, newest first
    List(List),
    /// Show what queued tasks wait for: how many, and since when
    Waiting(Waiting),
    /// Cancel a task, or all that match; running ones only with --force
    Cancel(Cancel),
    /// Change time, payload or priority of a task that has not started
    Amend(Amend),
    /// Say how a task ended, whatever it does
    Force(Force),
    /// Queue a failed, cancelled or quarantined task again, or all that match
    #[command(after_help = "Examples:\n  \
        mainspring task retry task_019a88f0\n  \
        mainspring task retry --job report --dry-run")]
    Retry(Act),
    /// Print what a task wrote; with -f as it writes it
    Logs(Logs),
    /// Say why a task is not running, and what to do
    #[command(after_help = "Example:\n  mainspring task diagnose task_019a88f0")]
    Diagnose(One),
    /// Show each change of its state, with time and cause
    #[command(
        after_help = "Examples:\n  mainspring task history task_019a88f0\n  mainspring task history task_019a88f0 --watch"
    )]
    History(History),
    /// Start a waiting task now, or all that match
    #[command(after_help = "Examples:\n  \
        mainspring task run-now task_019a88f0\n  \
        mainspring task run-now --job report --state retry_wait --yes")]
    RunNow(Act),
}

#[derive(Args)]
struct One {
    /// The task: its id or the beginning of it
    id: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct History {
    /// The task: its id or the beginning of it
    id: String,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct Act {
    /// The task: its id or the beginning of it
    #[arg(conflicts_with_all = TASK_SELECTORS, required_unless_present_any = TASK_SELECTORS)]
    id: Option<String>,
    #[command(flatten)]
    of: TaskSelector,
    #[command(flatten)]
    manner: Manner,
    #[command(flatten)]
    connect: Connect,
    /// Why; in the server's log, and kept with a task that is queued again
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

const ATTEMPTS: [Column; 12] = [
    text("TRY", "number"),
    age("BEGAN", "assigned_at"),
    took("TOOK", "assigned_at", "ended_at"),
    text("OUTCOME", "outcome"),
    text("CODE", "exit_code"),
    span("CPU", "used.cpu_ms"),
    bytes("MEMORY", "used.memory_peak_bytes"),
    text("CLASS", "error.class"),
    error("ERROR", "error.message"),
    id("WORKER", "worker").only_wide(),
    text("PROGRESS", "progress").only_wide(),
    text("ATTEMPT", "attempt_id").only_wide(),
];

const CHANGES: Rows = Rows {
    key: "changes",
    columns: &[
        instant("AT", "at"),
        text("STATE", "state"),
        text("CAUSE", "cause"),
        text("TRY", "attempt"),
        text("ERROR", "error.message"),
        text("ACTOR", "actor"),
        text("REASON", "reason"),
        id("WORKER", "worker").only_wide(),
    ],
};

impl Task {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Get(one) => one.show(),
            What::Logs(logs) => logs.run(),
            What::Diagnose(one) => one.diagnose(),
            What::History(history) => history.run(),
            What::Retry(act) => act.send("retry_tasks", |id| operations::retry_task(id, None)),
            What::RunNow(act) => act.send("run_tasks_now", |id| operations::run_task_now(id, None)),
            What::Amend(amend) => amend.run(),
            What::Force(force) => force.run(),
            What::Cancel(cancel) => cancel.run(),
            What::List(list) => list.run(),
            What::Waiting(waiting) => waiting.run(),
        }
    }
}

impl One {
    /// The attempts as a table under the rest.
    fn show(self) -> anyhow::Result<ExitCode> {
        let text = self.id;
        self.connect.run(async |client, print| {
            let id = client.timer_id(&text).await?;
            let mut task =
                client.send(operations::get_task(&id, &GetTaskQuery::default())).await?.into_json();
            let attempts = match task.get_mut("attempts") {
                Some(Value::Array(attempts)) if !print.is_data() => std::mem::take(attempts),
                _ => Vec::new(),
            };
            if let (false, Some(fields)) = (attempts.is_empty(), task.as_object_mut()) {
                fields.remove("attempts");
            }
            print.object(&task);
            if !attempts.is_empty() {
                say("");
                print.rows(&json!({ "attempts": attempts }), "attempts", &ATTEMPTS);
            }
            Ok(ExitCode::SUCCESS)
        })
    }

    fn diagnose(self) -> anyhow::Result<ExitCode> {
        let text = self.id;
        self.connect.run(async |client, print| {
            let id = client.task_id(&text).await?;
            print.object(client.send(operations::diagnose_task(&id)).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl History {
    fn run(self) -> anyhow::Result<ExitCode> {
        let text = self.id;
        self.listing.show_at(CHANGES, async |client| {
            let id = client.task_id(&text).await?;
            Ok(format!("/v1/tasks/{id}/history"))
        })
    }
}

impl Act {
    fn send(self, for_many: &str, call: impl FnOnce(&str) -> Call<Changed>) -> anyhow::Result<ExitCode> {
        let Self { id, of, manner, connect, reason } = self;
        let Some(text) = id else {
            return carry_out(connect, for_many, of.body()?, (&manner, reason.as_deref()));
        };
        connect.run(async |client, print| {
            let id = client.task_id(&text).await?;
            let client = client.with_reason(reason.as_deref());
            print.object(client.send(call(&id)).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }
}
